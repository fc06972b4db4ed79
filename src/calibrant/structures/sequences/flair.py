"""The scores of flair's CRF, in the order that `Chain` uses."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.items import listed_items
from calibrant.errors import InputError
from calibrant.results.wording import each_of
from calibrant.structures.potentials import Potentials, as_scores, square

Float = NDArray[np.float64]
START, STOP = "<START>", "<STOP>"
FORBIDDEN = -1000.0  # flair forbids moves with -10000; training never gets there
HALF, BRAIN, SINGLE = 2.0**-9, 2.0**-6, 2.0**-20  # errors of sums: float16, bfloat16, float32


def flair_scores(scores: Sequence[object], transitions: object, tags: Sequence[str]) -> Potentials:
    """Turn transitions around, and take the start and stop tags out of the tags."""
    into = square(transitions, "transitions")
    names = [
        each.decode() if isinstance(each, bytes) else str(each)
        for each in listed_items(tags, "tags", "names, tagger.label_dictionary.get_items()")
    ]
    if len(names) != len(into):
        raise InputError(
            f"tags must name {each_of(len(into), 'row')} of transitions, but it has {len(names)}."
        )
    for mark in (START, STOP):
        if names.count(mark) != 1:
            raise InputError(
                f"tags must contain {mark} once, as the dictionary of a tagger of flair with a CRF "
                f"does, but it has it {names.count(mark)} times. For other CRF layers use "
                "Chain.from_scores."
            )
    start, stop = names.index(START), names.index(STOP)
    kept = np.array([k for k, name in enumerate(names) if name not in (START, STOP)])
    if not kept.size:
        raise InputError(f"tags must have at least one tag besides {START} and {STOP}.")
    _refuse_transposed(into, start, stop, kept)
    sentences = listed_items(scores, "scores", "matrices, one for each sentence")
    unary = [_emissions(each, into, kept, f"scores[{k}]") for k, each in enumerate(sentences)]
    return Potentials(
        unary=unary,
        move=np.ascontiguousarray(into[np.ix_(kept, kept)].T),
        first=into[kept, start],
        last=into[stop, kept],
        tags=[names[k] for k in kept.tolist()],
    )


def _emissions(given: object, into: Float, kept: NDArray[np.int64], name: str) -> Float:
    """The emissions of one sentence: as they are, or without the transitions that flair adds."""
    count = len(into)
    array = as_scores(given, name)
    if array.ndim == 3 and array.shape[1:] == (count, count):
        _check_layer(array, into, kept, name, _rounding(given))
        gentle = int(kept[np.abs(into[np.ix_(kept, kept)]).max(axis=0).argmin()])
        array = array[:, :, gentle] - into[:, gentle]  # from the tag that loses the fewest digits
    if array.ndim != 2 or array.shape[1] != count:
        raise InputError(
            f"{name} must have a row for each word and a column for each of {count} tags (or the "
            f"output of the CRF layer, words × {count} × {count}), but its shape is {array.shape}."
        )
    return array[:, kept]


def _refuse_transposed(into: Float, start: int, stop: int, kept: NDArray[np.int64]) -> None:
    """Refuse transitions from rows to columns: no sentence could begin or end."""
    entered, left = into[start, kept], into[kept, stop]  # both forbidden by flair
    begun, ended = into[kept, start], into[stop, kept]
    closed = (begun <= FORBIDDEN).all() and (ended <= FORBIDDEN).all()
    if closed and ((entered > FORBIDDEN).any() or (left > FORBIDDEN).any()):
        raise InputError(
            "transitions must have a row for the tag that is reached, but they are transposed (no "
            f"tag may follow {START} or precede {STOP}): pass transitions.T."
        )


def _rounding(given: object) -> float:
    """The relative error of sums in the precision that the scores were computed in."""
    array = arrays.as_array(given, "scores").astype(np.float32)
    with np.errstate(over="ignore"):
        if np.array_equal(array, array.astype(np.float16)):
            return HALF
    return SINGLE if (array.view(np.uint32) & 0xFFFF).any() else BRAIN


def _check_layer(
    array: Float, into: Float, kept: NDArray[np.int64], name: str, rounding: float
) -> None:
    """Check that less the transitions, the scores do not depend on the tag that is left."""
    inner = array[:, kept[:, None], kept]
    moves = into[np.ix_(kept, kept)][None]
    with np.errstate(invalid="ignore"):  # -inf less -inf, where a move is forbidden
        less = inner - moves
        size = np.where(np.isfinite(less), np.abs(inner) + np.abs(moves), np.inf)
        best = size.argmin(axis=2)[..., None]
        one, error = (np.take_along_axis(each, best, axis=2) for each in (less, size))
        bad = np.abs(less - one) > rounding * (size + error)
    if bad.any():
        word, to, other = (int(each) for each in np.argwhere(bad)[0])
        raise InputError(
            f"{name} must be emissions plus transitions, words × tag that is reached × tag that is "
            f"left, but less transitions, {name}[{word}, {kept[to]}] depends on the tag that is "
            f"left (it is {one[word, to, 0]:.6g} or {less[word, to, other]:.6g}). Pass the output "
            "of tagger.crf, or the emissions alone, words × tags."
        )
