"""Check matrices of antecedents, one for each document."""

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.structures.potentials import as_scores

Float = NDArray[np.float64]
CLOSE = 1e-6  # tolerance for the sum of a row, enough for float32 probabilities


def square_matrix(values: object, name: str) -> Float:
    """Check a square matrix of scores; errors name the matrix."""
    given = arrays.as_array(values, name)
    matrix = as_scores(given if given.size else np.zeros((0, 0)), name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"{name} must be square, with a row and a column for each mention, but its shape is "
            f"{matrix.shape}."
        )
    return matrix


def check_probabilities(matrix: Float, name: str) -> None:
    """Refuse rows that are not probabilities of earlier mentions and of a new entity."""
    bad = np.argwhere(~((matrix >= 0) & (matrix <= 1 + CLOSE)))
    if len(bad):
        j, k = bad[0]
        raise InputError(
            f"{name} must hold probabilities, but {name}[{j}, {k}] is {matrix[j, k]:g} "
            f"({len(bad)} of {matrix.size}). If these are scores, use Links.from_scores."
        )
    later = np.argwhere(np.triu(matrix, 1) != 0)
    if len(later):
        j, k = later[0]
        raise InputError(
            f"{name} must be 0 above the diagonal, but {name}[{j}, {k}] is {matrix[j, k]:g}: "
            f"mention {j} cannot continue a later one. Column {j} is for a new entity."
        )
    total = matrix.sum(axis=1)
    off = np.flatnonzero(~(np.abs(total - 1) <= CLOSE))
    if off.size:
        raise InputError(
            f"Each row of {name} must sum to 1, but row {off[0]} sums to {total[off[0]]:.6g} "
            f"({off.size} of {len(matrix)} rows). The probability of a new entity, on the "
            "diagonal, is part of the sum."
        )
