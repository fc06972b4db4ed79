"""Limits of the terms of a decomposed loss."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.decomposition import Terms
from calibrant.calibration.curves import BinnedCurve, Isotonic
from calibrant.calibration.gaps.placed_norms import Divergence
from calibrant.calibration.groups.exact_sums import Column, column_sums
from calibrant.calibration.groups.limits import GroupMean, bounded_limits
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.intervals.interval import holding
from calibrant.calibration.scores import Brier, CalibMSE, MeanLoss
from calibrant.checks.arrays import chunks
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.results.verdict import share_beyond

Float = NDArray[np.float64]
GRID = 1001  # probabilities, an odd number, at which to look for the largest entropy


class Range(NamedTuple):
    """The range of values that a term can take."""

    least: float
    most: float


def possible_ranges(rule: MeanLoss) -> Terms:
    """The range of each term under any data, from the losses and entropies of the rule."""
    with np.errstate(all="ignore"):  # custom rules may have poles at 0 and 1
        worst = max(float(rule.loss(np.zeros(1), 1)[0]), float(rule.loss(np.ones(1), 0)[0]))
        entropies = rule.entropy(np.linspace(0.0, 1.0, GRID))  # concave: least at 0 or 1
    if np.isnan(entropies).any() or np.isnan(worst):
        return Terms(*[Range(-np.inf, np.inf)] * len(Terms._fields))
    least, most = float(entropies.min()), float(entropies.max())
    entropy, gap = Range(least, most), Range(0.0, worst - least)
    return Terms(
        loss=Range(least, worst),
        calibration=gap,
        refinement=entropy,
        within=None,
        residual=None,
        miscalibration=gap,
        discrimination=Range(0.0, most - least),
        uncertainty=entropy,
    )


def independent_limits(
    values: Terms, drawn: Terms, pairs: Pairs, rule: MeanLoss, level: float, interval: Bootstrap
) -> Terms:
    """Limits for independent pairs, with MCB and DSC less what noise adds to both.

    An isotonic curve follows the noise, so it is better than the predictions of a calibrated model
    too. By how much is known: its MCB is simulated. MCB may be 0 if it is no larger than that.
    """
    if not pairs.counted:  # importance weights: outcomes cannot be drawn
        return _limits(_centred(values, drawn), drawn, level)
    null = _null_miscalibration(pairs, rule, interval)
    noise = min(float(np.mean(null)), values.miscalibration)
    centre = values._replace(
        miscalibration=values.miscalibration - noise,
        discrimination=max(values.discrimination - noise, 0.0),
    )
    found = _limits(centre, drawn, level)
    low, high = found.miscalibration
    if share_beyond(null, values.miscalibration) > (1 - level) / 2:
        low = 0.0
    return found._replace(miscalibration=(low, high))


def _null_miscalibration(pairs: Pairs, rule: MeanLoss, interval: Bootstrap) -> Float:
    """MCB of outcomes that are drawn from the predictions."""
    cells = Isotonic().cell_gaps(pairs)
    drawn = Draws(interval.replicates, interval.seed).binomial(cells, 0.0, cells.bins.n)
    n = np.broadcast_to(drawn.n, drawn.positive.T.shape).astype(np.float64)
    positive = drawn.positive.T.astype(np.float64)
    own = rule.expected(np.broadcast_to(cells.bins.q, n.shape), positive / np.maximum(n, 1.0))
    best = rule.entropy(cells.frequencies(n, positive))
    return np.asarray((own - best) @ cells.share)


def group_limits(
    values: Terms, drawn: Terms, rows: Terms, pairs: Pairs, level: float, ranges: Terms
) -> Terms:
    """Limits from the jackknife over groups, around the values (MCB without noise).

    They reach further on the side to which groups are skewed. Rows show only the first-order noise
    of a term. If it is small, as that of calibration is for a calibrated model, replicates show
    more, and the spread is scaled in the same way. The refinement is a mean of entropies, which
    varies less near the largest entropy.
    """
    assert pairs.codes is not None
    centre = _centred(values, drawn)
    held, yes, no = (
        _over_groups(pairs, each)
        for each in (
            lambda rows: np.ones(pairs.y[rows].size),
            lambda rows: pairs.y[rows].astype(np.float64),
            lambda rows: 1.0 - pairs.y[rows],
        )
    )
    limits: list[tuple[float | None, float | None]] = []
    for name, value, replicates, each in zip(Terms._fields, centre, drawn, rows, strict=True):
        if replicates is None or not np.isfinite(_range_of(each, len(pairs))).all():
            limits.append((None, None))
            continue
        mean = GroupMean(_over_groups(pairs, each), held, level)
        plain = mean.plain_spread
        more = max(1.0, float(np.std(replicates)) / plain) if plain > 0 else 1.0
        least, most = ranges.refinement
        if name == "refinement" and least < mean.value < most:
            limits.append(_refinement_limits(value, mean, more, ranges.refinement))
            continue
        half = more * mean.half(yes, no)
        limits.append((value - half * mean.longer(-1), value + half * mean.longer(1)))
    return Terms(*limits)


def _refinement_limits(
    value: float, mean: GroupMean, more: float, possible: Range
) -> tuple[float, float]:
    """Limits of a mean entropy within its possible range, moved to a debiased value."""
    least, most = possible
    above = GroupMean(mean.total - least * mean.weight, mean.weight, mean.level)
    moved = (value - least) / above.value
    low, high = bounded_limits(above, most - least, more)
    return least + moved * low, least + moved * high


def _centred(values: Terms, drawn: Terms) -> Terms:
    """Where intervals are centred: at the values, but MCB without what noise adds to it."""
    added = max(0.0, float(np.mean(drawn.miscalibration)) - values.miscalibration)
    return values._replace(miscalibration=values.miscalibration - added)


def _limits(centre: Terms, drawn: Terms, level: float) -> Terms:
    """Quantiles of the replicates of independent pairs, moved to the centre."""
    tail = (1 - level) / 2
    limits: list[tuple[float | None, float | None]] = []
    for value, replicates in zip(centre, drawn, strict=True):
        if replicates is None:
            limits.append((None, None))
            continue
        low, high = np.quantile(replicates - replicates.mean() + value, [tail, 1 - tail])
        limits.append((float(low), float(high)))
    return Terms(*limits)


def calibration_limits(
    pairs: Pairs,
    rule: MeanLoss,
    estimator: BinnedCurve,
    level: float,
    interval: Bootstrap,
    known: tuple[float | None, float | None],
) -> tuple[float | None, float | None]:
    """Limits of the calibration over bins: above 0 only if a calibrated model is ruled out.

    For the Brier score it is `CalibMSE`: the same question has the same answer. For other rules
    the lower limit inverts the test of their own sum over bins. The upper one is `known`. With
    groups, in which positives may be missing by chance, it is at least that of the same sum.
    """
    score = CalibMSE(estimator)
    gaps = score.evidence(pairs).cells
    if isinstance(rule, Brier):
        return interval.limits(score, gaps, level)
    norm = Divergence(rule.expected, rule.entropy).at(gaps.bins.q, gaps.gap, gaps.share)
    forecasters = Forecasters(norm, gaps, Draws(interval.replicates, interval.seed))
    low, high = forecasters.low(level), known[1]
    if high is not None and pairs.groups:
        high = max(high, forecasters.high(level))
    return low, None if high is None else max(high, low)


def entropies(rule: MeanLoss, rate: Estimate) -> tuple[float, float]:
    """The range of the entropies of all base rates in an interval.

    UNC is a function of the base rate, so their intervals say the same. At its maximum an entropy
    is flat, and a standard error would be too small.
    """
    assert rate.low is not None and rate.high is not None
    with np.errstate(all="ignore"):  # as in `possible_ranges`
        found = rule.entropy(np.linspace(rate.low, rate.high, GRID))
    return float(found.min()), float(found.max())


def clipped(values: Terms, limits: Terms, ranges: Terms) -> Terms:
    """Limits within the possible range that contain the value; none for unknown values."""
    found: list[tuple[float | None, float | None]] = []
    for value, (low, high), possible in zip(values, limits, ranges, strict=True):
        if low is None or not np.isfinite(value):
            found.append((None, None))
            continue
        ends = np.clip([low, high], *possible).tolist()
        found.append(holding(value, ends[0], ends[1]))
    return Terms(*found)


def _over_groups(pairs: Pairs, column: Column) -> Float:
    """The weighted sum of a column over every group."""
    assert pairs.codes is not None
    weight = pairs.weight

    def weighted(rows: slice) -> Float:
        return column(rows) if weight is None else weight[rows] * column(rows)

    return column_sums(weighted, len(pairs), pairs.codes, pairs.groups)


def _range_of(column: Column, rows: int) -> tuple[float, float]:
    """The smallest and the largest value of a column; NaN if there is one."""
    ends = [(values.min(), values.max()) for values in map(column, chunks(rows))]
    return float(np.min(ends)), float(np.max(ends))
