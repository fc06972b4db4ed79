"""Convert the probabilities of a hidden Markov model to scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.structures.potentials import Potentials

Float = NDArray[np.float64]
# about ten rounding errors of float32, in which probabilities are often stored
ROUNDING = 1e-6


def hmm_scores(
    first: object,
    move: object,
    likelihoods: Sequence[object],
    last: object,
    tags: Sequence[str] | None,
) -> Potentials:
    """Check the probabilities and take their logarithms."""
    begins, moves = _probabilities(first, "first"), _probabilities(move, "move")
    count = begins.size
    if begins.ndim != 1 or count == 0:
        raise InputError(f"first must have a value for each tag, but its shape is {begins.shape}.")
    if moves.shape != (count, count):
        raise InputError(
            f"move must have a row and a column for each of the {count} tags of first, but its "
            f"shape is {moves.shape}."
        )
    _check_first(begins)
    closes = None if last is None else _probabilities(last, "last")
    if closes is not None and closes.shape != (count,):
        raise InputError(f"last must have {count} values, but its shape is {closes.shape}.")
    _check_rows(moves, closes)
    unary = [_logs(_likelihoods(each, k)) for k, each in enumerate(likelihoods)]
    ends = None if closes is None else _logs(closes)
    return Potentials(unary, _logs(moves), _logs(begins), ends, tags)


def _likelihoods(values: object, index: int) -> Float:
    advice = (
        "If these are logarithms, pass Chain.from_scores(likelihoods, numpy.log(move), "
        "first=numpy.log(first))."
    )
    return _probabilities(values, f"likelihoods[{index}]", advice)


def _probabilities(
    values: object, name: str, advice: str = "If these are logarithms, pass numpy.exp({name})."
) -> Float:
    """Check that numbers are not negative; densities may exceed 1."""
    array = arrays.as_array(values, name)
    if array.size and array.dtype.kind not in "fiu":
        raise InputError(f"{name} must hold numbers, but it holds {array.dtype} values.")
    array = array.astype(np.float64)
    bad = ~((array >= 0) & (array < np.inf))
    if bad.any():
        at = tuple(int(each[0]) for each in np.nonzero(bad))
        hint = advice.format(name=name) if (array < 0).any() else "Drop or repair it."
        raise InputError(
            f"{name} must hold probabilities, but {name}{list(at)} is {array[at]} "
            f"({int(bad.sum())} of {array.size}). {hint}"
        )
    return array


def _check_first(first: Float) -> None:
    if abs(first.sum() - 1) > ROUNDING:
        raise InputError(f"first must sum to 1, but it sums to {first.sum():.8g}.")


def _check_rows(move: Float, last: Float | None) -> None:
    """Check that the probabilities of what follows a tag, including the end, sum to 1."""
    sums = move.sum(axis=1) + (0.0 if last is None else last)
    bad = np.abs(sums - 1) > ROUNDING
    if not bad.any():
        return
    rule = "" if last is None else " together with its value of last"
    row = int(np.argmax(bad))
    raise InputError(
        f"Every row of move must{rule} sum to 1, but row {row} sums to {sums[row]:.8g} "
        f"({int(bad.sum())} of {sums.size} do not).{_row_advice(move, last)}"
    )


def _row_advice(move: Float, last: Float | None) -> str:
    if last is not None and (np.abs(move.sum(axis=1) - 1) <= ROUNDING).all():
        return " Without last they do: leave it out."
    if last is None and (np.abs(move.sum(axis=0) - 1) <= ROUNDING).all():
        return " Its columns do: pass move.T."
    return ""


def _logs(values: Float) -> Float:
    with np.errstate(divide="ignore"):  # the log of 0 is -inf: impossible
        return np.asarray(np.log(values))
