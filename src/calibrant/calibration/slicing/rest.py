"""Does a slice differ from the rest? Compared among pairs with similar predictions.

All pairs are put into strata of similar q. Within each stratum, the residuals y − q of the slice
are compared with those of all pairs, in their mean and in their slope along logit q. So a slice
does not differ from the rest just because its predictions are higher or lower. A group may have
rows on both sides: the contributions of both are added up by group before anything else.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.exact_sums import order_free
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs
from calibrant.pairs.groups import effective_number
from calibrant.results.verdict import ROUNDING, share_beyond

Float = NDArray[np.float64]
Int = NDArray[np.int64]
STRATA = 20  # of similar predictions
UNSURE = 0.02  # predictions are moved this far from 0 and 1 before their logit is taken
APART = 512  # groups whose signs are flipped one by one; others are flipped in so many folds
NEGLIGIBLE = 1e-12  # relative variance that is rounding error
BLOCK = 1000  # replicates that are computed at once


@dataclass(frozen=True, eq=False)
class Rest:
    """All pairs in strata, ready to be compared with any slice of them."""

    pairs: Pairs
    replicates: int
    seed: int

    def p_value(self, inside: Int) -> float:
        """How often a difference as large as between these rows and the rest arises by chance."""
        scores = self._scores(inside)
        if self.pairs.codes is None:
            return hotelling(scores)
        return self._by_flips(_folded(scores))

    @cached_property
    def _weight(self) -> Float:
        pairs = self.pairs
        return np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)

    @cached_property
    def _stratum(self) -> Int:
        """The stratum of each row: equal predictions stay together, from both ends alike."""
        values, place = np.unique(np.abs(self.pairs.q - 0.5).round(12), return_inverse=True)
        middle = np.cumsum(sum_by(place, self._weight, values.size))
        half = np.minimum((middle / middle[-1] * (STRATA / 2)).astype(np.int64), STRATA // 2 - 1)
        return np.asarray(2 * half[place] + (self.pairs.q > 0.5))

    @cached_property
    def _held(self) -> Float:
        """The weight of each stratum."""
        return sum_by(self._stratum, self._weight, STRATA)

    @cached_property
    def _residual(self) -> Float:
        """Weight · (y − q − its mean in the stratum), of each row."""
        raw = self._weight * (self.pairs.y - self.pairs.predicted.astype(np.float64))
        mean = sum_by(self._stratum, order_free(raw), STRATA) / np.maximum(self._held, 1e-300)
        return np.asarray(raw - self._weight * mean[self._stratum])

    @cached_property
    def _logit(self) -> Float:
        q = np.clip(self.pairs.q.astype(np.float64), UNSURE, 1 - UNSURE)
        return np.log(q / (1 - q))

    @cached_property
    def _codes(self) -> Int:
        codes = self.pairs.codes
        return np.arange(len(self.pairs)) if codes is None else codes.astype(np.int64)

    @cached_property
    def _units(self) -> int:
        return len(self.pairs) if self.pairs.codes is None else self.pairs.groups

    @cached_property
    def _by_stratum(self) -> Float | None:
        """Sums of residuals of each group in each stratum; None if rows are the units."""
        if self.pairs.codes is None:
            return None
        at = self._codes * STRATA + self._stratum
        return sum_by(at, order_free(self._residual), self._units * STRATA).reshape(-1, STRATA)

    def _scores(self, inside: Int) -> Float:
        """What each unit adds to the difference in mean and in slope (units × 2)."""
        stratum, weight = self._stratum[inside], self._weight[inside]
        scores = np.empty((self._units, 2))
        for k, factor in enumerate((np.ones(inside.size), self._logit[inside])):
            mean = sum_by(stratum, order_free(weight * factor), STRATA)
            mean /= np.maximum(self._held, 1e-300)
            own = order_free(self._residual[inside] * factor)
            scores[:, k] = sum_by(self._codes[inside], own, self._units)
            if self._by_stratum is None:
                scores[:, k] -= self._residual * mean[self._stratum]
            else:
                scores[:, k] -= self._by_stratum @ mean
        return scores

    def _by_flips(self, scores: Float) -> float:
        root = _inverse_root(scores)
        if root is None:
            return 1.0
        turned = scores @ root
        observed = float(np.sum(turned.sum(axis=0) ** 2))
        generator = np.random.default_rng(self.seed)
        drawn = np.empty(self.replicates)
        for first in range(0, self.replicates, BLOCK):
            many = min(BLOCK, self.replicates - first)
            signs = generator.integers(0, 2, (many, scores.shape[0]), np.int8) * 2.0 - 1
            drawn[first : first + many] = np.sum((signs @ turned) ** 2, axis=1)
        return share_beyond(drawn, observed * (1 - ROUNDING))


def _inverse_root(scores: Float) -> Float | None:
    """A root of the inverse of the variance of the sum of the scores; None if there is none."""
    values, vectors = np.linalg.eigh(scores.T @ scores)
    known = values > NEGLIGIBLE * max(float(values[-1]), 1e-300)
    return None if values[-1] <= 0 else np.asarray(vectors[:, known] / np.sqrt(values[known]))


def hotelling(scores: Float) -> float:
    """The p-value that the scores of units add up to 0, by the F distribution."""
    from scipy.special import fdtrc

    root = _inverse_root(scores)
    if root is None:
        return 1.0
    freedom, units = root.shape[1], effective_number(np.abs(scores).sum(axis=1))
    statistic = float(np.sum((scores.sum(axis=0) @ root) ** 2)) / freedom
    return float(fdtrc(freedom, max(units - freedom, 1.0), statistic))


def _folded(scores: Float) -> Float:
    """The scores of units that matter most, and those of the others in folds.

    The order depends on the size of the scores, not on labels of groups.
    """
    order = np.lexsort((scores[:, 1], scores[:, 0], *np.abs(scores).T[::-1]))[::-1]
    scores = scores[order]
    if scores.shape[0] <= 2 * APART:
        return scores
    fold = np.arange(scores.shape[0] - APART) % APART
    rest = np.column_stack([sum_by(fold, each, APART) for each in scores[APART:].T])
    return np.concatenate([scores[:APART], rest])
