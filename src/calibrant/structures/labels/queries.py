"""Queries about the label of each item."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import Label
from calibrant.checks.items import listed_items
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError, nearest
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.gold import label_groups
from calibrant.structures.labels.labels import Labels
from calibrant.structures.query import Keys, Query
from calibrant.structures.ties import without_noise


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

    def tallies(
        self,
        posterior: Labels,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """One unit per item; the best guess is yes if this is the most probable label."""
        column = _column(posterior, self.label)
        q = np.asarray(posterior.probabilities[:, column], np.float64)
        y = None if gold is None else _known_answers(posterior, gold, column)
        best = posterior.mode_codes == column
        return Tallies.of_rows(q, y, best=best, group=_groups(posterior, group), by=by)

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
class TopK(Query):
    """Is the label among the k most probable? One question per item.

    q is the sum of their probabilities, the confidence of a model that may give k answers. Of
    labels with equal probabilities, the one whose name comes first is taken (in the order of
    strings or numbers), so the order of the columns does not matter. k must be less than the
    number of classes; otherwise the answer is always yes.

    Reference: Gupta et al. (2021), arXiv:2006.12800.

    Examples
    --------
    >>> import calibrant as cb
    >>> posterior = cb.Labels([[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]], classes=["noun", "verb", "other"])
    >>> cb.ask(posterior, ["verb", "noun"], cb.TopK(2))
    Pairs(2 pairs: 50 % positive, mean q 0.85)
    """

    about: ClassVar[type] = Labels
    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number("k", self.k, 1))

    def pairs(self, posterior: Labels, gold: object, group: object = None) -> Pairs:
        """One pair per item."""
        count = len(posterior.names)
        if self.k >= count:
            raise InputError(
                f"k must be less than the number of classes, but k is {self.k} and there are "
                f"{count} classes."
            )
        by_name = np.argsort(np.asarray(posterior.names), kind="stable")
        matrix = posterior.probabilities[:, by_name]
        top = np.argsort(-matrix, axis=1, kind="stable")[:, : self.k]
        y = (by_name[top] == posterior.codes(gold)[:, None]).any(axis=1)
        parts = np.take_along_axis(matrix, top, axis=1).astype(np.float64)
        q = without_noise(parts.sum(axis=1))  # rows may sum to 1 only approximately
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
        units = np.repeat(label_groups(len(posterior), group, "item"), len(posterior.names))
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


def _known_answers(posterior: Labels, gold: object, column: int) -> NDArray[np.float64]:
    """Whether each item has the label of a column; NaN for items whose gold is None."""
    items = listed_items(gold, "gold", "labels")
    known = np.array([each is not None for each in items])
    if known.all():
        return np.asarray(posterior.codes(gold) == column, np.float64)
    if len(items) != len(posterior):
        raise InputError(
            f"gold must have one label, or None, for each of the {len(posterior)} items, but it "
            f"has {len(items)}."
        )
    y = np.full(len(items), np.nan)
    if known.any():
        rows = Labels(posterior.probabilities[known], posterior.classes)
        y[known] = rows.codes([each for each in items if each is not None]) == column
    return y


def _groups(posterior: Labels, group: object) -> NDArray[Any] | None:
    return None if group is None else label_groups(len(posterior), group, "item")
