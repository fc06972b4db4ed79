"""How the pairs of each group are placed among the pairs of the other outcome."""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.compiled import compiled
from calibrant.kernels.in_order import bits_of, count_rows, piece_ends
from calibrant.kernels.threads import workers

Int = NDArray[np.int64]


def placements(
    y: NDArray[Any], q: NDArray[Any], codes: NDArray[np.signedinteger[Any]], groups: int
) -> Int:
    """Twice the number of y = 0 below each y = 1, summed by group, and of y = 1 above each y = 0.

    Ties count half, so twice the number is whole and the sums are exact.
    """
    cuts = piece_ends(q)
    sums, lock = np.zeros((2, groups), np.int64), Lock()
    with ThreadPoolExecutor(workers()) as pool:
        n, positive = count_rows(pool, y, q, cuts)
        yes = int(positive.sum())
        below, yes_below = np.cumsum(n) - n, np.cumsum(positive) - positive

        def visit(piece: int) -> None:
            keys, owner = np.empty(n[piece], np.int64), np.empty(n[piece], codes.dtype)
            fetch_owned(y, q, codes, cuts[piece], cuts[piece + 1], keys, owner)
            order = np.argsort(keys)
            seen = yes_below[piece], below[piece] - yes_below[piece]
            with lock:
                add_placements(keys, order, owner, *seen, yes, sums)

        list(pool.map(visit, np.flatnonzero(n)))
    return sums


@compiled(nogil=True)
def fetch_owned(y, q, codes, low, high, keys, owner):
    """Write the key and the group of each row of a piece."""
    used = 0
    for j in range(q.size):
        bits = bits_of(q[j])
        if bits > low and bits <= high:
            keys[used] = (bits << 1) | np.int64(y[j])
            owner[used] = codes[j]
            used += 1


@compiled(nogil=True)
def add_placements(keys, order, owner, seen_yes, seen_no, yes, sums):
    """Add the placement of each row to the sum of its group."""
    j = 0
    while j < keys.size:
        bits = keys[order[j]] >> 1
        end = j
        positive = 0
        while end < keys.size and keys[order[end]] >> 1 == bits:
            positive += keys[order[end]] & 1
            end += 1
        negative = end - j - positive
        for k in range(j, end):
            row = order[k]
            if keys[row] & 1:
                sums[0, owner[row]] += 2 * seen_no + negative
            else:
                sums[1, owner[row]] += 2 * (yes - seen_yes) - positive
        seen_yes += positive
        seen_no += negative
        j = end
