"""Queries about the label of each item."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import Label
from calibrant.errors import InputError, ParameterError, nearest
from calibrant.pairs import Pairs
from calibrant.structures.gold import label_groups
from calibrant.structures.labels.labels import Labels
from calibrant.structures.query import Keys, Query


@dataclass(frozen=True, repr=False)
class LabelIs(Query):
    """Is this the label? One question per item.

    Asks whether the probabilities of one class can be trusted: P(label = k | q_k) = q_k, the part
    of class-wise calibration that belongs to class k.

    Reference: Kull et al. (2019), arXiv:1910.12656.

    Examples
    --------
    >>> import calibrant as cb
    >>> posterior = cb.Labels([[0.7, 0.3], [0.4, 0.6]], classes=["noun", "verb"])
    >>> cb.ask(posterior, ["noun", "noun"], cb.LabelIs("verb"))
    Pairs(2 pairs: 0 % positive, mean q 0.45)
    """

    about: ClassVar[type] = Labels
    label: Label

    def __post_init__(self) -> None:
        if isinstance(self.label, np.generic):
            object.__setattr__(self, "label", self.label.item())
        if not isinstance(self.label, str | int):
            raise ParameterError(
                f"label must be a string or a whole number, but it is {self.label!r}."
            )

    def pairs(self, posterior: Labels, gold: object, group: object = None) -> Pairs:
        """One pair per item."""
        column = _column(posterior, self.label)
        y = posterior.codes(gold) == column
        q = np.ascontiguousarray(posterior.probabilities[:, column])
        return Pairs(y, q, group=_groups(posterior, group))

    def keys(self, posterior: Labels) -> Keys:
        """The item of each pair."""
        return {"item": np.arange(len(posterior))}


@dataclass(frozen=True, repr=False)
class TopLabel(Query):
    """Is the most probable label correct? One question per item.

    The confidence of a classifier: q is the probability of its answer, and y is whether the answer
    is correct. Ties go to the first label. This ignores all other probabilities, and opposite
    errors of different classes cancel.

    Reference: Guo et al. (2017), arXiv:1706.04599.

    Examples
    --------
    >>> import calibrant as cb
    >>> posterior = cb.Labels([[0.7, 0.3], [0.4, 0.6]], classes=["noun", "verb"])
    >>> cb.ask(posterior, ["noun", "noun"], cb.TopLabel())
    Pairs(2 pairs: 50 % positive, mean q 0.65)
    """

    about: ClassVar[type] = Labels

    def pairs(self, posterior: Labels, gold: object, group: object = None) -> Pairs:
        """One pair per item."""
        codes = posterior.mode_codes
        q = posterior.probabilities[np.arange(len(posterior)), codes]
        y = posterior.codes(gold) == codes
        return Pairs(y, q, group=_groups(posterior, group))

    def keys(self, posterior: Labels) -> Keys:
        """The item of each pair."""
        return {"item": np.arange(len(posterior))}


@dataclass(frozen=True, repr=False)
class EveryLabel(Query):
    """Is this the label, for every class? K questions per item, in one set.

    The query that the thesis uses for taggers. The answers for one item depend on each other
    (exactly one label is correct), so each item is a group unless you give larger groups. Most
    questions are about very unlikely labels, and opposite errors of different classes cancel.

    Examples
    --------
    >>> import calibrant as cb
    >>> posterior = cb.Labels([[0.7, 0.3], [0.4, 0.6]], classes=["noun", "verb"])
    >>> cb.ask(posterior, ["noun", "noun"], cb.EveryLabel())
    Pairs(4 pairs in 2 groups: 50 % positive, mean q 0.5)
    """

    about: ClassVar[type] = Labels

    def pairs(self, posterior: Labels, gold: object, group: object = None) -> Pairs:
        """K pairs per item, item by item."""
        y = np.zeros(posterior.probabilities.shape, bool)
        y[np.arange(len(posterior)), posterior.codes(gold)] = True
        units = np.repeat(label_groups(len(posterior), group, "items"), len(posterior.names))
        return Pairs(y.ravel(), posterior.probabilities.ravel(), group=units)

    def keys(self, posterior: Labels) -> Keys:
        """The item and the label of each pair."""
        items, labels = np.arange(len(posterior)), np.asarray(posterior.names)
        return {"item": np.repeat(items, labels.size), "label": np.tile(labels, items.size)}


def _column(posterior: Labels, label: Label) -> int:
    if label in posterior.names:
        return posterior.names.index(label)
    near = nearest(str(label), map(str, posterior.names))
    hint = f" Did you mean {near!r}?" if near else ""
    raise InputError(f"There is no class {label!r} among {len(posterior.names)}.{hint}")


def _groups(posterior: Labels, group: object) -> NDArray[Any] | None:
    return None if group is None else label_groups(len(posterior), group, "items")
