"""Encode sentences as numbers: words have bundles of attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.sequences.models.features import Features

Int = NDArray[np.int64]
Small = NDArray[np.int32]  # half the memory, and faster to traverse


@dataclass(frozen=True, eq=False)
class Encoded:
    """Sentences encoded with some features and a vocabulary of attributes.

    Attributes
    ----------
    start
        Where each sentence starts among the words, and where the last ends.
    bundle
        The bundles of attributes of every word: one for itself, one for each neighbour.
    hold_start
        Where the attributes of each bundle begin in `hold`.
    hold
        The attributes of all bundles.
    """

    start: Int
    bundle: Small
    hold_start: Int
    hold: Small

    @property
    def bundles(self) -> int:
        """The number of bundles."""
        return int(self.hold_start.size) - 1

    @cached_property
    def holders(self) -> tuple[Int, Small]:
        """The bundles that hold each attribute: where they start, and which."""
        count = int(self.hold.max()) + 1 if self.hold.size else 0
        owner = np.repeat(np.arange(self.bundles), np.diff(self.hold_start))
        order = np.argsort(self.hold, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(self.hold, minlength=count))])
        return start, owner[order].astype(np.int32)

    @cached_property
    def occurrences(self) -> Int:
        """The number of words that have each attribute."""
        used = np.bincount(self.bundle.ravel(), minlength=self.bundles)
        each = np.repeat(used, np.diff(self.hold_start))
        return np.bincount(self.hold, weights=each).astype(np.int64)


def learn(features: Features, sentences: Sequence[Sequence[str]]) -> tuple[dict[str, int], Encoded]:
    """Number all attributes of these sentences."""
    vocabulary: dict[str, int] = {}
    return vocabulary, _encoded(features, sentences, vocabulary, grow=True)


def encode(
    features: Features, sentences: Sequence[Sequence[str]], vocabulary: dict[str, int]
) -> Encoded:
    """Encode sentences with a known vocabulary; leave out attributes outside it."""
    return _encoded(features, sentences, vocabulary, grow=False)


def _encoded(
    features: Features, sentences: Sequence[Sequence[str]], vocabulary: dict[str, int], grow: bool
) -> Encoded:
    columns = features.columns(sentences)
    start = np.concatenate([[0], np.cumsum([len(each) for each in sentences])]).astype(np.int64)
    bundle = np.empty((int(start[-1]), len(columns)), np.int32)
    sizes: list[int] = []
    hold: list[int] = []
    for m, column in enumerate(columns):
        met, codes = np.unique(column.of_word, return_inverse=True)
        bundle[:, m] = codes + len(sizes)
        for number in met.tolist():
            names = column.attributes[number]
            if grow:
                found = [vocabulary.setdefault(name, len(vocabulary)) for name in names]
            else:
                found = [vocabulary[name] for name in names if name in vocabulary]
            sizes.append(len(found))
            hold += found
    hold_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Encoded(start, bundle, hold_start, np.array(hold, np.int32))


def observed_pairs(encoded: Encoded, gold: Int, tags: int) -> tuple[Int, Small]:
    """The tags seen with each attribute: where they start, and which."""
    from scipy.sparse import csr_array

    columns = encoded.bundle.shape[1]
    met = np.zeros((encoded.bundles, tags), bool)
    met[encoded.bundle.ravel(), np.repeat(gold, columns)] = True
    count = int(encoded.hold.max()) + 1 if encoded.hold.size else 0
    ones = np.ones(encoded.hold.size, np.int32)
    holds: Any = csr_array((ones, encoded.hold, encoded.hold_start), shape=(encoded.bundles, count))
    seen = (holds.T.tocsr() @ csr_array(met.astype(np.int32))).tocsr()
    seen.sort_indices()
    return seen.indptr.astype(np.int64), seen.indices.astype(np.int32)
