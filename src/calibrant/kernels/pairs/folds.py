"""Folds: groups hashed into at most 4096 sets, the same on every machine and in every engine.

Integers are folded by arithmetic in which no product exceeds 2^62, so engines that check for
overflow can compute it. Text is folded by the leading bits of the MD5 of its UTF-8 bytes. Leading
bits decide in both cases, so the folds of a smaller power of two are unions of those of a larger
one.
"""

from collections.abc import Iterable
from hashlib import md5
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.threads import at_once, workers

MOST = 4096  # folds
DIGITS = 3  # hexadecimal digits of the MD5: 16³ = MOST
PRIME = (1 << 31) - 1
FIRST = (1103515245, 12345)  # multiplier and increment before squaring,
SECOND = (1664525, 1013904223)  # and after it
LEADING = 19  # bits of a hash below its fold: 2^31 / 2^19 = MOST
WORTH_THREADS = 1 << 18  # integers: fewer take less time than waking threads


@compiled(inline="always")
def remainder(x):
    """The remainder of x by PRIME = 2^31 − 1, for x from 0 to 2^62, without a division."""
    x = (x & PRIME) + (x >> 31)
    x = (x & PRIME) + (x >> 31)
    return x - PRIME if x >= PRIME else x


@compiled(nogil=True)
def fold_integers(group, first, last, leading, fold):
    """Write the folds of the integers from first to last; each has `leading` hashes of 2^31."""
    for j in range(first, last):
        x = group[j] if 0 <= group[j] < PRIME else (group[j] % PRIME + PRIME) % PRIME
        x = remainder(x * FIRST[0] + FIRST[1])
        x = remainder(x * x)
        x = remainder(x * SECOND[0] + SECOND[1])
        fold[j] = x >> leading


def fold_texts(texts: Iterable[str]) -> NDArray[np.int64]:
    """The fold of each text.

    >>> fold_texts(["doc 1", "doc 2"]).tolist()
    [3418, 490]
    """
    return np.array([int(_digest(text)[:DIGITS], 16) for text in texts], np.int64)


def _digest(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def fold_labels(label: NDArray[Any], folds: int = MOST) -> NDArray[np.int64]:
    """The fold, from 0 to `folds` − 1, of each label; `folds` is a power of two.

    >>> fold_labels(np.arange(4)).tolist(), fold_labels(np.arange(4), 256).tolist()
    ([2851, 843, 703, 2430], [178, 52, 43, 151])
    """
    if label.dtype.kind in "biu":
        whole = label % np.uint64(PRIME) if label.dtype == np.uint64 else label
        return _fold_integers(whole.astype(np.int64, copy=False), folds)
    distinct, place = np.unique(label, return_inverse=True)
    return (fold_texts(str(each) for each in distinct) // (MOST // folds))[place]


def _fold_integers(label: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    fold = np.empty(label.size, np.int64)
    leading = LEADING + (MOST // folds).bit_length() - 1
    parts = workers() if label.size >= WORTH_THREADS else 1
    ends = [label.size * k // parts for k in range(parts + 1)]

    def work(part: int) -> None:
        fold_integers(label, ends[part], ends[part + 1], leading, fold)

    at_once(work, range(parts))
    return fold


@compiled(nogil=True)
def find_labels(label, known, code, count, most, first, slot):
    """The code of each label, numbered as they appear, by a table of known labels.

    `known` and `code` have room for twice `most` labels; a code of −1 marks a free place. Returns
    the first row that was not placed because `most` labels were known already, and their number.
    """
    size = known.size
    for j in range(first, label.size):
        value = label[j]
        x = np.uint64(value)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        at = np.int64((x >> np.uint64(33)) % np.uint64(size))
        while code[at] >= 0 and known[at] != value:
            at = at + 1 if at + 1 < size else 0
        if code[at] < 0:
            if count >= most:
                return j, count
            known[at] = value
            code[at] = count
            count += 1
        slot[j] = code[at]
    return label.size, count
