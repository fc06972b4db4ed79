"""Check matrices of antecedents, one for each document."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.structures.potentials import as_scores

Float = NDArray[np.float64]
MASKED = -9999.0  # fastcoref masks a choice with -10000
NEAR = 1e-3  # of a sum to 1, for probabilities in half precision too
CLOSE = 1e-6  # tolerance for the sum of a row, enough for float32 probabilities


def square_matrix(values: object, name: str, held: str = "finite scores or -inf") -> Float:
    """Check a square matrix of scores; errors name the matrix."""
    given = arrays.as_array(values, name)
    matrix = as_scores(given if given.size else np.zeros((0, 0)), name, held)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"{name} must be square, with a row and a column for each mention, but its shape is "
            f"{matrix.shape}."
        )
    return matrix


def score_matrix(values: object, name: str) -> Float:
    """Check scores that are square, or have one more column for a new entity."""
    matrix = as_scores(values, name)
    count = len(matrix)
    if matrix.ndim != 2 or matrix.shape[1] != count + 1:
        return square_matrix(values, name)
    _refuse_padding(matrix, name)
    scores = np.ascontiguousarray(matrix[:, :count])
    np.fill_diagonal(scores, matrix[:, count])
    return scores


def _refuse_padding(matrix: Float, name: str) -> None:
    """Refuse mentions that only fill up a batch: all their antecedents are masked."""
    count = len(matrix)
    earlier = np.tril(np.ones((count, count), bool), -1)
    possible = ((matrix[:, :count] > MASKED) & earlier).any(axis=1)
    kept = 1 + int(np.flatnonzero(possible).max(initial=0))
    if kept < count:
        raise InputError(
            f"{name} must hold mentions alone, but the last {count - kept} of {count} rows have "
            f"only masked antecedents, like the rows that pad a batch. Take the first {kept} "
            "mentions and the last column: "
            f"matrix[:{kept}, [*range({kept}), -1]]."
        )


def refuse_normalised(documents: Sequence[Float]) -> None:
    """Refuse scores that are probabilities already: a second softmax would flatten them."""
    if all(len(each) < 2 for each in documents):  # a single choice may have any score
        return
    for matrix in documents:
        choices = np.tril(matrix)
        if not ((choices >= 0).all() and (np.abs(choices.sum(axis=1) - 1) <= NEAR).all()):
            return
    raise InputError(
        "matrices must hold scores before the softmax, but all rows are probabilities already "
        "(none is negative, and every row sums to 1): use Links.from_probabilities."
    )


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
            "diagonal, is part of the sum. If each entry is a sigmoid of its own, as in maverick, "
            "a row is not a distribution over antecedents: ask about each link with Pairs(y, q)."
        )
