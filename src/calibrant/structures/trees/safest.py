"""The tree of which most constituents can be expected to be right."""

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

    `q` has a row for each span, those of one beginning together, and a column for each label. A
    right constituent gains 1 and a wrong one costs `cost`, so a label is worth q − cost·(1 − q).
    """
    length = len(leaves)
    begin, end = np.triu_indices(length)
    worth = (q - cost * (1.0 - q)).clip(0.0)
    gain = np.zeros((length, length + 1))
    gain[begin, end + 1] = worth.sum(axis=1)
    cut = _best_splits(gain)
    row = np.full((length, length + 1), -1)
    row[begin, end + 1] = np.arange(begin.size)

    def build(i: int, j: int) -> list[Parse]:
        inner = [leaves[i]] if j == i + 1 else [*build(i, cut[i, j]), *build(cut[i, j], j)]
        here: Any = worth[row[i, j]]
        for k in np.argsort(-here, kind="stable"):
            if not here[k] > 0:
                break
            inner = [Parse(labels[k], tuple(inner))]
        return inner

    top = build(0, length)
    return top[0] if len(top) == 1 and top[0].label == root else Parse(root, tuple(top))


def _best_splits(gain: Float) -> NDArray[np.int64]:
    """Where each span is cut for the largest sum of gains of nested spans."""
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
