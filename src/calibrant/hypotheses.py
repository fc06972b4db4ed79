"""Tests of the hypothesis that a calibrated model produced the data.

Without groups every test has a null distribution of its own. With groups the residuals y − q of
a sentence may lean the same way, so signs are flipped group by group (a wild bootstrap), or the
variance is taken over groups.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.arrays import sum_by
from calibrant.curves import AdaptiveBins, BinnedCurve
from calibrant.curves.cells import GroupCells, group_cells, position
from calibrant.errors import ParameterError, UnknownName, UnsupportedError
from calibrant.estimate import signature
from calibrant.evidence import distinct, resampling_units
from calibrant.kernels.logistic import fit_line, log_likelihood
from calibrant.naming import Named
from calibrant.norms import CumulativeLargest, CumulativeRange, Norm
from calibrant.pairs import Pairs
from calibrant.parameters import whole_number
from calibrant.scores import CalibrationError, CalibScore, Score
from calibrant.verdict import Verdict

Float = NDArray[np.float64]
Int = NDArray[np.int64]
CELLS = 1000  # that cumulative sums of groups are taken over
FEWEST = 10  # groups: with fewer, too little is known of how they differ


class Hypothesis(Named, ABC, abstract=True):
    """A test that a calibrated model produced the data."""

    kind: ClassVar[str] = "test"

    def __call__(self, pairs: Pairs) -> Verdict:
        """Test these pairs."""
        if pairs.codes is not None and pairs.groups < FEWEST:
            raise UnsupportedError(
                f"There are only {pairs.groups} groups, too few to tell how much groups differ "
                f"(at least {FEWEST} are needed)."
            )
        if pairs.moments is not None:
            raise UnsupportedError("Compressed pairs have lost their ties: test the pairs.")
        statistic, p_value, how = self.evaluate(pairs)
        signed = signature(self.spelled(), pairs)
        p_value = min(max(p_value, 0.0), 1.0)
        return Verdict(repr(self), statistic, p_value, how, pairs.n, pairs.groups, signed)

    @abstractmethod
    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic, the p-value and how it was worked out."""


def _leanings(pairs: Pairs, column: Int, count: int) -> GroupCells | None:
    """Sums of residuals y − q by group and cell; None without groups."""
    return group_cells(pairs, column, count, pairs.y - pairs.predicted)


def _flipped(found: GroupCells, count: int, replicates: int, seed: int) -> Float:
    """Sums over cells with the sign of every group drawn anew, one row per replicate."""
    from calibrant.kernels.groups import flip

    return flip(found.start, found.column, found.k, count, replicates, seed)


def _share_beyond(drawn: Float, observed: float) -> float:
    """The share of replicates at least as large, the data themselves counted in."""
    return float((1 + np.sum(drawn >= observed * (1 - 1e-12))) / (1 + drawn.size))


def _by_group(pairs: Pairs, columns: list[Float]) -> Float | None:
    """Sums of each column (one value per row, times weight) by group; None without groups."""
    units = resampling_units(pairs)
    if units is None:
        return None
    codes, weight, order = units
    scale = 1.0 if weight is None else weight
    return np.column_stack([sum_by(codes, each[order] * scale) for each in columns])


def _hotelling(sums: Float) -> tuple[float, float]:
    """Whether the sums of groups have mean 0: the statistic F and its p-value."""
    from scipy.special import fdtrc

    groups, many = sums.shape
    total = sums.sum(axis=0)
    products = sums.T @ sums
    t = float(total @ np.linalg.pinv(products) @ total)
    f = (groups - many) / many * t / max(groups - t, 1e-12)
    return f, float(fdtrc(many, groups - many, f))


REPLICATES = 1999
SCORE = CalibScore()


@dataclass(frozen=True, repr=False)
class Cumulative(Hypothesis):
    """Whether the cumulative differences Σ(y − q), in the order of q, wander too far.

    For a calibrated model they are a random walk. "range" is the largest minus the smallest
    (Kuiper's way), "max" the largest distance from 0 (Kolmogorov and Smirnov's). Nothing has to
    be chosen, neither bins nor bandwidth. Without groups the p-value is that of Brownian motion.

    Reference: Arrieta-Ibarra et al. (2022), arXiv:2205.09680.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.Cumulative()(cb.synthetic.sample(2000, cb.synthetic.inward(0.1), seed=1)))
    Cumulative: p = 1.7e-28. A calibrated model would look this wrong in less than 0.05 % of
    samples: this is hardly one.
    """

    statistic: str = "range"
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        if self.statistic not in ("range", "max"):
            raise UnknownName("statistic", str(self.statistic), ("range", "max"))
        _check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic in units of its standard deviation at the end of the walk."""
        tally = pairs.tally
        steps = tally.positive - tally.weight * tally.q
        noise = float(np.sqrt(np.sum(tally.weight * tally.q * (1 - tally.q))))
        if resampling_units(pairs) is None:
            if noise == 0.0:
                return _certain(bool(np.any(steps)))
            found = float(self._of(steps)) / noise
            beyond = range_beyond if self.statistic == "range" else distance_beyond
            return found, beyond(found), "Brownian motion"
        upper = distinct(pairs).merged(CELLS).upper
        leanings = _leanings(pairs, np.searchsorted(upper, pairs.q), upper.size)
        assert leanings is not None
        observed = self._of(sum_by(leanings.column, leanings.k, upper.size))
        drawn = self._of(_flipped(leanings, upper.size, self.replicates, self.seed))
        totals = sum_by(leanings.owner, leanings.k, leanings.groups)
        scale = float(np.sqrt(np.sum(totals**2))) or 1.0
        return float(observed) / scale, _share_beyond(drawn, float(observed)), _FLIPS

    def _of(self, steps: Float) -> Float:
        norm = CumulativeRange() if self.statistic == "range" else CumulativeLargest()
        return norm.plain(steps, np.ones(1))


_FLIPS = "signs of groups flipped"


def _certain(wrong: bool) -> tuple[float, float, str]:
    """All predictions are 0 or 1: a single surprise is impossible."""
    return (np.inf, 0.0, "certainty") if wrong else (0.0, 1.0, "certainty")


def _check_replicates(test: Any) -> None:  # noqa: ANN401
    object.__setattr__(test, "replicates", whole_number("replicates", test.replicates, 99, 100_000))
    object.__setattr__(test, "seed", whole_number("seed", test.seed, 0, 2**63 - 1))


def distance_beyond(x: float) -> float:
    """P(max |B| > x) for Brownian motion B on [0, 1]."""
    if x <= 0:
        return 1.0
    k = np.arange(50)
    terms = (-1.0) ** k / (2 * k + 1) * np.exp(-(((2 * k + 1) * np.pi / x) ** 2) / 8)
    if x < 3:
        return float(1 - 4 / np.pi * terms.sum())
    from scipy.special import ndtr

    return float(4 * np.sum((-1.0) ** k * ndtr(-(2 * k + 1) * x)))


def range_beyond(x: float) -> float:
    """P(max B − min B > x) for Brownian motion B on [0, 1] (Feller, 1951)."""
    from scipy.special import ndtr

    if x < 0.4:  # the probability is 1 to 15 digits, and the series slow
        return 1.0
    k = np.arange(1, 200)
    return float(8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x)))


@dataclass(frozen=True, repr=False)
class Spiegelhalter(Hypothesis):
    """Whether the Brier score is what a calibrated model expects: Spiegelhalter's z.

    Σ(y − q)(1 − 2q), which is blind to errors that cancel in it. With groups its variance is
    taken over groups.

    Reference: Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """Z (or, with groups, its robust form) and the two-sided p-value."""
        from scipy.special import ndtr

        q = pairs.q.astype(np.float64)
        parts = (pairs.y - pairs.predicted) * (1 - 2 * q)
        sums = _by_group(pairs, [parts])
        if sums is not None:
            f, p_value = _hotelling(sums)
            return float(np.sign(sums.sum()) * np.sqrt(f)), p_value, "variance over groups"
        tally = pairs.tally
        side = 1 - 2 * tally.q
        total = np.sum((tally.positive - tally.weight * tally.q) * side)
        noise = np.sqrt(np.sum(tally.weight * side**2 * tally.q * (1 - tally.q)))
        if noise == 0.0:
            return _certain(bool(total != 0))
        z = float(total / noise)
        return z, float(2 * ndtr(-abs(z))), "normal distribution"


@dataclass(frozen=True, repr=False)
class Cox(Hypothesis):
    """Whether intercept and slope of a logistic regression of y on logit(q) are 0 and 1.

    Strong against models that are too extreme, too timid, or lean to one side. Without groups
    it is the likelihood ratio; with groups a score test with the variance over groups.
    Predictions of exactly 0 and 1 have no logit: one that failed is impossible, the others are
    left out.

    Reference: Cox (1958), doi:10.1093/biomet/45.3-4.562.
    """

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The likelihood ratio (or F, with groups) and its p-value."""
        from scipy.special import chdtrc

        tally = pairs.tally
        ends = (tally.q == 0) | (tally.q == 1)
        surprised = np.any(tally.positive[tally.q == 0]) or np.any(
            tally.weight[tally.q == 1] != tally.positive[tally.q == 1]
        )
        if surprised and pairs.held is None:  # draws that all say yes are no certainty
            return _certain(True)
        if ends.all():
            return _certain(False)
        if resampling_units(pairs) is not None:
            q = pairs.q.astype(np.float64)
            inner = (q > 0) & (q < 1)
            x = np.zeros(q.size)
            x[inner] = position(q[inner], "logit")
            residual = np.where(inner, pairs.y - pairs.predicted, 0.0)
            sums = _by_group(pairs, [residual, residual * x])
            assert sums is not None
            return *_hotelling(sums), "variance over groups"
        q, n, k = tally.q[~ends], tally.weight[~ends], tally.positive[~ends]
        x = position(q, "logit")
        gained = 2 * (fit_line(x, n, k).likelihood - log_likelihood(x, n, k))
        return float(gained), float(chdtrc(2, max(gained, 0.0))), "chi-squared with 2 degrees"


@dataclass(frozen=True, repr=False)
class HosmerLemeshow(Hypothesis):
    """Whether observed and expected counts agree over bins: Σ (O − E)² / (E(1 − E/n)).

    The usual test, whose answer depends on the number of bins. Chi-squared with as many degrees
    as there are bins, since the predictions were not fitted to these data.

    Reference: Hosmer and Lemeshow (1980), doi:10.1080/03610928008827941.
    """

    count: int = 10
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", whole_number("count", self.count, 2))
        _check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """Chi-squared and its p-value."""
        from scipy.special import chdtrc

        curve = AdaptiveBins(count=self.count)
        bins = curve.bins(pairs)
        spread = bins.total * (1 - bins.q)
        wrong = bool(np.any((spread == 0) & (bins.positive != bins.total))) and pairs.held is None
        if wrong or not np.any(spread):
            return _certain(wrong)
        scale = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        found = float(np.sum((bins.positive - bins.total) ** 2 * scale))
        leanings = _leanings(pairs, curve.columns(pairs), bins.n.size)
        if leanings is None:
            used = int((spread > 0).sum())
            return found, float(chdtrc(used, found)), f"chi-squared with {used} degrees"
        drawn = _flipped(leanings, bins.n.size, self.replicates, self.seed) ** 2 @ scale
        return found, _share_beyond(drawn, found), _FLIPS


@dataclass(frozen=True, repr=False)
class Consistency(Hypothesis):
    """Whether a score is larger than those of calibrated models with the same predictions.

    Outcomes are drawn anew from the predictions, and scored. With groups the signs of their
    residuals are flipped instead, which is possible for calibration errors over bins.

    Reference: Bröcker and Smith (2007), doi:10.1175/WAF993.1.
    """

    score: Score = SCORE
    replicates: int = 999
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.score, Score):
            raise ParameterError(f"A score was expected, such as CalibScore(), not {self.score!r}.")
        _check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The plug-in of the score, and the share of drawn ones that are as large."""
        pairs = self.score.within(pairs)
        binned = isinstance(self.score, CalibrationError) and isinstance(
            self.score.curve, BinnedCurve
        )
        if resampling_units(pairs) is not None and not binned:
            raise UnsupportedError(
                f"Outcomes of {self.score!r} can be drawn only where pairs are independent, and "
                "these have groups (or importance weights): use Cumulative() or a score over bins."
            )
        if binned:
            return self._over_bins(pairs)
        generator = np.random.default_rng(self.seed)
        observed = self._plugin(pairs)
        drawn = np.empty(self.replicates)
        q = np.sort(pairs.q if pairs.weight is None else np.repeat(pairs.q, pairs.weight))
        for r in range(self.replicates):
            drawn[r] = self._plugin(Pairs(generator.random(q.size) < q, q))
        return observed, _share_beyond(drawn, observed), "outcomes drawn from the predictions"

    def _plugin(self, pairs: Pairs) -> float:
        evidence = self.score.evidence(pairs)
        plugin = self.score.plugin(evidence)
        return self.score.value(evidence) if plugin is None else plugin

    def _over_bins(self, pairs: Pairs) -> tuple[float, float, str]:
        assert isinstance(self.score, CalibrationError)
        curve: Any = self.score.curve
        norm: Norm = self.score.norm
        bins = curve.bins(pairs)
        share = bins.n / bins.n.sum()
        observed = float(norm.plain(bins.q - bins.p, share))
        column = curve.columns(pairs)
        leanings = _leanings(pairs, column, bins.n.size)
        if leanings is not None:
            gaps = _flipped(leanings, bins.n.size, self.replicates, self.seed) / bins.n
            how = _FLIPS
        else:
            order = np.argsort(pairs.q, kind="stable")
            q, column = pairs.q[order], column[order]
            weight = np.ones(1, np.int64) if pairs.weight is None else pairs.weight[order]
            generator = np.random.default_rng(self.seed)
            gaps = np.empty((self.replicates, bins.n.size))
            for r in range(self.replicates):
                y = (
                    generator.random(q.size) < q
                    if pairs.weight is None
                    else generator.binomial(weight.astype(np.int64), q)
                )
                gaps[r] = bins.q - sum_by(column, y.astype(np.float64), bins.n.size) / bins.n
            how = "outcomes drawn from the predictions"
        p_value = _share_beyond(norm.plain(gaps, share), observed)
        return self.score.scale(observed), p_value, how


@dataclass(frozen=True, repr=False)
class Joint(Hypothesis):
    """`Cox` and `Cumulative` together, the default: p is twice the smaller of the two.

    The first is strong against models that are too extreme, too timid or lean to one side, as
    most that are wrong are; the second sees anything else.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.test(cb.synthetic.sample(2000, cb.synthetic.inward(0.05), seed=1)))
    Joint: p = 6.7e-47. A calibrated model would look this wrong in less than 0.05 % of
    samples: this is hardly one.
    """

    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        _check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic of the stronger test, and Bonferroni's p-value."""
        tests = (Cox(), Cumulative(replicates=self.replicates, seed=self.seed))
        found = [(test.evaluate(pairs), repr(test)) for test in tests]
        (statistic, p_value, how), name = min(found, key=lambda each: each[0][1])
        return statistic, 2 * p_value, f"{name} was the stronger of two: {how}"
