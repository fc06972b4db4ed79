"""Compare several models on the same questions.

Every replicate draws the same groups (or questions) for all models, so the difficulty of the test
set, which all models share, cancels in their differences.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.gaps.exact_sums import order_free
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.units import refuse_one_group
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import CalibrationError, MeanLoss, Score, Unbinned
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Drawn(NamedTuple):
    """The deviation of the score of each replicate from the score of the data."""

    value: float  # the score of the data, before any root
    linear: Float
    squares: Float  # the quadratic part of the noise, for squared scores

    def minus(self, other: "Drawn") -> "Drawn":
        """Subtract: the deviations of the difference of two scores."""
        return Drawn(
            self.value - other.value, self.linear - other.linear, self.squares - other.squares
        )


def compare_models(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    interval: Bootstrap | None,
    estimates: Mapping[str, Estimate],
) -> Comparison:
    """Compare every two models; without an interval, compute only their differences."""
    _refuse_incomparable(score, estimates)
    names = sorted(models, key=lambda name: estimates[name].value)
    ranked = {name: estimates[name] for name in names}
    first = next(iter(models.values()))
    if interval is None:
        signed = signature(repr(score), first)
        return Comparison(
            ranked,
            {
                (a, b): _plain_difference(f"{a} − {b}", ranked[a], ranked[b], signed)
                for a, b in combinations(names, 2)
            },
            {},
        )
    refuse_one_group(first.groups, bare=True)
    signed = signature(repr(score), first, interval.spelled(), f"level={level:g}")
    drawn = {
        name: shared_replicates(score, pairs, interval.replicates, interval.seed)
        for name, pairs in models.items()
    }
    differences = {
        (a, b): _difference(f"{a} − {b}", ranked[a], ranked[b], (drawn[a], drawn[b]), signed)
        for a, b in combinations(names, 2)
    }
    units = first.groups or first.n
    p_values = {(a, b): _p_value(drawn[a], drawn[b], units) for a, b in differences}
    return Comparison(ranked, differences, _holm(p_values))


def _refuse_incomparable(score: Score, estimates: Mapping[str, Estimate]) -> None:
    if score.above is not None or score.below is not None:
        raise UnsupportedError(
            "Models put different questions into a range of q, so they cannot be compared there: "
            "leave above and below out."
        )
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(
                f"{estimate.score} of {name} is infinite, so it cannot be compared."
            )


def _plain_difference(name: str, a: Estimate, b: Estimate, signature: str) -> Estimate:
    """The difference of two scores, without an interval."""
    return replace(
        a,
        score=name,
        value=a.value - b.value,
        low=None,
        high=None,
        plugin=None,
        too_small=0,
        signature=signature,
    )


def _difference(
    name: str, a: Estimate, b: Estimate, drawn: tuple[Drawn, Drawn], signature: str
) -> Estimate:
    """The difference of two scores, with its interval.

    Intervals of calibration errors are asymmetric near 0, where replicates of a difference would
    be off centre. So the interval is made from the intervals of the two scores (Zou and Donner,
    2008). Where one of the scores may be 0, the lengths of their arms are added.
    """
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    value = a.value - b.value
    correlation = -1.0 if min(a.low, b.low) <= 0 else _correlation(*drawn)
    low = value - _arm(a.value - a.low, b.high - b.value, correlation)
    high = value + _arm(a.high - a.value, b.value - b.low, correlation)
    plain = _plain_difference(name, a, b, signature)
    return replace(plain, low=max(low, a.low - b.high), high=min(high, a.high - b.low))


def _p_value(one: Drawn, other: Drawn, units: float) -> float:
    """How often a difference this large would arise by chance.

    Compares the sums over bins, before any root. In these the noise that the models share
    cancels, so the test is more powerful than a test of the difference of the scores. Few
    units (groups or pairs) may all agree by chance, with a probability of 2^(1 − units). So p is
    never smaller than that.
    """
    from scipy.special import ndtr

    if one.value == other.value:
        return 1.0
    both = one.minus(other)
    spread = _covariance(both, both)
    p = float(2 * ndtr(-abs(both.value) / np.sqrt(spread))) if spread > 0 else 0.0
    return max(p, float(min(1.0, 2.0 ** (1 - units))))


def _arm(one: float, other: float, correlation: float) -> float:
    return float(np.sqrt(max(one**2 + other**2 - 2 * correlation * one * other, 0.0)))


def _covariance(a: Drawn, b: Drawn) -> float:
    """The covariance of two scores over test sets.

    The observed gaps are the true gaps plus noise, so their products with new noise vary too
    much. The excess, the covariance of the squared noise, is subtracted.
    """
    linear = float(np.cov(a.linear, b.linear)[0, 1])
    squares = float(np.cov(a.squares, b.squares)[0, 1])
    found = linear - squares
    return max(found, squares) if a is b else found


def _correlation(a: Drawn, b: Drawn) -> float:
    spread = _covariance(a, a) * _covariance(b, b)
    return float(np.clip(_covariance(a, b) / np.sqrt(spread), -1.0, 1.0)) if spread > 0 else 0.0


def _holm(p_values: Mapping[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Adjust p-values for multiple comparisons, by Holm's method."""
    adjusted, least = {}, 0.0
    for rank, (pair, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - rank)))
        adjusted[pair] = least
    return {pair: adjusted[pair] for pair in p_values}


def shared_replicates(score: Score, pairs: Pairs, replicates: int, seed: int) -> Drawn:
    """The score in samples of groups (or rows); a seed draws the same sample for every model."""
    if pairs.moments is not None:
        raise UnsupportedError(
            "Compressed pairs cannot be compared row by row: pass the original pairs."
        )
    units = pairs if pairs.group is not None else pairs.with_group(np.arange(len(pairs)))
    if isinstance(score, CalibrationError | Unbinned):
        return _of_gaps(score, score.evidence(units), score.evidence(pairs), replicates, seed)
    if isinstance(score, MeanLoss):
        means = _of_losses(score, units, replicates, seed)
        return Drawn(score(pairs), means, np.zeros(replicates))
    raise UnsupportedError(f"{score!r} cannot be compared.")


def _of_losses(score: MeanLoss, pairs: Pairs, replicates: int, seed: int) -> Float:
    from calibrant.kernels.calibration.groups import resample_means

    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    assert pairs.codes is not None
    total = sum_by(pairs.codes, order_free(score.row_losses(pairs) * weight))
    return resample_means(total, sum_by(pairs.codes, order_free(weight)), replicates, seed)


def _of_gaps(
    score: CalibrationError | Unbinned, gaps: Gaps, plain: Gaps, replicates: int, seed: int
) -> Drawn:
    """Replicates of the sum over bins, before any root; `plain`: gaps of ungrouped pairs."""
    from calibrant.kernels.calibration.groups import resample

    cells = gaps.cells
    assert cells.clusters is not None
    bins, share, clusters = cells.bins, cells.share, cells.clusters.by_code()
    part = cells.per_cell(clusters, clusters.residual)
    none = np.zeros((clusters.groups, 0))
    noise, _ = resample(clusters.start, clusters.column, part, none, bins.n.size, replicates, seed)
    noise -= sum_by(clusters.column, part, bins.n.size)
    noise = cells.spread_out(noise)
    norm = score.norm.at(bins.q, cells.gap, share)
    value = (plain.cells if isinstance(score, Unbinned) else plain).total(norm)
    slope = cells.slope(norm)
    if slope is not None:
        return Drawn(value, noise @ slope, norm.plain(noise, share))
    moved = cells.refitted(cells.gap + noise)
    return Drawn(value, norm.plain(moved, share), np.zeros(replicates))
