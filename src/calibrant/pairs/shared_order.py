"""Put the questions of several models in one order that does not depend on the input."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.pairs import Pairs


def in_shared_order(models: Mapping[str, Pairs]) -> dict[str, Pairs]:
    """Order the units of resampling (groups or rows) by their contents in all models.

    Each replicate draws the k-th group or row of every model, so its number must not depend on
    the order of rows or on the labels of groups.
    """
    first = next(iter(models.values()))
    if first.codes is None:
        answers = [pairs.y for pairs in models.values()]  # they differ if models have their own
        columns = [*answers, *_weights(first), *(pairs.q for pairs in models.values())]
        order = np.lexsort(columns[::-1])
        return {name: pairs.take(order) for name, pairs in models.items()}
    contents = zip(*(_contents(pairs) for pairs in models.values()), strict=True)
    ranked = sorted((content, code) for code, content in enumerate(contents))
    place = np.argsort([code for _, code in ranked])
    return {name: pairs.with_group(place[pairs.codes]) for name, pairs in models.items()}


def _weights(pairs: Pairs) -> list[NDArray[Any]]:
    return [] if pairs.weight is None else [pairs.weight]


def _contents(pairs: Pairs) -> list[bytes]:
    """Serialise the contents of each group, independent of row order and labels."""
    columns = [np.asarray(each, np.float64) + 0.0 for each in (pairs.y, pairs.q, *_weights(pairs))]
    assert pairs.codes is not None
    order = np.lexsort((*columns, pairs.codes))
    rows = np.ascontiguousarray(np.column_stack(columns)[order])
    starts = np.searchsorted(pairs.codes[order], np.arange(pairs.groups + 1))
    return [rows[begin:end].tobytes() for begin, end in pairwise(starts)]
