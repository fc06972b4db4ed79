"""Choose rows to look at: the most surprising ones, or a random sample."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.pairs.pairs import ROUNDING, Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
DIGITS = 12  # of shares of draws: their means over all splits are exact but for rounding


class Seen(NamedTuple):
    """What was predicted and what happened, in some rows of the source."""

    row: Int
    y: NDArray[np.int8]
    q: Float  # of draws: the share of all draws that said yes
    weight: Float | None = None  # how often each row counts; None: once

    @property
    def frequency(self) -> float:
        """The weighted frequency of y = 1."""
        return float(np.average(self.y, weights=self.weight))

    @property
    def mean(self) -> float:
        """The weighted mean of q."""
        return float(np.average(self.q, weights=self.weight))

    @property
    def surprise(self) -> Float:
        """The log loss of each row: minus the logarithm of the probability of what happened."""
        with np.errstate(divide="ignore"):
            return np.where(self.y == 1, -np.log(self.q), -np.log1p(-self.q))


def every_row(pairs: Pairs) -> Seen:
    """Every row of the source that the pairs hold, once, in ascending order.

    >>> every_row(Pairs.from_draws([0, 1], yes=[2, 7], draws=10)).q
    array([0.2, 0.7])
    """
    rows = pairs.source_rows(np.arange(len(pairs)))
    if pairs.origin is None:
        return _seen(rows, pairs.y, pairs.q, pairs.weight)
    _, first, at = np.unique(pairs.origin, return_index=True, return_inverse=True)
    if pairs.held is None:
        once = None if pairs.weight is None else pairs.weight[first]
        return _seen(rows, pairs.y[first], pairs.q[first], once)
    assert pairs.weight is not None  # of every split
    weight = np.bincount(at, pairs.weight)
    mean = np.bincount(at, pairs.weight * pairs.q) / weight
    # The weights of the splits of a row add up to its own, but for rounding.
    whole = None if np.allclose(weight, 1, rtol=0, atol=ROUNDING) else weight
    return _seen(rows, pairs.y[first], np.clip(np.round(mean, DIGITS), 0, 1), whole)


def _seen(
    rows: Int,
    y: NDArray[np.generic],
    q: NDArray[np.generic],
    weight: NDArray[np.generic] | None,
) -> Seen:
    weights = None if weight is None else weight.astype(np.float64)
    return Seen(rows, y.astype(np.int8), q.astype(np.float64), weights)


def seen_in(pairs: Pairs, rows: ArrayLike) -> Seen:
    """What was predicted and what happened in these rows of the source, in this order.

    >>> seen_in(Pairs([0, 1, 1], [0.2, 0.7, 0.9]), [2, 0]).q
    array([0.9, 0.2])
    """
    asked = _row_numbers(rows)
    every = every_row(pairs)
    at = np.minimum(np.searchsorted(every.row, asked), every.row.size - 1)
    missing = every.row[at] != asked
    if missing.any():
        raise InputError(
            f"rows must be rows of these pairs, but row {asked[missing][0]} is not "
            f"({int(missing.sum())} of {asked.size} are not)."
        )
    weight = None if every.weight is None else every.weight[at]
    return Seen(asked, every.y[at], every.q[at], weight)


def most_surprising(pairs: Pairs, rows: ArrayLike, count: int) -> Int:
    """The `count` rows with the largest log loss, the largest first; ties in ascending order.

    Examples
    --------
    >>> pairs = Pairs([0, 1, 1, 0], [0.2, 0.7, 0.1, 0.8])
    >>> most_surprising(pairs, pairs.rows_between(0, 1), 2)
    array([2, 3])
    """
    count = whole_number("count", count, 0)
    seen = seen_in(pairs, np.unique(_row_numbers(rows)))
    return seen.row[np.argsort(-seen.surprise, kind="stable")[:count]]


def random_sample(rows: ArrayLike, count: int, seed: int = 0) -> Int:
    """At most `count` of the rows, drawn without replacement, in ascending order.

    A larger sample with the same seed holds the smaller one.

    Examples
    --------
    >>> random_sample([3, 5, 8], 5)
    array([3, 5, 8])
    """
    count, seed = whole_number("count", count, 0), whole_number("seed", seed, 0)
    distinct = np.unique(_row_numbers(rows))
    return np.sort(np.random.default_rng(seed).permutation(distinct)[:count])


def _row_numbers(rows: ArrayLike) -> Int:
    found = np.asarray(rows)
    if found.size == 0:
        return np.zeros(0, np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ParameterError(
            f"rows must be a list of whole numbers, but they are of type {found.dtype} and shape "
            f"{found.shape}."
        )
    return found.astype(np.int64)
