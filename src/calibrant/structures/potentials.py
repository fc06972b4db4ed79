"""Check the scores of tags."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError

Float = NDArray[np.float64]


class Potentials(NamedTuple):
    """The arguments of `Chain.from_scores`."""

    unary: Sequence[object]
    move: Float
    first: Float | None
    last: Float | None
    tags: Sequence[str] | None


class Checked(NamedTuple):
    """The fields of a `Chain`."""

    start: NDArray[np.int64]
    score: Float
    move: Float
    first: Float
    last: Float
    tags: tuple[str, ...]


def checked_potentials(
    unary: Sequence[object],
    move: object,
    first: object,
    last: object,
    tags: Sequence[str] | None,
) -> Checked:
    """The scores of all sentences in one array, and the names of the tags."""
    moves = square(move)
    count = moves.shape[0]
    sentences = [sentence_scores(each, f"unary[{k}]", count) for k, each in enumerate(unary)]
    if not sentences:
        raise InputError("There must be at least one sentence.")
    return Checked(
        start=np.concatenate([[0], np.cumsum([each.shape[0] for each in sentences])]),
        score=np.concatenate(sentences),
        move=moves,
        first=end_scores(first, "first", count),
        last=end_scores(last, "last", count),
        tags=tag_names(tags, count),
    )


def as_scores(values: object, name: str, held: str = "finite scores or -inf") -> Float:
    """Convert scores to an array of floats; refuse +∞ and NaN."""
    if values is None:
        raise InputError(f"{name} must hold {held}, but it is None.")
    array = arrays.as_array(values, name)
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name} must hold numbers, but it holds {array.dtype} values.")
    array = np.ascontiguousarray(array, np.float64)
    bad = ~(array < np.inf)
    if bad.any():
        at = tuple(int(each[0]) for each in np.nonzero(bad))
        raise InputError(
            f"{name} must hold {held}, but {name}{list(at)} is {array[at]} "
            f"({int(bad.sum())} of {array.size})."
        )
    return array


def square(values: object, name: str = "move") -> Float:
    """Check the scores of moves from tag to tag."""
    moves = as_scores(values, name)
    if moves.ndim != 2 or moves.shape[0] != moves.shape[1] or moves.size == 0:
        raise InputError(
            f"{name} must be a square matrix of tags by tags, but its shape is {moves.shape}."
        )
    return moves


def sentence_scores(values: object, name: str, count: int) -> Float:
    """Check the scores of one sentence, with a row for each token."""
    given = arrays.as_array(values, name)
    array = as_scores(given if given.size else np.zeros((0, count)), name)
    if array.ndim != 2 or array.shape[1] != count:
        raise InputError(
            f"{name} must have a row for each token and a column for each of {count} tags, but its "
            f"shape is {array.shape}."
        )
    return array


def end_scores(values: object, name: str, count: int) -> Float:
    """Check the scores of first or last tags (default: 0)."""
    if values is None:
        return np.zeros(count)
    array = as_scores(values, name)
    if array.shape != (count,):
        raise InputError(f"{name} must have {count} scores, but its shape is {array.shape}.")
    return array


def tag_names(tags: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Check the names of the tags, which must differ."""
    names = tuple(map(str, range(count))) if tags is None else tuple(map(str, tags))
    if len(names) != count:
        are = "is 1 name" if len(names) == 1 else f"are {len(names)} names"
        raise InputError(f"tags must name each of the {count} tags of move, but there {are}.")
    if len(set(names)) < count:
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"tags must be distinct, but {twice!r} occurs more than once.")
    return names
