"""`Labels`: what a classifier believes about the one label of each item."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.arrays import Label
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, nearest

Matrix = NDArray[Any]
Int = NDArray[np.int64]
# what exponentials and logarithms may have lost before the numbers were stored
LOST = {np.float16: 0.0, np.float32: 1e-5, np.float64: 1e-8}


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Labels:
    """The probabilities of K labels for each of n items, validated once, never changed.

    Parameters
    ----------
    probabilities
        A matrix with a row per item and a column per class, in half, single or double precision,
        which it keeps. Every row must sum to one, up to rounding. A frame of pandas, polars or
        pyarrow will do; the names of its columns are then the classes.
    classes
        The names of the columns, strings or integers. Without names, labels are the numbers of
        the columns: 0, 1, ..., K − 1.

    Notes
    -----
    The matrix is kept as it came, without a copy: do not change it afterwards.

    Rows may sum to 1 ± eps · (2 + √K): the exponential and the division of each entry are
    rounded, and so is the sum they share. Single precision may lose another 1e-5 and double
    precision 1e-8. Double precision that holds nothing but single (or half) precision numbers is
    treated as such.

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
        columns, probabilities = _from_frame(probabilities)
        matrix = _as_matrix(probabilities)
        given = columns if classes is None else classes
        names = None if given is None else _class_names(given, matrix.shape[1])
        shown: Sequence[Label] = range(matrix.shape[1]) if names is None else names
        _check_entries(matrix, shown)
        _check_sums(matrix)
        self._set(matrix, names)

    def _set(self, matrix: Matrix, names: tuple[Label, ...] | None) -> None:
        matrix = matrix.view()
        matrix.flags.writeable = False
        object.__setattr__(self, "probabilities", matrix)
        object.__setattr__(self, "classes", names)

    @classmethod
    def from_classifier(cls, model: Any, X: Any) -> Self:  # noqa: ANN401
        """What a fitted classifier of scikit-learn, or one that acts like it, says about X.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from calibrant import Labels
        >>> model = LogisticRegression().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
        >>> Labels.from_classifier(model, [[0], [3]])
        Labels(2 items, 2 classes: a, b)
        """
        name = type(model).__name__
        if not hasattr(model, "predict_proba"):
            raise InputError(
                f"{name} has no predict_proba: take a classifier that gives probabilities, or "
                "wrap it in sklearn.calibration.CalibratedClassifierCV."
            )
        if not hasattr(model, "classes_"):
            raise InputError(f"{name} has no classes_: fit it first.")
        found = model.predict_proba(X)
        if isinstance(found, list):
            raise InputError(
                f"{name} predicts {len(found)} labels for each item: pass the probabilities of "
                "one of them, Labels(model.predict_proba(X)[0], model.classes_[0])."
            )
        return cls(found, model.classes_)

    def __len__(self) -> int:
        return int(self.probabilities.shape[0])

    def __repr__(self) -> str:
        count = len(self.names)
        shown = ", ".join(map(str, self.names[:8])) + (", ..." if count > 8 else "")
        items = "1 item" if len(self) == 1 else f"{len(self)} items"
        return f"Labels({items}, {count} classes: {shown})"

    @cached_property
    def names(self) -> tuple[Label, ...]:
        """The classes, or the numbers of the columns where they have no names."""
        return tuple(range(self.probabilities.shape[1])) if self.classes is None else self.classes

    @property
    def marginals(self) -> Matrix:
        """The probability of every label, the matrix itself."""
        return self.probabilities

    @cached_property
    def mode_codes(self) -> Int:
        """The column of the most probable label of each item; of equal ones the first."""
        return np.asarray(self.probabilities.argmax(axis=1), np.int64)

    @property
    def mode(self) -> NDArray[Any]:
        """The most probable label of each item; of equally probable ones that of the first class.

        In half precision such ties are not rare.
        """
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
        reached /= reached[:, -1:]  # rows that sum to one only nearly
        drawn = [
            (reached <= generator.random(len(self))[:, None]).sum(axis=1) for _ in range(count)
        ]
        return np.asarray(np.asarray(self.names)[np.array(drawn)])

    def codes(self, gold: object) -> Int:
        """The column of each gold label."""
        labels = arrays.labels(gold, "gold")
        if labels.size != len(self):
            raise InputError(
                f"gold must have one label for each of the {len(self)} items, but it has "
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

    def including(self, labels: object) -> "Labels":
        """The posterior over these labels too: those it does not know have probability 0.

        For gold labels that a model never predicts. Items that have them stay in the data, as
        they should: every yes that the model gives to another label of theirs is wrong.

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


def _from_frame(values: object) -> tuple[list[Any] | None, object]:
    """The names of a frame's columns and its values; no names for what is no frame."""
    if not hasattr(type(values), "columns"):
        return None, values
    import narwhals

    try:
        frame = narwhals.from_native(values, eager_only=True)  # type: ignore[call-overload]
    except TypeError as error:
        raise InputError(
            f"A matrix or a frame was expected, not {type(values).__name__}: collect it first."
        ) from error
    return list(frame.columns), frame.to_numpy()


def _as_matrix(values: object) -> Matrix:
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise InputError("probabilities must have no missing values, but some are masked.")
    array = arrays.as_array(values, "probabilities")
    if array.ndim != 2:
        hint = ""
        if array.ndim == 1:
            hint = " For yes/no questions, such as a single column, pass Pairs(y, q)."
        raise InputError(
            "probabilities must be a matrix with a row per item and a column per class, but its "
            f"shape is {tuple(array.shape)}.{hint}"
        )
    if array.shape[0] == 0:
        raise InputError("There must be at least one item, but probabilities has no rows.")
    if array.shape[1] < 2:
        raise InputError(
            f"There must be at least two classes, but probabilities has {array.shape[1]} "
            "column. For the probability of yes alone pass Pairs(y, q)."
        )
    matrix = arrays.numeric(array, "probabilities", half=True)
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)


def _class_names(classes: object, count: int) -> tuple[Label, ...]:
    names = arrays.labels(classes, "classes")
    if names.dtype.kind == "f":  # what scikit-learn makes of labels 0.0, 1.0
        if (names != np.rint(names)).any():
            where = int(np.argmax(names != np.rint(names)))
            raise InputError(
                "classes must be strings or whole numbers, but "
                f"classes[{where}] is {names[where].item()!r}."
            )
        names = names.astype(np.int64)
    if names.size != count:
        raise InputError(
            f"classes must name every column, but there are {names.size} names and {count} columns."
        )
    first, times = np.unique(names, return_index=True, return_counts=True)[1:]
    if (times > 1).any():
        name = names[first[np.argmax(times > 1)]].item()
        one, other = np.flatnonzero(names == name)[:2]
        raise InputError(
            f"classes must differ, but classes[{one}] and classes[{other}] are both {name!r}."
        )
    return tuple(names.tolist())


def _check_entries(matrix: Matrix, names: Sequence[Label]) -> None:
    """Every entry lies in [0, 1]."""
    low, high = float(matrix.min()), float(matrix.max())
    if low >= 0 and high <= 1:
        return
    finite = np.isfinite(matrix)
    rule = "lie in [0, 1]" if finite.all() else "be finite"
    bad = ~((matrix >= 0) & (matrix <= 1)) if finite.all() else ~finite
    row, column = (int(each) for each in np.argwhere(bad)[0])
    what = "outside" if finite.all() else "not finite"
    many = int(bad.sum())
    advice = _entry_advice(low, high) if finite.all() else "Drop or repair those rows."
    raise InputError(
        f"probabilities must {rule}, but probabilities[{row}, {column}] (class "
        f"{names[column]!r}) is {matrix[row, column].item()!r} ({many} of {matrix.size} entries "
        f"{'is' if many == 1 else 'are'} {what}). {advice}"
    )


def _entry_advice(low: float, high: float) -> str:
    if low >= -1e-5 and high <= 1 + 1e-5:
        return "If that is rounding, clip them: numpy.clip(probabilities, 0, 1)."
    if low >= 0 and 2 < high <= 100:
        return "If these are percentages, divide them: probabilities / 100."
    if high <= 0:
        return "If these are logarithms of probabilities, take numpy.exp(probabilities)."
    return "If these are logits, convert them: scipy.special.softmax(probabilities, axis=1)."


def tolerance(dtype: Any, classes: int) -> float:  # noqa: ANN401 - any spelling of a dtype
    """How far from one a row of rounded probabilities may sum.

    Examples
    --------
    >>> [round(tolerance(each, 50), 9) for each in ("float16", "float32", "float64")]
    [0.008858465, 1.1081e-05, 1e-08]
    """
    kind = np.dtype(dtype).type
    return float(np.finfo(kind).eps) * (2 + sqrt(classes)) + LOST[kind]


def _check_sums(matrix: Matrix) -> None:
    """Every row sums to one, up to the rounding of numbers of its precision."""
    sums = matrix.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    classes = matrix.shape[1]
    if off.max() <= tolerance(matrix.dtype, classes):
        return
    dtype = _precision(matrix)
    allowed = tolerance(dtype, classes)
    if off.max() <= allowed:
        return
    bad = off > allowed
    row, many = int(np.argmax(bad)), int(bad.sum())
    raise InputError(
        f"Every row of probabilities must sum to 1 (within {allowed:.2g} for {dtype} and "
        f"{classes} classes), but row {row} sums to {sums[row]:.8g} ({many} of {sums.size} rows "
        f"{'does' if many == 1 else 'do'} not). {_sum_advice(sums)}"
    )


def _precision(matrix: Matrix) -> np.dtype[Any]:
    """The lowest precision that holds all entries exactly: arrays are often cast upwards."""
    for narrow in (np.float16, np.float32):
        if matrix.dtype.itemsize > np.dtype(narrow).itemsize and np.array_equal(
            matrix, matrix.astype(narrow)
        ):
            return np.dtype(narrow)
    return matrix.dtype


def _sum_advice(sums: NDArray[np.float64]) -> str:
    if np.abs(sums - 1).max() < 0.01:
        return (
            "If they were rounded, divide by their sums: "
            "probabilities / probabilities.sum(axis=1, keepdims=True)."
        )
    return (
        "If these are logits, convert them: scipy.special.softmax(probabilities, axis=1); if "
        "several labels can be true at once, ask about each column with Pairs(y, q)."
    )
