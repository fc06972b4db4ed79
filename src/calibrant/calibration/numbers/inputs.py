"""Check the inputs of numeric predictions: finite vectors, and matrices with a row each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError

Float = NDArray[np.float64]


def finite_vector(values: object, name: str) -> Float:
    """Check a non-empty vector of finite numbers."""
    array = arrays.numeric(arrays.vector(values, name), name)
    if array.size == 0:
        raise InputError(f"There must be at least one observation, but {name} is empty.")
    _check_finite(array, name)
    return array.astype(np.float64, copy=False)


def one_or_each(values: object, name: str, n: int) -> Float:
    """A vector of n finite numbers; a single number is repeated n times."""
    given: Any = values  # anything array-like
    array = finite_vector(np.full(n, given) if np.ndim(given) == 0 else given, name)
    check_rows(n, **{name: array})
    return array


def finite_matrix(values: object, name: str, rows: int) -> Float:
    """Check a matrix of finite numbers with a row per observation."""
    arrays.refuse_missing(values, name)
    array = arrays.as_array(values, name)
    if array.ndim != 2:
        raise InputError(
            f"{name} must be a matrix with a row per observation, but its shape is "
            f"{tuple(array.shape)}."
        )
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} must hold numbers, but it holds {array.dtype} values.")
    if array.shape[0] != rows:
        hint = f" Pass {name}.T." if array.shape[1] == rows else ""
        raise InputError(
            f"{name} must have a row for each of the {rows} observations, but its shape is "
            f"{tuple(array.shape)}.{hint}"
        )
    _check_finite(array, name)
    return array.astype(np.float64, copy=False)


def _check_finite(array: NDArray[Any], name: str) -> None:
    bad = ~np.isfinite(array)
    if not bad.any():
        return
    where = ", ".join(str(int(k)) for k in np.argwhere(bad)[0])
    value = array[tuple(np.argwhere(bad)[0])].item()
    raise InputError(
        f"{name} must be finite, but {name}[{where}] is {value!r} ({int(bad.sum())} of "
        f"{array.size} values are not). Drop or repair those rows."
    )


def check_rows(n: int, **columns: NDArray[Any]) -> None:
    """Check that every column has n values."""
    for name, column in columns.items():
        if column.shape[0] != n:
            raise InputError(
                f"{name} must have one value for each of the {n} observations, but it has "
                f"{column.shape[0]}."
            )


def check_levels(values: object, name: str) -> Float:
    """Check levels: strictly between 0 and 1, in increasing order."""
    levels = finite_vector(values, name)
    outside = ~((levels > 0) & (levels < 1))
    if outside.any():
        found = arrays.describe(levels, outside, name, "not")
        hint = f" For percentages pass {name} / 100." if 1 < levels.max() <= 100 else ""
        raise InputError(f"{name} must lie strictly between 0 and 1, but {found}.{hint}")
    stuck = np.flatnonzero(np.diff(levels) <= 0)
    if stuck.size:
        k = int(stuck[0])
        raise InputError(
            f"{name} must increase, but {name}[{k}] is {levels[k]:g} and {name}[{k + 1}] is "
            f"{levels[k + 1]:g}. Sort them, and the columns of the quantiles with them."
        )
    return levels


def check_quantiles(quantiles: Float, levels: Float) -> None:
    """Check that there is a column per level and that no row decreases."""
    if quantiles.shape[1] != levels.size:
        raise InputError(
            f"quantiles must have a column for each of the {levels.size} levels, but its shape is "
            f"{tuple(quantiles.shape)}."
        )
    falls = np.diff(quantiles, axis=1) < 0
    if not falls.any():
        return
    row, k = (int(each) for each in np.argwhere(falls)[0])
    raise InputError(
        f"Predicted quantiles must not cross, but quantiles[{row}, {k}] is "
        f"{quantiles[row, k]:g} at level {levels[k]:g} and quantiles[{row}, {k + 1}] is "
        f"{quantiles[row, k + 1]:g} at level {levels[k + 1]:g} ({int(falls.any(axis=1).sum())} of "
        f"{quantiles.shape[0]} rows cross). Sort each row: numpy.sort(quantiles, axis=1)."
    )


def check_probabilities(values: Float, name: str) -> None:
    """Check that every value of a distribution function lies in [0, 1]."""
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        found = arrays.describe(values, outside, name, "outside")
        raise InputError(
            f"{name} must lie in [0, 1], but {found}. Pass the distribution function at y, not "
            "the density or y itself."
        )
