"""Visit pairs in the order of q without sorting all of them at once.

A sample cuts [0, 1] into pieces with similar numbers of rows. Each piece is fetched and sorted by
itself, so that memory is needed only for the pieces at work. A value that fills a piece of its own
is counted, not fetched. The sample affects only the speed, not the result.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.bits import bits_float, float_bits
from calibrant.kernels.compiled import compiled
from calibrant.kernels.sorting import sorted_keys
from calibrant.kernels.threads import workers

SAMPLE = 1 << 14  # predictions that decide where pieces end
TURNS = 4  # pieces that each thread works on, one after the other
FEWEST = 1 << 18  # rows worth a piece
AT_ONCE = 1 << 16  # distinct predictions that are passed on at once
POSITIVE = (1 << 63) - 1  # all bits except the sign: -0.0 becomes 0.0

Float = NDArray[np.float64]
Int = NDArray[np.int64]
T = TypeVar("T")


class Ties(NamedTuple):
    """Distinct predictions in ascending order, with the weight and the positive weight of each."""

    q: Float
    weight: Float
    positive: Float
    below: float = 0.0  # weight and positive weight of all smaller predictions
    positive_below: float = 0.0


def in_order(y: NDArray[Any], q: NDArray[Any], work: Callable[[Ties], T]) -> list[T]:
    """What `work` makes of each stretch of predictions, in ascending order.

    `y` holds 0 and 1 and `q` lies in [0, 1]. Stretches are visited in parallel.
    """
    cuts = piece_ends(q)
    with ThreadPoolExecutor(workers()) as pool:
        n, positive = count_rows(pool, y, q, cuts)
        below = [np.cumsum(each) - each for each in (n, positive)]

        def visit(piece: int) -> list[T]:
            low, high = cuts[piece], cuts[piece + 1]
            seen = [float(each[piece]) for each in below]
            if high - low == 1:  # a single value
                one = np.array([high]).view(np.float64)
                of_all, of_yes = (np.array([float(each[piece])]) for each in (n, positive))
                return [work(Ties(one, of_all, of_yes, *seen))]
            keys = np.empty(n[piece], np.int64)
            fetch(y, q, low, high, keys)
            found = []
            for ties in ties_of(sorted_keys(keys)):
                found.append(work(ties._replace(below=seen[0], positive_below=seen[1])))
                seen = [seen[0] + ties.weight.sum(), seen[1] + ties.positive.sum()]
            return found

        return [each for found in pool.map(visit, np.flatnonzero(n)) for each in found]


def piece_ends(q: NDArray[Any]) -> Int:
    """The bits of the largest q of each piece, after −1; single values may be pieces."""
    sample = np.sort(q[:: max(1, q.size // SAMPLE)].astype(np.float64)) + 0.0
    count = max(1, min(TURNS * workers(), q.size // FEWEST))
    ends = sample[np.linspace(0, sample.size, count + 1).astype(int)[1:-1]].view(np.int64)
    tied = ends[:-1][ends[1:] == ends[:-1]]  # fills a whole piece
    last = np.array([1.0]).view(np.int64)
    return np.unique(np.concatenate([[-1], ends, tied - 1, last]))


def count_rows(
    pool: ThreadPoolExecutor, y: NDArray[Any], q: NDArray[Any], cuts: Int
) -> tuple[Int, Int]:
    """The rows and the positives of each piece."""
    lanes = list(pairwise(np.linspace(0, q.size, workers() + 1).astype(int)))
    parts = np.zeros((len(lanes), 2, cuts.size - 1), np.int64)

    def count(lane: int) -> None:
        rows = slice(*lanes[lane])
        count_pieces(y[rows], q[rows], cuts[1:], parts[lane])

    list(pool.map(count, range(len(lanes))))
    n, positive = parts.sum(axis=0)
    return n, positive


@compiled(inline="always")
def bits_of(q):
    """An integer that orders like q."""
    return float_bits(np.float64(q)) & POSITIVE


@compiled(nogil=True)
def count_pieces(y, q, ends, counts):
    """Count rows and positives in each piece."""
    for j in range(q.size):
        bits = bits_of(q[j])
        piece = 0
        for k in range(ends.size - 1):  # without a branch: pieces are few, and rows unpredictable
            piece += np.int64(bits > ends[k])
        counts[0, piece] += 1
        counts[1, piece] += np.int64(y[j])


@compiled(nogil=True)
def fetch(y, q, low, high, keys):
    """Write the key of each row of a piece, which orders by q and carries y in its last bit."""
    used = 0
    last = keys.size - 1
    for j in range(q.size):
        bits = bits_of(q[j])
        keys[min(used, last)] = (bits << 1) | np.int64(y[j])  # overwritten, unless it counts
        used += np.int64((bits > low) & (bits <= high))
        if used > last:
            break


def ties_of(keys: Int) -> Iterator[Ties]:
    """The distinct predictions of sorted keys, some at a time."""
    at = 0
    while at < keys.size:
        found = np.empty((3, min(AT_ONCE, keys.size - at)))
        at, used = add_ties(keys, at, found)
        yield Ties(*found[:, :used])


@compiled(nogil=True)
def add_ties(keys, at, found):
    """Fill in distinct predictions from `at` on; return where to go on, and how many there are."""
    used = 0
    while at < keys.size and used < found.shape[1]:
        bits = keys[at] >> 1
        begin = at
        positive = 0
        while at < keys.size and keys[at] >> 1 == bits:
            positive += keys[at] & 1
            at += 1
        found[0, used] = bits_float(bits)
        found[1, used] = at - begin
        found[2, used] = positive
        used += 1
    return at, used
