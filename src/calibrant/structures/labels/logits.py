"""Turn logits into probabilities, and refuse what already are probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.matrices import tolerance
from calibrant.errors import InputError

Float = NDArray[np.float64]


def logit_matrix(values: object, name: str = "logits") -> Float:
    """Convert to a matrix of finite numbers (or -inf) in double precision."""
    array = _floats(arrays.as_array(values, name), name)
    if array.ndim != 2:
        hint = " Choose a token of each word with word_labels." if array.ndim == 3 else ""
        raise InputError(
            f"{name} must be a matrix with a row per item and a column per class, but its shape "
            f"is {tuple(array.shape)}.{hint}"
        )
    if array.shape[1] == 1:
        raise InputError(
            f"{name} must have a column for each class, but it has one. For the logit of yes "
            f"alone, pass Pairs(y, scipy.special.expit({name}[:, 0]))."
        )
    _check_values(array, name)
    return array


def softmax(logits: Float) -> Float:
    """The probabilities of each row, in double precision."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Float = powers / powers.sum(axis=-1, keepdims=True)
    return found


def refuse_probabilities(logits: Float, dtype: Any, name: str = "logits") -> None:  # noqa: ANN401
    """Refuse rows that already sum to 1: a second softmax would flatten them."""
    kind = dtype if np.dtype(dtype).kind == "f" else np.float64
    allowed = tolerance(kind, logits.shape[1])
    if (logits >= 0).all() and (np.abs(logits.sum(axis=1) - 1) <= allowed).all():
        raise InputError(
            f"{name} must be scores before the softmax, but all rows are probabilities already "
            "(none is negative, and every row sums to 1): pass them to Labels(probabilities)."
        )


def _floats(array: NDArray[Any], name: str) -> Float:
    if array.size == 0:
        raise InputError(f"There must be at least one item, but {name} is empty.")
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name} must hold numbers, but it holds {array.dtype} values.")
    return np.asarray(array, np.float64)


def _check_values(array: Float, name: str) -> None:
    bad = ~(array < np.inf) | ~(array > -np.inf).any(axis=1, keepdims=True)
    if bad.any():
        row, column = (int(each) for each in np.argwhere(bad)[0])
        raise InputError(
            f"{name} must be finite (-inf forbids a class, but not all of a row), but "
            f"{name}[{row}, {column}] is {array[row, column]} ({int(bad.sum())} of {array.size} "
            "entries)."
        )
