"""What is classified: items with features, a yes/no answer, and the document they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Bool = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Items:
    """Things to classify.

    Attributes
    ----------
    features
        The features of each item, words for instance.
    y
        Whether the answer is yes.
    document
        The document of each item; items of one document depend on each other.
    """

    features: Sequence[Sequence[str]]
    y: Bool
    document: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.features)

    def select(self, kept: Bool) -> "Items":
        """The items for which `kept` is true."""
        chosen = [self.features[k] for k in np.flatnonzero(kept).tolist()]
        return Items(chosen, self.y[kept], self.document[kept])

    def some(self, size: int | None, seed: int) -> "Items":
        """At least `size` items, of whole documents in random order; None means all."""
        return self if size is None else self.select(drawn_documents(self.document, size, seed))


class Split(NamedTuple):
    """Items to train on, to learn maps from, and to test on; no document is in two of them."""

    train: Items
    calibration: Items
    test: Items


def drawn_documents(document: NDArray[np.str_], size: int, seed: int) -> Bool:
    """Mark the rows of documents drawn at random until they have at least `size` rows."""
    names, codes, counts = np.unique(document, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(names.size)
    before = np.cumsum(counts[order]) - counts[order]
    chosen = np.zeros(names.size, bool)
    chosen[order[before < size]] = True
    return np.asarray(chosen[codes], np.bool_)


def divided(items: Items, folds: int, seed: int) -> tuple[Split, ...]:
    """Divide documents into folds: each is tested on once, and the next one calibrates.

    Documents are spread evenly over the folds by the answer to their first item. An item is tested
    by a model and a map that have not seen its document.
    """
    names, first, codes = np.unique(items.document, return_index=True, return_inverse=True)
    drawn = np.random.default_rng(seed).permutation(names.size)
    dealt = drawn[np.argsort(items.y[first][drawn], kind="stable")]
    fold = np.empty(names.size, np.int64)
    fold[dealt] = np.arange(names.size) % folds
    of_item = fold[codes]
    found = []
    for k in range(folds):
        test, calibration = of_item == k, of_item == (k + 1) % folds
        parts = (~test & ~calibration, calibration, test)
        found.append(Split(*(items.select(part) for part in parts)))
    return tuple(found)
