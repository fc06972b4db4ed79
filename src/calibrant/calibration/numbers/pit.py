"""`PIT`: the quantile of each observation in its predicted distribution."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.numbers.coverage import Coverage, make_coverage
from calibrant.calibration.numbers.curve import COUNT, QuantileCurve, make_curve
from calibrant.calibration.numbers.histogram import Histogram, make_histogram
from calibrant.calibration.numbers.placing import (
    place_by_cdf,
    place_by_draws,
    place_by_normal,
    place_by_quantiles,
)
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.score import make_score
from calibrant.calibration.numbers.sharpness import Sharpness
from calibrant.calibration.numbers.verdict import make_verdict
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.results.estimate import Estimate
from calibrant.results.verdict import Verdict
from calibrant.results.wording import counted

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PIT:
    """The probability integral transform u = F(y) of observations under their predictions.

    F is the distribution function that was predicted for y. If predictions are calibrated, u is
    uniform on [0, 1]. Make a PIT with `from_cdf`, `from_samples`, `from_quantiles` or
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
        How wide predictions are; None if only F(y) is known.

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
    Uniform: p = 1.9e-09. Strong evidence of miscalibration: a calibrated model would look this
    wrong in less than 0.05 % of samples.
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
            F(y−), the probability of less than y, if the distribution is discrete (default: F
            is continuous).
        group
            The document or sentence of each observation.

        Examples
        --------
        >>> import calibrant as cb
        >>> cb.numbers.PIT.from_cdf([0.2, 0.7, 0.9])
        PIT(3 observations: mean 0.6, 0 % in the outer tenths)
        """
        return cls(place_by_cdf(at, below, group))

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
        return cls(*place_by_draws(y, samples, group))

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
            The levels of the quantiles, increasing, strictly between 0 and 1.
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
        return cls(*place_by_quantiles(y, levels, quantiles, group))

    @classmethod
    def from_normal(cls, y: object, mean: object, sd: object, *, group: object = None) -> "PIT":
        """From normal distributions: u = Φ((y − mean) / sd).

        Parameters
        ----------
        y
            The observations.
        mean, sd
            The predicted means and standard deviations, one of each per observation or one for
            all.
        group
            The document or sentence of each observation.
        """
        return cls(*place_by_normal(y, mean, sd, group))

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
        """The number of groups; 0 if there are none."""
        return self.positions.groups

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        many = counted(self.n, "observation")
        if self.positions.codes is not None:
            many += f" in {counted(self.groups, 'group')}"
        mean = float((self.low + self.high).mean()) / 2
        lower, upper = self.positions.counts(np.array([0.1, 0.9])) / self.n
        outer = 100 * (lower + 1 - upper)
        return f"PIT({many}: mean {mean:.3g}, {outer:.3g} % in the outer tenths)"

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def randomised(self, seed: int = 0) -> "PIT":
        """The same PIT with one u drawn from each interval."""
        u = self.positions.randomised(whole_number("seed", seed, 0))
        return replace(self, positions=Positions(u, u, None, self.positions.codes))

    def histogram(self, count: int = 10, *, level: float = 0.95, seed: int = 0) -> Histogram:
        """How often u falls into each of `count` parts of [0, 1].

        With predicted quantiles or few draws, the bins end at levels that were predicted. The
        band is Bonferroni's for binomial counts; with groups, random signs of the groups give it
        (`seed`).

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
        their levels. The band is exact (Säilynoja, Bürkner and Vehtari, 2022); with groups,
        random signs of the groups give it (`seed`). `.difference()` subtracts the diagonal.
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

        Noise adds the variance of each share (over groups, if there are any), which is
        subtracted; the plug-in is kept beside the value. The interval holds the scores under
        which the observed one is not surprising, as that of `CalibScore` does.

        Parameters
        ----------
        points
            The levels zⱼ (default: 0.01, 0.02, ..., 0.99, or the levels that were predicted).
        weight
            The weight wⱼ of each level, scaled to add up to 1 (default: all equal).
        root
            Whether to take the root; without it the score is Kuleshov's (2018) sum of squares.
        debiased
            Whether to subtract what noise adds.
        level
            The confidence level of the interval.
        replicates
            How many replicates the interval is made from; None computes no interval.
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
            self.positions,
            points=points,
            weight=weight,
            root=root,
            debiased=debiased,
            level=level,
            replicates=replicates,
            seed=seed,
        )

    def coverage(self, nominal: object = None, *, level: float = 0.95) -> Coverage:
        """How often central intervals hold the truth, and how wide they are.

        Parameters
        ----------
        nominal
            The levels of the predicted intervals (default: 0.5, 0.8, 0.9 and 0.95, or those that
            the predicted quantiles make).
        level
            The confidence level of the interval around each observed coverage.

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

        "Uniform" asks whether the curve stays within its simultaneous band, and detects any
        departure. "CookGelmanRubin" asks whether Σ Φ⁻¹(u)² is chi-squared with n degrees of
        freedom, from both sides: powerful against predictions that are too narrow or too wide.
        With groups the first flips their signs. The second uses the variance over groups, and
        refuses groups that are worth fewer than 50 groups of equal size.

        References: Säilynoja, Bürkner and Vehtari (2022), doi:10.1007/s11222-022-10090-6; Cook,
        Gelman and Rubin (2006), doi:10.1198/106186006X136976.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> y = np.random.default_rng(1).normal(size=1000)
        >>> print(cb.numbers.PIT.from_normal(y, mean=0, sd=1.1).test("CookGelmanRubin"))
        CookGelmanRubin: p = 3.6e-06. Strong evidence of miscalibration: a calibrated model would
        look this wrong in less than 0.05 % of samples.
        """
        return make_verdict(self.positions, test, seed)
