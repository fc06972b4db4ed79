"""`PIT`: the quantile of each observation in its predicted distribution."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.numbers.checks import (
    check_levels,
    check_probabilities,
    check_quantiles,
    check_rows,
    finite_matrix,
    finite_vector,
    one_or_each,
)
from calibrant.calibration.numbers.chi_squared import sum_of_squares
from calibrant.calibration.numbers.coverage import Coverage, make_coverage
from calibrant.calibration.numbers.curve import QuantileCurve, make_curve, uniformity
from calibrant.calibration.numbers.histogram import Histogram, make_histogram
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.score import make_score
from calibrant.calibration.numbers.sharpness import OfDraws, OfNormals, OfQuantiles, Sharpness
from calibrant.checks import arrays
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, UnknownName, UnsupportedError
from calibrant.results.estimate import Estimate
from calibrant.results.verdict import Verdict

Float = NDArray[np.float64]
FEWEST = 10  # observations: with fewer, a test says nothing
TESTS = ("Uniform", "CookGelmanRubin")
COUNT = 100  # cells that the curve and its test part [0, 1] into


@dataclass(frozen=True, eq=False, repr=False)
class PIT:
    """The probability integral transform u = F(y) of observations under their predictions.

    F is the distribution function that was predicted for y. Where predictions are calibrated, u
    is uniform on [0, 1]. Make one with `from_cdf`, `from_samples`, `from_quantiles` or
    `from_normal`.

    u may be known only to lie in an interval: between F(y−) and F(y) of a discrete distribution,
    between two predicted quantiles, between two of the draws. Under calibration a u drawn evenly
    from its interval is uniform. Histogram, curve, score and coverage split such observations in
    proportion and need no draws; tests draw, with a seed.

    Attributes
    ----------
    positions
        The interval of each u, and the group of each row.
    sharpness
        What tells how wide predictions are; None where only F(y) is known.

    Notes
    -----
    References: Dawid (1984), doi:10.2307/2981683; for discrete distributions Czado, Gneiting and
    Held (2009), doi:10.1111/j.1541-0420.2009.01191.x.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> y = np.random.default_rng(1).normal(size=1000)
    >>> pit = cb.numbers.PIT.from_normal(y, mean=0, sd=0.8)  # too narrow
    >>> pit
    PIT(1000 observations: mean 0.484, 28.4 % in the outer tenths)
    >>> print(pit.test())
    Uniform: p = 1.9e-09. A calibrated model would look this wrong in less than 0.05 % of
    samples: this is hardly one.
    """

    positions: Positions
    sharpness: Sharpness | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.positions, Positions):
            raise InputError(
                "Make a PIT with PIT.from_cdf(...), from_samples, from_quantiles or from_normal."
            )

    @classmethod
    def from_cdf(cls, at: object, below: object = None, *, group: object = None) -> "PIT":
        """From the predicted distribution function at each observation.

        Parameters
        ----------
        at
            F(y), in [0, 1].
        below
            F(y−), the probability of less than y, where the distribution is discrete; without
            it F is taken to be continuous.
        group
            The document or sentence of each observation.

        Examples
        --------
        >>> import calibrant as cb
        >>> cb.numbers.PIT.from_cdf([0.2, 0.7, 0.9])
        PIT(3 observations: mean 0.6, 0 % in the outer tenths)
        """
        high = finite_vector(at, "at")
        check_probabilities(high, "at")
        low = high
        if below is not None:
            low = finite_vector(below, "below")
            check_rows(high.size, below=low)
            check_probabilities(low, "below")
            if (low > high).any():
                k = int(np.argmax(low > high))
                raise InputError(
                    f"below must not exceed at, but below[{k}] is {low[k]:g} and at[{k}] is "
                    f"{high[k]:g} ({int((low > high).sum())} of {low.size} do). below is F(y−), "
                    "the probability of less than y."
                )
        return cls(_positions(low, high, None, group))

    @classmethod
    def from_samples(cls, y: object, samples: object, *, group: object = None) -> "PIT":
        """From draws of each predicted distribution.

        The rank of y among S draws gives u: it lies between (draws below y) / (S + 1) and
        (draws at or below y, plus 1) / (S + 1). Ties of y with draws widen the interval.

        Parameters
        ----------
        y
            The observations.
        samples
            A matrix with a row of S draws per observation.
        group
            The document or sentence of each observation.

        Examples
        --------
        >>> import calibrant as cb
        >>> pit = cb.numbers.PIT.from_samples([2.5, 0.0], [[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]])
        >>> pit.low, pit.high
        (array([0.5, 0. ]), array([0.75, 0.75]))
        """
        observed = finite_vector(y, "y")
        draws = finite_matrix(samples, "samples", observed.size)
        count = draws.shape[1]
        if count < 2:
            raise InputError(
                f"samples must hold at least 2 draws per observation, but its shape is "
                f"{tuple(draws.shape)}."
            )
        less = (draws < observed[:, None]).sum(axis=1)
        within = (draws <= observed[:, None]).sum(axis=1)
        known = np.arange(1, count + 1) / (count + 1)
        positions = _positions(less / (count + 1), (within + 1) / (count + 1), known, group)
        return cls(positions, OfDraws(draws))

    @classmethod
    def from_quantiles(
        cls, y: object, levels: object, quantiles: object, *, group: object = None
    ) -> "PIT":
        """From predicted quantiles.

        u lies between the last level whose quantile is below y and the next. An observation that
        equals a predicted quantile counts as at or below it; for a discrete y use `from_cdf`.

        Parameters
        ----------
        y
            The observations.
        levels
            The levels of the quantiles, growing, strictly between 0 and 1.
        quantiles
            A matrix with a row per observation and a column per level, which must not cross.
        group
            The document or sentence of each observation.

        Examples
        --------
        >>> import calibrant as cb
        >>> pit = cb.numbers.PIT.from_quantiles([3.0, 9.0], [0.1, 0.5, 0.9], [[1, 2, 4], [1, 2, 4]])
        >>> pit.low, pit.high
        (array([0.5, 0.9]), array([0.9, 1. ]))
        """
        observed = finite_vector(y, "y")
        at = check_levels(levels, "levels")
        predicted = finite_matrix(quantiles, "quantiles", observed.size)
        check_quantiles(predicted, at)
        edges = np.concatenate([[0.0], at, [1.0]])
        less = (predicted < observed[:, None]).sum(axis=1)
        within = (predicted <= observed[:, None]).sum(axis=1)
        positions = _positions(edges[less], edges[np.maximum(within, less + 1)], at, group)
        return cls(positions, OfQuantiles(at, predicted))

    @classmethod
    def from_normal(cls, y: object, mean: object, sd: object, *, group: object = None) -> "PIT":
        """From normal distributions: u = Φ((y − mean) / sd).

        Parameters
        ----------
        y
            The observations.
        mean, sd
            The predicted means and standard deviations, one of each per observation, or a single
            number for all.
        group
            The document or sentence of each observation.
        """
        from scipy.special import ndtr

        observed = finite_vector(y, "y")
        centre = one_or_each(mean, "mean", observed.size)
        spread = one_or_each(sd, "sd", observed.size)
        if not spread.min() > 0:
            found = arrays.describe(spread, ~(spread > 0), "sd", "not")
            raise InputError(f"sd must be positive, but {found}.")
        u = ndtr((observed - centre) / spread)
        return cls(_positions(u, u, None, group), OfNormals(spread))

    @property
    def low(self) -> Float:
        """The lower end of the interval of each u: F(y−)."""
        return self.positions.low

    @property
    def high(self) -> Float:
        """The upper end of the interval of each u: F(y)."""
        return self.positions.high

    @property
    def n(self) -> int:
        """The number of observations."""
        return self.positions.n

    @property
    def groups(self) -> int:
        """The number of groups, 0 where there are none."""
        return self.positions.groups

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        many = f"{self.n} observation{'s' * (self.n != 1)}"
        if self.positions.codes is not None:
            many += f" in {self.groups} group{'s' * (self.groups != 1)}"
        mean = float((self.low + self.high).mean()) / 2
        lower, upper = self.positions.counts(np.array([0.1, 0.9])) / self.n
        outer = 100 * (lower + 1 - upper)
        return f"PIT({many}: mean {mean:.3g}, {outer:.3g} % in the outer tenths)"

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def randomised(self, seed: int = 0) -> "PIT":
        """The same with one u drawn from each interval, so that each is a point."""
        u = self.positions.randomised(whole_number("seed", seed, 0))
        return replace(self, positions=Positions(u, u, None, self.positions.codes))

    def histogram(self, count: int = 10, *, level: float = 0.95, seed: int = 0) -> Histogram:
        """How often u falls into each of `count` parts of [0, 1].

        With predicted quantiles or few draws, the bins end at levels that were predicted. The
        band is Bonferroni's of binomial counts; with groups their signs are flipped, by `seed`.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> y = np.random.default_rng(1).normal(size=1000)
        >>> print(cb.numbers.PIT.from_normal(y, mean=0, sd=0.8).histogram(count=5))
        start    end  count  expected  low  high
        0.000  0.200    264     200.0  168   233
        0.200  0.400    172     200.0  168   233
        0.400  0.600    170     200.0  168   233
        0.600  0.800    160     200.0  168   233
        0.800  1.000    234     200.0  168   233
        """
        return make_histogram(self.positions, count, level, seed)

    def curve(self, count: int = COUNT, *, level: float = 0.95, seed: int = 0) -> QuantileCurve:
        """The share of observations below each predicted quantile, with a simultaneous band.

        The share of u ≤ z against z, for z in steps of 1/`count`; with predicted quantiles, at
        their levels. The band is exact (Säilynoja, Bürkner and Vehtari, 2022); with groups their
        signs are flipped, by `seed`. `.difference()` takes off the diagonal.
        """
        return make_curve(self.positions, count, level, seed)

    def score(
        self,
        points: object = None,
        weight: object = None,
        *,
        root: bool = True,
        debiased: bool = True,
        level: float = 0.95,
        replicates: int | None = 1000,
        seed: int = 0,
    ) -> Estimate:
        """The quantile calibration score: √(Σ wⱼ (share{u ≤ zⱼ} − zⱼ)²).

        Noise adds the variance of each share, which is taken off (over groups where there are
        any); the plug-in is kept beside it. The interval holds the scores under which the
        observed one is no surprise, as that of `CalibScore` does.

        Parameters
        ----------
        points
            The levels zⱼ; 0.01, 0.02, ..., 0.99 unless given, or the predicted ones.
        weight
            The weight wⱼ of each; they are scaled to add up to 1, and equal unless given.
        root
            Whether the root is taken; without it the score is Kuleshov's (2018) sum of squares.
        debiased
            Whether what noise adds is taken off.
        level
            The level of the interval.
        replicates
            How many replicates the interval is made from; None for no interval.
        seed
            The seed of the replicates.

        Notes
        -----
        Reference: Kuleshov, Fenner and Ermon (2018), arXiv:1807.00263.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> y = np.random.default_rng(1).normal(size=1000)
        >>> print(cb.numbers.PIT.from_normal(y, mean=0, sd=0.8).score())
        QuantileScore 0.037 [0.023, 0.052]
        """
        return make_score(
            self.positions, points, weight, root, debiased, level, replicates, seed
        )  # fmt: skip

    def coverage(self, nominal: object = None, *, level: float = 0.95) -> Coverage:
        """How often central intervals hold the truth, and how wide they are.

        Parameters
        ----------
        nominal
            The levels of the predicted intervals: 0.5, 0.8, 0.9 and 0.95 unless given, or those
            that the predicted quantiles make.
        level
            The level of the interval around each observed coverage.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> y = np.random.default_rng(1).normal(size=1000)
        >>> print(cb.numbers.PIT.from_normal(y, mean=0, sd=0.8).coverage())
        nominal  observed    low   high  width
        0.500       0.410  0.380  0.441  1.079
        0.800       0.716  0.687  0.743  2.050
        0.900       0.827  0.802  0.849  2.632
        0.950       0.888  0.867  0.906  3.136
        """
        return make_coverage(self.positions, self.sharpness, nominal, level)

    def test(self, test: str = "Uniform", *, seed: int = 0) -> Verdict:
        """Ask whether a calibrated model could have produced these observations.

        "Uniform" asks whether the curve stays within its simultaneous band, and sees anything.
        "CookGelmanRubin" asks whether Σ Φ⁻¹(u)² is chi-squared with n degrees of freedom, from
        both sides: strong against predictions that are too narrow or too wide. With groups the
        first flips their signs, the second takes the variance over them.

        References: Säilynoja, Bürkner and Vehtari (2022), doi:10.1007/s11222-022-10090-6; Cook,
        Gelman and Rubin (2006), doi:10.1198/106186006X136976.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> y = np.random.default_rng(1).normal(size=1000)
        >>> print(cb.numbers.PIT.from_normal(y, mean=0, sd=1.1).test("CookGelmanRubin"))
        CookGelmanRubin: p = 3.6e-06. A calibrated model would look this wrong in less than 0.05 %
        of samples: this is hardly one.
        """
        if test not in TESTS:
            raise UnknownName("test of a PIT", str(test), TESTS)
        if self.n < FEWEST:
            raise UnsupportedError(
                f"There are only {self.n} observations, too few for a test (at least {FEWEST} are "
                "needed)."
            )
        seed = whole_number("seed", seed, 0)
        if test == "Uniform":
            statistic, p_value, how = uniformity(self.positions, COUNT, seed)
        else:
            statistic, p_value, how = sum_of_squares(self.positions, seed)
        signature = self.positions.signature(f"{test}(seed={seed})")
        p_value = min(max(p_value, 0.0), 1.0)
        return Verdict(test, statistic, p_value, how, self.n, self.groups, signature)


def _positions(low: Float, high: Float, known: Float | None, group: object) -> Positions:
    """Positions with their groups numbered; arrays are made unchangeable."""
    codes = None
    if group is not None:
        labels = arrays.labels(group, "group")
        check_rows(low.size, group=labels)
        codes = arrays.codes(labels)
    held = [each.view() for each in (low, high)]
    for each in held:
        each.flags.writeable = False
    return Positions(held[0], held[1], known, codes)
