"""Decompose a loss: calibration and refinement, and MCB − DSC + UNC.

For any estimate p of the frequency and any proper rule, the mean loss is exactly

    mean loss = calibration + refinement + residual

with calibration = mean[ℓ(q; p) − ℓ(p; p)], refinement = mean ℓ(p; p) and residual =
mean[(y − p)(ℓ(q, 1) − ℓ(q, 0))], where ℓ(x; p) is the mean loss of predicting x when y = 1 has
probability p. With bins, calibration is computed at the mean prediction of each bin, and the spread
of predictions within bins is a separate term. Each term is computed independently.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.decomposition import NAMES, TOTAL, Decomposition, Terms
from calibrant.calibration.analyses.describing import frequency
from calibrant.calibration.analyses.term_limits import (
    calibration_limits,
    clipped,
    entropies,
    group_limits,
    independent_limits,
    possible_ranges,
)
from calibrant.calibration.curves import BinnedCurve, Estimator, Isotonic
from calibrant.calibration.curves.cells import resample_cells
from calibrant.calibration.groups.exact_sums import Column, column_sums, order_free_sum
from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.groups.units import refuse_draws, refuse_one_group
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.intervals.means import mean_limits
from calibrant.calibration.scores import Brier, CalibMSE, MeanLoss
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

if TYPE_CHECKING:
    from calibrant.kernels.in_order import Ties

Float = NDArray[np.float64]
DEBIASED = ("calibration", "refinement")  # terms with a plug-in value beside the debiased one


def decompose_loss(
    pairs: Pairs,
    rule: MeanLoss,
    estimator: Estimator,
    level: float,
    interval: Bootstrap | None,
) -> Decomposition:
    """Decompose the mean loss; without an interval, the terms are plug-in values."""
    if interval is not None:
        refuse_one_group(pairs.groups, bare=True)
        warn_few(pairs.effective_groups)
    refuse_draws(pairs, "A decomposition", "use Brier and CalibMSE")
    plain = plugin_terms(pairs, rule, estimator)
    values, limits = plain, Terms(*[(None, None)] * len(Terms._fields))
    how: tuple[str, ...] = ()
    if interval is not None:
        how = (interval.spelled(), f"level={level:g}")
    if interval is not None and np.isfinite(plain.loss):
        drawn = _replicates(pairs, rule, estimator, interval.replicates, interval.seed)
        ranges = possible_ranges(rule)
        extra = float(np.mean(drawn.calibration)) - plain.calibration  # replicates add it again
        if isinstance(rule, Brier) and isinstance(estimator, BinnedCurve):
            extra = plain.calibration - CalibMSE(estimator)(pairs)
        values = _debiased(plain, extra, ranges.refinement.most)
        if pairs.groups:
            rows = _row_terms(pairs, rule, estimator)
            limits = group_limits(values, drawn, rows, pairs, level, ranges)
            limits = limits._replace(loss=mean_limits(rule.evidence(pairs), level))
        else:
            limits = independent_limits(values, drawn, pairs, rule, level, interval)
        limits = limits._replace(uncertainty=entropies(rule, frequency(pairs, level)))
        if isinstance(estimator, BinnedCurve):
            found = calibration_limits(pairs, rule, estimator, level, interval, limits.calibration)
            limits = limits._replace(calibration=found)
        limits = clipped(values, limits, ranges)
    signed = signature(f"{rule!r} by {estimator!r}", pairs, *how)
    terms = {
        field: Estimate(
            score=repr(rule) if name == TOTAL else name,
            value=float(value),
            low=low,
            high=high,
            level=level,
            n=pairs.n,
            groups=pairs.groups,
            plugin=float(plugin) if field in DEBIASED else None,
            too_small=0,
            signature=signed,
        )
        for field, name, value, plugin, (low, high) in zip(
            Terms._fields, NAMES, values, plain, limits, strict=True
        )
    }
    return Decomposition(**terms, rule=repr(rule), curve=repr(estimator))


def plugin_terms(pairs: Pairs, rule: MeanLoss, estimator: Estimator) -> Terms:
    """The plug-in value of every term, each computed independently."""
    curve, ranked = estimator.estimate(pairs), Isotonic().estimate(pairs)
    parts = pairs.in_order(lambda ties: _sums(ties, rule, curve(ties.q), ranked(ties.q)))
    found = _Sums(*(float(np.sum(each)) for each in zip(*parts, strict=True)))
    n = found.weight
    loss, refinement, predicted = (x / n for x in (found.loss, found.entropy, found.predicted))
    within = 0.0
    if isinstance(estimator, BinnedCurve):
        bins = estimator.bins(pairs)
        at_means = float(bins.n @ rule.expected(bins.q, bins.p)) / n
        within, predicted = predicted - at_means, at_means
    residual, best = found.residual / n, found.best / n
    base = np.clip([found.positive / n], 0.0, 1.0)
    uncertainty = float(rule.entropy(base)[0])
    if pairs.moments is not None:  # compressed: no curve explains the spread within rows
        exact = float(np.dot(rule.row_losses(pairs), _weights(pairs))) / n
        within, loss = within + exact - loss, exact
    elif not np.isfinite(loss):
        rule.row_losses(pairs)  # warns of infinite losses
    return Terms(
        loss=loss,
        calibration=predicted - refinement,
        refinement=refinement,
        within=within,
        residual=residual,
        miscalibration=loss - best,
        discrimination=uncertainty - best,
        uncertainty=uncertainty,
    )


class _Sums(NamedTuple):
    """Sums over distinct predictions, by weight."""

    weight: float
    positive: float
    loss: float
    entropy: float  # of the curve
    predicted: float  # the loss that the curve predicts
    residual: float
    best: float  # the loss of the isotonic curve


def _sums(ties: "Ties", rule: MeanLoss, p: Float, ranked: Float) -> _Sums:
    weight, positive = ties.weight, ties.positive
    yes, no = rule.loss(ties.q, 1), rule.loss(ties.q, 0)

    def sum_of(share: Float, loss: Float) -> float:
        used = share != 0  # a share of 0 times an infinite loss is 0
        return order_free_sum(share[used] * loss[used])

    with np.errstate(invalid="ignore"):  # the difference of infinite losses is NaN
        residual = sum_of(positive - weight * p, yes - no)
    return _Sums(
        weight=float(weight.sum()),
        positive=float(positive.sum()),
        loss=sum_of(positive, yes) + sum_of(weight - positive, no),
        entropy=sum_of(weight, rule.entropy(p)),
        predicted=sum_of(weight * p, yes) + sum_of(weight * (1 - p), no),
        residual=residual,
        best=sum_of(positive, rule.loss(ranked, 1))
        + sum_of(weight - positive, rule.loss(ranked, 0)),
    )


def _weights(pairs: Pairs) -> Float:
    return np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)


def _replicates(
    pairs: Pairs, rule: MeanLoss, estimator: Estimator, replicates: int, seed: int
) -> Terms:
    """The terms of resampled pairs, with fixed bins, bandwidth and losses within cells."""
    drawn = _resampled(pairs, rule, estimator, replicates, seed)
    ranked = _resampled(pairs, rule, Isotonic(), replicates, seed)
    return Terms(
        loss=drawn.loss,
        calibration=drawn.predicted - drawn.entropy,
        refinement=drawn.entropy,
        within=None,
        residual=None,
        miscalibration=ranked.loss - ranked.entropy,
        discrimination=ranked.base - ranked.entropy,
        uncertainty=ranked.base,
    )


class _Drawn(NamedTuple):
    loss: Float  # mean loss of each replicate
    predicted: Float  # mean loss that its curve predicts
    entropy: Float  # mean entropy of its curve
    base: Float  # entropy of its base rate


def _resampled(
    pairs: Pairs, rule: MeanLoss, estimator: Estimator, replicates: int, seed: int
) -> _Drawn:
    """Draw cells, and fit the curve to each draw."""
    cells = estimator.cell_gaps(pairs)
    bins = cells.bins
    column = estimator.columns(pairs)

    def share(rows: slice, outcome: int) -> Float:
        held = (pairs.y[rows] if outcome else 1 - pairs.y[rows]).astype(np.float64)
        return held if pairs.weight is None else pairs.weight[rows] * held

    def losses(rows: slice, outcome: int) -> Float:
        each = share(rows, outcome)
        q = pairs.q[rows].astype(np.float64)
        return np.asarray(each * np.where(each > 0, rule.loss(q, outcome), 0.0))

    def over_cells(values: Callable[[slice, int], Float], outcome: int) -> Float:
        return column_sums(lambda rows: values(rows, outcome), len(pairs), column, bins.n.size)

    k, rest = over_cells(share, 1), over_cells(share, 0)
    n, positive = resample_cells(pairs, column, bins.n, k, replicates, seed)
    total = n.sum(axis=1)
    frequency = cells.frequencies(n, positive)
    yes, no = (
        over_cells(losses, outcome) / np.where(held > 0, held, 1.0)
        for outcome, held in ((1, k), (0, rest))
    )
    loss = (positive @ yes + (n - positive) @ no) / total
    expected = rule.expected(np.broadcast_to(bins.q, n.shape), frequency)
    return _Drawn(
        loss,
        (n * expected).sum(axis=1) / total,
        (n * rule.entropy(frequency)).sum(axis=1) / total,
        rule.entropy(positive.sum(axis=1) / total),
    )


def _debiased(plain: Terms, noise: float, most: float) -> Terms:
    """Move the noise in calibration to the refinement, which cannot be larger than `most`."""
    extra = max(0.0, min(noise, plain.calibration, most - plain.refinement))
    return plain._replace(
        calibration=plain.calibration - extra, refinement=plain.refinement + extra
    )


def _row_terms(pairs: Pairs, rule: MeanLoss, estimator: Estimator) -> Terms:
    """What each row adds to each term, computed for a few rows at a time.

    For a proper rule, the terms are means of the losses of q, of the curve and of the base rate:
    to first order, a curve that is fitted to other pairs changes none of them.
    """
    base = np.clip(pairs.mean(pairs.y), 0.0, 1.0)
    predicted: dict[str, Callable[[Float], Float]] = {
        "own": lambda q: q,
        "curve": estimator.estimate(pairs),
        "ranked": Isotonic().estimate(pairs),
        "flat": lambda q: np.full(q.size, base),
    }

    def column(name: str, less: str | None = None) -> Column:
        def values(rows: slice) -> Float:
            q, y = pairs.q[rows].astype(np.float64), pairs.y[rows]
            found = _losses(rule, y, predicted[name](q))
            return found if less is None else found - _losses(rule, y, predicted[less](q))

        return values

    return Terms(
        loss=column("own"),
        calibration=column("own", "curve"),
        refinement=column("curve"),
        within=None,
        residual=None,
        miscalibration=column("own", "ranked"),
        discrimination=column("flat", "ranked"),
        uncertainty=column("flat"),
    )


def _losses(rule: MeanLoss, y: NDArray[Any], p: Float) -> Float:
    """The loss of predicting p for each row."""
    found = np.zeros(p.size)
    for outcome, share in ((1, y), (0, 1 - y)):
        used = share > 0  # the loss of the other outcome may be infinite
        found[used] += share[used] * rule.loss(p[used], outcome)
    return found
