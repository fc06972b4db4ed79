"""Compare exact probabilities of spans with products of the probabilities of tags."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs import Pairs
from calibrant.structures.places import Places
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.verbs import ask

Float = NDArray[np.float64]
SMALLEST = 1e-300  # replaces a probability of 0, which has no logarithm


class Both(NamedTuple):
    """The same questions, answered exactly and by products of tags."""

    exact: Pairs
    product: Pairs


def product_of_tags(chain: Chain, type: str, places: Places) -> Float:
    """The probability of spans as a product of the probabilities of single tags.

    This is wrong if neighbouring tags depend on each other.
    """
    log = np.log(np.maximum(chain.marginals, SMALLEST))
    first = chain.start[places.sentence]
    begin, end = first + places.begin, first + places.end
    opening, inside = chain.code(f"B-{type}"), chain.code(f"I-{type}")
    summed = np.concatenate([[0.0], np.cumsum(log[:, inside])])
    found = np.exp(log[begin, opening] + summed[end] - summed[begin + 1])
    goes_on = end < chain.start[places.sentence + 1]
    after = np.where(goes_on, 1 - chain.marginals[np.minimum(end, len(log) - 1), inside], 1.0)
    multiplied: Float = np.clip(found * after, 0.0, 1.0)
    return multiplied


def shared_groups(test: Corpus) -> Sequence[object]:
    """The group of each sentence, by name, so that pairs of several queries share groups.

    Groups that `ask` numbers itself are kept apart when pairs are added.
    """
    return range(len(test)) if test.documents is None else test.documents


def both_ways(chain: Chain, test: Corpus, types: tuple[str, ...]) -> Both:
    """Answer questions about spans of all types exactly and by products of tags."""
    exact, product = [], []
    for type in types:
        query = HasSpan(type)
        pairs = ask(chain, test, query, group=shared_groups(test))
        q = product_of_tags(chain, type, query.where(chain))
        exact.append(pairs)
        product.append(Pairs(pairs.y, q, group=pairs.group))
    return Both(reduce(add, exact), reduce(add, product))
