"""The tree with the largest expected number of correct constituents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.trees.parse import Parse

Float = NDArray[np.float64]


def safest_parse(
    q: Float, labels: Sequence[str], leaves: Sequence[Parse], root: str, cost: float
) -> Parse:
    """Choose spans that fit in one tree, and labels for them.

    `q` has a row for each span, sorted by its first and then its last word, and a column for each
    label. A correct constituent gains 1 and a wrong one costs `cost`, so a label is worth
    q − cost·(1 − q).
    """
    length = len(leaves)
    begin, end = np.triu_indices(length)
    worth = (q - cost * (1.0 - q)).clip(0.0)
    gain = np.zeros((length, length + 1))
    gain[begin, end + 1] = worth.sum(axis=1)
    cut = _best_splits(gain)
    row = np.full((length, length + 1), -1)
    row[begin, end + 1] = np.arange(begin.size)

    def labelled(i: int, j: int, inner: list[Parse]) -> list[Parse]:
        here: Any = worth[row[i, j]]
        for k in np.argsort(-here, kind="stable"):
            if not here[k] > 0:
                break
            inner = [Parse(labels[k], tuple(inner))]
        return inner

    built: dict[tuple[int, int], list[Parse]] = {}
    for i, j in reversed(_spans(cut, length)):  # children before parents
        k = int(cut[i, j])
        inner = [leaves[i]] if j == i + 1 else [*built.pop((i, k)), *built.pop((k, j))]
        built[i, j] = labelled(i, j, inner)
    top = built[0, length]
    return top[0] if len(top) == 1 and top[0].label == root else Parse(root, tuple(top))


def _spans(cut: NDArray[np.int64], length: int) -> list[tuple[int, int]]:
    """All spans that the whole sentence is cut into, parents before children."""
    found, waiting = [], [(0, length)]
    while waiting:
        i, j = waiting.pop()
        found.append((i, j))
        if j > i + 1:
            k = int(cut[i, j])
            waiting += [(i, k), (k, j)]
    return found


def _best_splits(gain: Float) -> NDArray[np.int64]:
    """The split of each span that maximises the total gain of nested spans."""
    length = gain.shape[0]
    best, cut = gain.copy(), np.zeros(gain.shape, np.int64)
    for width in range(2, length + 1):
        for i in range(length - width + 1):
            j = i + width
            sums = best[i, i + 1 : j] + best[i + 1 : j, j]
            at = int(sums.argmax())
            best[i, j] += sums[at]
            cut[i, j] = i + 1 + at
    return cut
