"""Where a loss comes from: calibration and refinement, and MCB − DSC + UNC.

For any estimate p of the frequency and any proper rule, the mean loss is exactly

    mean loss = calibration + refinement + residual

with calibration = mean[ℓ(q; p) − ℓ(p; p)], refinement = mean ℓ(p; p) and residual =
mean[(y − p)(ℓ(q, 1) − ℓ(q, 0))], where ℓ(x; p) is the mean loss of predicting x when y = 1 has
probability p. Over bins, calibration is taken at the mean prediction of each bin, and what the
predictions within a bin add is a term of its own. Each term is computed on its own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves import BinnedCurve, Estimator, Isotonic
from calibrant.calibration.curves.cells import resample_cells
from calibrant.calibration.gaps.evidence import order_free_sum, refuse_draws, refuse_one_group
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import MeanLoss
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, Estimates, signature
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]


class Terms(NamedTuple):
    """The terms of a loss, as losses."""

    loss: Any
    calibration: Any
    refinement: Any
    within: Any
    residual: Any
    miscalibration: Any
    discrimination: Any
    uncertainty: Any


TOTAL = "mean loss"
NAMES = Terms(
    TOTAL, "calibration", "refinement", "within bins", "residual", "MCB", "DSC", "UNC"
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decomposition(Tabular):
    """A mean loss and where it comes from.

    Attributes
    ----------
    loss
        The mean loss: calibration + refinement + within + residual, and also MCB − DSC + UNC.
    calibration
        What is lost because predictions are not the frequencies. Debiased; the plug-in is kept
        beside it.
    refinement
        What would be lost if they were: how far apart the curve keeps yes and no.
    within
        What the spread of predictions within bins adds; 0 for curves without bins.
    residual
        What the curve has not explained; small.
    miscalibration
        MCB: what isotonic recalibration would gain.
    discrimination
        DSC: what the recalibrated predictions gain over the base rate.
    uncertainty
        UNC: the loss of predicting the base rate.
    rule, curve
        The printed forms of the rule and of the curve.
    """

    loss: Estimate
    calibration: Estimate
    refinement: Estimate
    within: Estimate
    residual: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate
    rule: str
    curve: str

    def estimates(self) -> Estimates:
        """All terms, in order."""
        return Estimates(getattr(self, name) for name in Terms._fields)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        header, rows = self.estimates().table()
        return ["term", *header[1:]], rows

    def __repr__(self) -> str:
        return f"<Decomposition of {self.rule} by {self.curve}>\n{self}"

    @property
    def note(self) -> str:
        """What notebooks show above the table."""
        return self.loss.signature

    @property
    def signature(self) -> str:
        """What reproduces the decomposition, in one line."""
        return self.loss.signature

    def to_dict(self) -> dict[str, Any]:
        """All terms by name."""
        return {name: getattr(self, name).to_dict() for name in Terms._fields}

    def to_frame(self) -> "polars.DataFrame":
        """One row per term."""
        import polars

        return polars.DataFrame([{"term": name} | each for name, each in self.to_dict().items()])


def decompose_loss(
    pairs: Pairs,
    rule: MeanLoss,
    estimator: Estimator,
    level: float,
    interval: Bootstrap | None,
) -> Decomposition:
    """Decompose the mean loss; an interval resamples groups, or pairs."""
    if interval is not None:
        refuse_one_group(pairs.groups, "leave the group out, or ask for interval=None")
    refuse_draws(pairs, "A decomposition", "take Brier and CalibMSE")
    plain = plugin_terms(pairs, rule, estimator)
    values, limits = plain, Terms(*[(None, None)] * len(Terms._fields))
    if interval is not None and np.isfinite(plain.loss):
        drawn = _replicates(pairs, rule, estimator, interval.replicates, interval.seed)
        values, limits = _debiased(plain, drawn, level)
    how: tuple[str, ...] = ()
    if interval is not None:
        how = (interval.spelled(), f"level={level:g}")
    signed = signature(f"{rule!r} by {estimator!r}", pairs, *how)
    estimates = [
        Estimate(
            score=f"{rule!r}" if name == TOTAL else name,
            value=float(value),
            low=low,
            high=high,
            level=level,
            n=pairs.n,
            groups=pairs.groups,
            plugin=float(plugin) if name in NAMES[1:3] else None,
            too_small=0,
            signature=signed,
        )
        for name, value, plugin, (low, high) in zip(NAMES, values, plain, limits, strict=True)
    ]
    terms = dict(zip(Terms._fields, estimates, strict=True))
    return Decomposition(**terms, rule=repr(rule), curve=repr(estimator))


def plugin_terms(pairs: Pairs, rule: MeanLoss, estimator: Estimator) -> Terms:
    """Every term as the data show it, each computed on its own."""
    tally = pairs.tally
    n = float(tally.weight.sum())
    q, weight, positive = tally.q, tally.weight, tally.positive
    p = estimator.estimate(pairs)(q)
    yes, no = rule.loss(q, 1), rule.loss(q, 0)

    def mean(share: Float, loss: Float) -> float:
        used = share != 0  # nothing times infinity is nothing
        return order_free_sum(share[used] * loss[used]) / n

    loss = mean(positive, yes) + mean(weight - positive, no)
    refinement = mean(weight, rule.entropy(p))
    predicted = mean(weight * p, yes) + mean(weight * (1 - p), no)
    within = 0.0
    if isinstance(estimator, BinnedCurve):
        bins = estimator.bins(pairs)
        at_means = float(bins.n @ rule.expected(bins.q, bins.p)) / n
        within, predicted = predicted - at_means, at_means
    with np.errstate(invalid="ignore"):  # infinite losses have no difference
        residual = mean(positive - weight * p, yes - no)
    base = np.array([positive.sum() / n])
    uncertainty = float(rule.entropy(base)[0])
    fitted = Isotonic().estimate(pairs)(q)
    best = mean(positive, rule.loss(fitted, 1)) + mean(weight - positive, rule.loss(fitted, 0))
    exact = float(np.dot(rule.row_losses(pairs), _weights(pairs))) / n
    if pairs.moments is not None:  # compressed: the spread within rows belongs to no curve
        within += exact - loss
        loss = exact
    return Terms(
        loss, predicted - refinement, refinement, within, residual,
        loss - best, uncertainty - best, uncertainty,
    )  # fmt: skip


def _weights(pairs: Pairs) -> Float:
    return np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)


def _replicates(
    pairs: Pairs, rule: MeanLoss, estimator: Estimator, replicates: int, seed: int
) -> Terms:
    """The terms of resampled pairs; bins, bandwidth and the losses within a cell stay."""
    drawn = _resampled(pairs, rule, estimator, replicates, seed)
    ranked = _resampled(pairs, rule, Isotonic(), replicates, seed)
    return Terms(
        drawn.loss, drawn.predicted - drawn.entropy, drawn.entropy, None, None,
        ranked.loss - ranked.entropy, ranked.base - ranked.entropy, ranked.base,
    )  # fmt: skip


class _Drawn(NamedTuple):
    loss: Float  # of each replicate
    predicted: Float  # as its curve predicts it
    entropy: Float  # of its curve
    base: Float  # of its base rate


def _resampled(
    pairs: Pairs, rule: MeanLoss, estimator: Estimator, replicates: int, seed: int
) -> _Drawn:
    """Draw cells, and fit the curve anew to each draw."""
    gaps = estimator.gaps(pairs)
    bins = gaps.bins if gaps.coarse is None else gaps.coarse
    column = estimator.columns(pairs)
    weight = _weights(pairs)
    y = pairs.y.astype(np.float64)
    k = sum_by(column, weight * y, bins.n.size)
    n, positive = resample_cells(pairs, column, bins.n, k, replicates, seed)
    total = n.sum(axis=1)
    frequency = _frequencies(gaps.smoother, gaps.isotonic, bins.p, n, positive)
    means = []
    for outcome, share in ((1, weight * y), (0, weight * (1 - y))):
        losses = np.where(share > 0, rule.loss(pairs.q.astype(np.float64), outcome), 0.0)
        held = sum_by(column, share, bins.n.size)
        sums = sum_by(column, share * losses, bins.n.size)
        means.append(sums / np.where(held > 0, held, 1.0))
    loss = (positive @ means[0] + (n - positive) @ means[1]) / total
    expected = rule.expected(np.broadcast_to(bins.q, n.shape), frequency)
    return _Drawn(
        loss,
        (n * expected).sum(axis=1) / total,
        (n * rule.entropy(frequency)).sum(axis=1) / total,
        rule.entropy(positive.sum(axis=1) / total),
    )


def _frequencies(
    smoother: Float | None, isotonic: bool, p: Float, n: Float, positive: Float
) -> Float:
    """The curve of each replicate at its cells."""
    if smoother is not None:
        return np.clip(p + (positive - n * p) @ smoother.T, 0.0, 1.0)
    raw = np.where(n > 0, positive / np.maximum(n, 1e-9), p)
    if isotonic:
        from calibrant.kernels.calibration.pav import fit_rows

        for r in range(raw.shape[0]):
            fit_rows(raw[r : r + 1], np.maximum(n[r], 1e-9))
    return np.clip(raw, 0.0, 1.0)


def _debiased(plain: Terms, drawn: Terms, level: float) -> tuple[Terms, Terms]:
    """Values without what noise adds, and limits: replicates add the same noise once more."""
    tail = (1 - level) / 2
    extra = max(0.0, float(np.mean(drawn.calibration)) - plain.calibration)
    values = plain._replace(
        calibration=plain.calibration - extra, refinement=plain.refinement + extra
    )
    limits = []
    for name, value, replicates in zip(Terms._fields, values, drawn, strict=True):
        if replicates is None or not np.isfinite(value):
            limits.append((None, None))
            continue
        centred = replicates - replicates.mean() + value
        low, high = (float(each) for each in np.quantile(centred, [tail, 1 - tail]))
        if name in ("calibration", "miscalibration", "discrimination"):
            low, high = max(low, 0.0), max(high, 0.0)
        limits.append((min(low, value), max(high, value)))
    return values, Terms(*limits)
