"""`Labels`: the posterior of a classifier over the label of each item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.arrays import Label
from calibrant.checks.matrices import (
    Matrix,
    as_matrix,
    checked_rows,
    class_names,
    columns_and_values,
)
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, nearest
from calibrant.pairs.estimators import class_probabilities
from calibrant.results.wording import each_of
from calibrant.structures.labels.categories import category_scores
from calibrant.structures.labels.logits import logit_matrix, refuse_probabilities, softmax

Int = NDArray[np.int64]
SHOWN = 8  # maximum number of classes to print


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Labels:
    """The probabilities of K labels for each of n items, validated once, never changed.

    Parameters
    ----------
    probabilities
        A matrix with a row per item and a column per class, in half, single or double precision,
        which is preserved. Every row must sum to 1, up to rounding. You can also pass a pandas,
        polars or pyarrow frame; its column names become the classes.
    classes
        The names of the columns, strings or integers (default: the numbers of the columns, 0, 1,
        ..., K − 1).

    Notes
    -----
    The matrix is not copied: do not change it afterwards.

    Rows may sum to 1 ± eps · (2 + √K): the exponential and the division of each entry are
    rounded, and so is the sum they share. Single precision may lose another 1e-3, because neural
    networks compute with fast approximations, and double precision 1e-8. Double precision that
    holds only single (or half) precision numbers is treated as such. Rows are kept as they are,
    not rescaled; an entry outside [0, 1] by no more than that is clipped.

    Examples
    --------
    >>> from calibrant import Labels
    >>> posterior = Labels([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], classes=["noun", "verb", "other"])
    >>> posterior
    Labels(2 items, 3 classes: noun, verb, other)
    >>> posterior.mode
    array(['noun', 'other'], dtype='<U5')
    """

    probabilities: Matrix
    classes: tuple[Label, ...] | None

    def __init__(self, probabilities: object, classes: object = None) -> None:
        columns, probabilities = columns_and_values(probabilities)
        matrix = as_matrix(probabilities)
        given = columns if classes is None else classes
        names = None if given is None else class_names(given, matrix.shape[1])
        shown: Sequence[Label] = range(matrix.shape[1]) if names is None else names
        self._set(checked_rows(matrix, shown), names)

    def _set(self, matrix: Matrix, names: tuple[Label, ...] | None) -> None:
        matrix = matrix.view()
        matrix.flags.writeable = False
        object.__setattr__(self, "probabilities", matrix)
        object.__setattr__(self, "classes", names)

    @classmethod
    def from_classifier(cls, model: Any, X: Any) -> Self:  # noqa: ANN401
        """The predictions of a fitted scikit-learn classifier for X.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from calibrant import Labels
        >>> model = LogisticRegression().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
        >>> Labels.from_classifier(model, [[0], [3]])
        Labels(2 items, 2 classes: a, b)
        """
        return cls(*class_probabilities(model, X))

    @classmethod
    def from_logits(cls, logits: object, classes: object = None) -> Self:
        """The softmax of logits, row by row, in double precision.

        For the output of a neural classifier before its softmax, such as the `logits` of a
        sequence classifier of transformers. Probabilities are refused: a second softmax would
        flatten them.

        Parameters
        ----------
        logits
            A matrix with a row per item and a column per class: an array, a tensor, or a frame,
            whose column names become the classes. Minus infinity forbids a class.
        classes
            The names of the columns, as in `Labels`.

        Examples
        --------
        >>> from calibrant import Labels
        >>> Labels.from_logits([[2.0, 0.0], [0.0, 1.0]], ["good", "bad"]).probabilities.round(2)
        array([[0.88, 0.12],
               [0.27, 0.73]])
        """
        columns, values = columns_and_values(logits)
        given = arrays.as_array(values, "logits")
        matrix = logit_matrix(given)
        refuse_probabilities(matrix, given.dtype)
        return cls(softmax(matrix), columns if classes is None else classes)

    @classmethod
    def from_cats(cls, cats: Sequence[Mapping[str, float]]) -> Self:
        """The categories of texts, one of which is true, as mappings from names to scores.

        For `doc.cats` of spaCy's `textcat`. The categories of `textcat_multilabel` do not exclude
        each other and are refused: use `calibrant.outputs.category_pairs`.

        Examples
        --------
        >>> from calibrant import Labels
        >>> Labels.from_cats([{"sport": 0.7, "news": 0.3}, {"sport": 0.1, "news": 0.9}])
        Labels(2 items, 2 classes: sport, news)
        """
        return cls(*category_scores(cats))

    def __len__(self) -> int:
        return int(self.probabilities.shape[0])

    def __repr__(self) -> str:
        count = len(self.names)
        shown = ", ".join(map(str, self.names[:SHOWN])) + (", ..." if count > SHOWN else "")
        items = "1 item" if len(self) == 1 else f"{len(self)} items"
        return f"Labels({items}, {count} classes: {shown})"

    @cached_property
    def names(self) -> tuple[Label, ...]:
        """The classes, or the numbers of the columns if they have no names."""
        return tuple(range(self.probabilities.shape[1])) if self.classes is None else self.classes

    @property
    def marginals(self) -> Matrix:
        """The probability of every label, the matrix itself."""
        return self.probabilities

    @cached_property
    def mode_codes(self) -> Int:
        """The column of the most probable label of each item; the first of ties."""
        return np.asarray(self.probabilities.argmax(axis=1), np.int64)

    @property
    def mode(self) -> NDArray[Any]:
        """The most probable label of each item; the first of ties."""
        return np.asarray(self.names)[self.mode_codes]

    def sample(self, count: int = 1, seed: int = 0) -> NDArray[Any]:
        """Labels drawn from the posterior: `count` rows with a label for every item.

        Examples
        --------
        >>> Labels([[0.5, 0.5], [0.0, 1.0]], classes=["a", "b"]).sample(3, seed=1)
        array([['b', 'b'],
               ['a', 'b'],
               ['a', 'b']], dtype='<U1')
        """
        count = whole_number("count", count, 1)
        generator = np.random.default_rng(whole_number("seed", seed, 0))
        reached = np.cumsum(self.probabilities, axis=1, dtype=np.float64)
        reached /= reached[:, -1:]  # rows may sum to 1 only approximately
        drawn = [
            (reached <= generator.random(len(self))[:, None]).sum(axis=1) for _ in range(count)
        ]
        return np.asarray(np.asarray(self.names)[np.array(drawn)])

    def codes(self, gold: object) -> Int:
        """The column of each gold label."""
        labels = arrays.labels(gold, "gold")
        if labels.size != len(self):
            raise InputError(
                f"gold must have one label for {each_of(len(self), 'item')}, but it has "
                f"{labels.size}."
            )
        codes, known = self._find(labels)
        if not known.all():
            raise InputError(
                f"gold must be among the {len(self.names)} classes, but "
                f"{arrays.describe(labels, ~known, 'gold', 'not')}.{self._advice(labels[~known])}"
            )
        return codes

    def _find(self, labels: NDArray[Any]) -> tuple[Int, NDArray[np.bool_]]:
        """The column of each label, and whether there is one."""
        classes = np.asarray(self.names)
        text = [each.dtype.kind in "UST" for each in (labels, classes)]
        if labels.dtype.kind == "f":
            raise InputError(
                f"gold must hold class names or whole numbers, but gold[0] is {labels[0]!r} "
                f"({labels.dtype}). Convert it: numpy.asarray(gold).astype(int)."
            )
        if text[0] and self.classes is None:
            raise InputError(
                f"gold holds names (gold[0] is {str(labels[0])!r}), but the columns have none: "
                "pass Labels(probabilities, classes=[...])."
            )
        if text[0] != text[1]:
            raise InputError(
                f"gold must hold the names of classes, but gold[0] is {labels[0].item()!r} and "
                f"the first class is {self.names[0]!r}."
            )
        order = np.argsort(classes, kind="stable")
        at = np.searchsorted(classes, labels, sorter=order)
        codes = order[np.minimum(at, classes.size - 1)]
        return codes, np.asarray(classes[codes] == labels)

    def _advice(self, unknown: NDArray[Any]) -> str:
        if self.classes is None and (unknown == len(self.names)).all():
            return " Columns are numbered from 0: if labels count from 1, pass gold - 1."
        near = nearest(str(unknown[0]), map(str, self.names))
        meant = "" if near is None or self.classes is None else f" The nearest is {near!r}."
        return f"{meant} If the model cannot predict them, pass posterior.including(gold)."

    def with_probabilities(self, probabilities: object) -> Self:
        """The same classes with other probabilities, one row for each item.

        Examples
        --------
        >>> Labels([[0.9, 0.1]], ["a", "b"]).with_probabilities([[0.8, 0.2]]).probabilities
        array([[0.8, 0.2]])
        """
        made = type(self)(probabilities, self.classes)
        if made.probabilities.shape != self.probabilities.shape:
            raise InputError(
                f"probabilities must have the shape {self.probabilities.shape}, but it is "
                f"{made.probabilities.shape}."
            )
        return made

    def including(self, labels: object) -> "Labels":
        """Extend the posterior to these labels; unknown labels get probability 0.

        Use it for gold labels that a model never predicts. Their items should stay in the data:
        every label that the model gives them is wrong.

        Examples
        --------
        >>> Labels([[0.9, 0.1]], classes=["a", "b"]).including(["c"])
        Labels(1 item, 3 classes: a, b, c)
        """
        given = arrays.labels(labels, "labels")
        if given.size == 0:
            return self
        _, known = self._find(given)
        extra = tuple(np.unique(given[~known]).tolist())
        if not extra:
            return self
        zeros = np.zeros((len(self), len(extra)), self.probabilities.dtype)
        wider = object.__new__(type(self))
        wider._set(np.concatenate([self.probabilities, zeros], axis=1), self.names + extra)
        return wider
