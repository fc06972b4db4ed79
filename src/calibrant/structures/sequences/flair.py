"""The scores of flair's CRF, in the order that `Chain` uses."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.potentials import Potentials, as_scores, square

Float = NDArray[np.float64]
START, STOP = "<START>", "<STOP>"


def flair_scores(scores: Sequence[object], transitions: object, tags: Sequence[str]) -> Potentials:
    """Turn transitions around, and take the start and stop tags out of the tags."""
    into = square(transitions)
    names = [each.decode() if isinstance(each, bytes) else str(each) for each in tags]
    if len(names) != len(into):
        raise InputError(
            f"tags must name each of the {len(into)} rows of transitions, but it has {len(names)}."
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
    unary = [_emissions(each, into, kept, f"scores[{k}]") for k, each in enumerate(scores)]
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
        gentle = int(kept[np.abs(into[np.ix_(kept, kept)]).max(axis=0).argmin()])
        array = array[:, :, gentle] - into[:, gentle]  # from the tag that loses the fewest digits
    if array.ndim != 2 or array.shape[1] != count:
        raise InputError(
            f"{name} must have a row for each word and a column for each of {count} tags (or the "
            f"output of the CRF layer, words × {count} × {count}), but its shape is {array.shape}."
        )
    return array[:, kept]
