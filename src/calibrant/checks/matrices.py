"""Check matrices of probabilities, with a row per item and a column per class."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.arrays import Label
from calibrant.errors import InputError

Matrix = NDArray[Any]
# Tolerance for errors of probabilities beyond the rounding of each entry. Neural networks compute
# in single precision with fast approximations, and published outputs have rows that sum to
# 1.00002. Logits would miss a sum of 1 by far more than 1e-3.
LOST = {np.float16: 0.0, np.float32: 1e-3, np.float64: 1e-8}
NEAR = 0.01  # smaller errors suggest rounded probabilities, not logits


def columns_and_values(values: object) -> tuple[list[Any] | None, object]:
    """The column names and values of a frame; no names for other inputs."""
    if not hasattr(type(values), "columns"):
        return None, values
    import narwhals

    given: Any = values
    try:
        frame = narwhals.from_native(given, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"A matrix or a frame was expected, not {type(values).__name__}: collect it first."
        ) from error
    return list(frame.columns), frame.to_numpy()


def as_matrix(values: object) -> Matrix:
    """Convert to a matrix of numbers with a row per item and a column per class."""
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
        columns = "1 column" if array.shape[1] else "0 columns"
        raise InputError(
            f"There must be at least two classes, but probabilities has {columns}. For the "
            "probability of yes alone pass Pairs(y, q)."
        )
    matrix = arrays.numeric(array, "probabilities", half=True)
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)


def class_names(classes: object, count: int) -> tuple[Label, ...]:
    """Check the names of the columns, which must differ."""
    names = arrays.labels(classes, "classes")
    if names.dtype.kind == "f":  # scikit-learn returns labels such as 0.0 and 1.0
        if (names != np.rint(names)).any():
            where = int(np.argmax(names != np.rint(names)))
            raise InputError(
                "classes must be strings or whole numbers, but "
                f"classes[{where}] is {names[where].item()!r}."
            )
        names = names.astype(np.int64)
    if names.size != count:
        raise InputError(
            f"classes must name every column, but there {'is' if names.size == 1 else 'are'} "
            f"{names.size} name{'s' * (names.size != 1)} and {count} columns."
        )
    first, times = np.unique(names, return_index=True, return_counts=True)[1:]
    if (times > 1).any():
        name = names[first[np.argmax(times > 1)]].item()
        one, other = np.flatnonzero(names == name)[:2]
        raise InputError(
            f"classes must differ, but classes[{one}] and classes[{other}] are both {name!r}."
        )
    return tuple(names.tolist())


def tolerance(dtype: Any, classes: int) -> float:  # noqa: ANN401 - any spelling of a dtype
    """The tolerance for rounding in row sums and entries.

    Examples
    --------
    >>> [round(tolerance(each, 50), 9) for each in ("float16", "float32", "float64")]
    [0.008858465, 0.001001081, 1e-08]
    """
    kind = np.dtype(dtype).type
    return float(np.finfo(kind).eps) * (2 + sqrt(classes)) + LOST[kind]


def checked_rows(matrix: Matrix, names: Sequence[Label]) -> Matrix:
    """Check that entries lie in [0, 1] and rows sum to 1, up to rounding.

    Entries outside [0, 1] by no more than rounding are clipped; rows are not rescaled.
    """
    low, high = float(matrix.min()), float(matrix.max())
    sums = matrix.sum(axis=1, dtype=np.float64)
    beyond = max(-low, high - 1, 0.0)
    off = max(beyond, float(np.abs(sums - 1).max()))
    dtype, classes = matrix.dtype, matrix.shape[1]
    if not off <= tolerance(dtype, classes):
        dtype = _precision(matrix)
    allowed = tolerance(dtype, classes)
    if not beyond <= allowed:
        _refuse_entries(matrix, names)
    if not off <= allowed:
        _refuse_sums(sums, dtype, classes)
    return matrix.clip(0, 1) if beyond > 0 else matrix


def _precision(matrix: Matrix) -> np.dtype[Any]:
    """The lowest precision that holds all entries exactly: arrays are often cast upwards."""
    for narrow in (np.float16, np.float32):
        if matrix.dtype.itemsize > np.dtype(narrow).itemsize and _fits(matrix, narrow):
            return np.dtype(narrow)
    return matrix.dtype


def _fits(matrix: Matrix, narrow: type[np.floating[Any]]) -> bool:
    with np.errstate(over="ignore"):  # values that are too large become infinite, and so differ
        return np.array_equal(matrix, matrix.astype(narrow))


def _refuse_entries(matrix: Matrix, names: Sequence[Label]) -> None:
    finite = np.isfinite(matrix)
    bad = ~((matrix >= 0) & (matrix <= 1)) if finite.all() else ~finite
    rule, what = ("lie in [0, 1]", "outside") if finite.all() else ("be finite", "not finite")
    advice = "Drop or repair those rows."
    if finite.all():
        advice = _entry_advice(float(matrix.min()), float(matrix.max()))
    row, column = (int(each) for each in np.argwhere(bad)[0])
    many = int(bad.sum())
    raise InputError(
        f"probabilities must {rule}, but probabilities[{row}, {column}] (class "
        f"{names[column]!r}) is {matrix[row, column].item()!r} ({many} of {matrix.size} entries "
        f"{'is' if many == 1 else 'are'} {what}). {advice}"
    )


def _entry_advice(low: float, high: float) -> str:
    if low >= -NEAR and high <= 1 + NEAR:
        return "If that is rounding, clip them: numpy.clip(probabilities, 0, 1)."
    if low >= 0 and 2 < high <= 100:
        return "If these are percentages, divide them: probabilities / 100."
    if high <= 0:
        return (
            "If these are log-likelihoods of the choices, or logarithms of probabilities, "
            "normalise each row: scipy.special.softmax(probabilities, axis=1)."
        )
    return "If these are logits, convert them: scipy.special.softmax(probabilities, axis=1)."


def _refuse_sums(sums: NDArray[np.float64], dtype: np.dtype[Any], classes: int) -> None:
    allowed = tolerance(dtype, classes)
    bad = ~(np.abs(sums - 1) <= allowed)
    row, many = int(np.argmax(bad)), int(bad.sum())
    raise InputError(
        f"Every row of probabilities must sum to 1 (within {allowed:.2g} for {dtype} and "
        f"{classes} classes), but row {row} sums to {sums[row]:.8g} ({many} of {sums.size} "
        f"row{'s' * (sums.size != 1)} {'does' if many == 1 else 'do'} not). {_sum_advice(sums)}"
    )


def _sum_advice(sums: NDArray[np.float64]) -> str:
    if np.abs(sums - 1).max() < NEAR:
        return (
            "If they were rounded, divide by their sums: "
            "probabilities / probabilities.sum(axis=1, keepdims=True)."
        )
    return (
        "If these are logits, convert them: scipy.special.softmax(probabilities, axis=1). If "
        "several labels can be true at once, ask about each column with Pairs(y, q)."
    )
