"""The quantile calibration score: the debiased distance of shares from their levels."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import jackknife_residuals, warn_few
from calibrant.calibration.intervals.inversion import lower_limit, upper_limit
from calibrant.calibration.numbers.inputs import check_levels, finite_vector
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks.parameters import check_level, whole_number
from calibrant.errors import InputError, UnsupportedError
from calibrant.results.estimate import Estimate

Float = NDArray[np.float64]
FEWEST = 100  # replicates: with fewer, a limit at 0.95 rests on two or three of them
MOST = 100_000  # replicates: all of them are held in memory
POINTS = 100  # cells between the default levels, which are percentages
MOVED = 1.0  # standard deviations by which the pattern is shifted in its main direction
TINY = 1e-12  # smallest weight to divide by


# the noise of the shares (replicates, points) of models whose gaps are c times a pattern
Draw = Callable[[np.random.Generator, Float, float, int], Float]


class Noise(NamedTuple):
    """The variance of each share, and how to draw the noise of all of them."""

    variance: Float
    draw: Draw


@dataclass(frozen=True, eq=False)
class Shares:
    """The gap between each share and its level, the weight of each level, and the noise."""

    at: Float  # levels
    weight: Float  # sums to 1
    gap: Float  # share minus level
    noise: Noise

    @property
    def plain(self) -> float:
        """The plug-in score: the weighted sum of squared gaps."""
        return float(self.weight @ self.gap**2)

    @property
    def debiased(self) -> float:
        """The debiased score, which may be negative."""
        return self.plain - float(self.weight @ self.noise.variance)


def make_score(
    positions: Positions,
    *,
    points: object,
    weight: object,
    root: bool,
    debiased: bool,
    level: float,
    replicates: int | None,
    seed: int,
) -> Estimate:
    """Estimate the score; `replicates=None` computes no interval."""
    level = check_level(level)
    at, share = _weighted(positions, points, weight)
    gap = positions.counts(at) / positions.n - at
    shares = Shares(at, share, gap, _noise(positions, at, gap))
    value = max(0.0, shares.debiased) if debiased else shares.plain
    limits: tuple[float, float] | None = None
    parts = [f"points={at.size}"]
    if replicates is not None:
        replicates = whole_number("replicates", replicates, FEWEST, MOST)
        seed = whole_number("seed", seed, 0)
        _check_several(positions)
        warn_few(positions.effective_groups)
        low, high = _limits(shares, level, replicates, seed)
        limits = min(low, value), max(high, value)
        parts += [f"Bootstrap(replicates={replicates}, seed={seed})", f"level={level:g}"]

    def scaled(total: float) -> float:
        return float(np.sqrt(total)) if root else total

    name = ("QuantileScore" if root else "QuantileMSE") + ("" if debiased else "(debiased=False)")
    return Estimate(
        score=name,
        value=scaled(value),
        low=None if limits is None else scaled(limits[0]),
        high=None if limits is None else scaled(limits[1]),
        level=level,
        n=positions.n,
        groups=positions.groups,
        plugin=scaled(shares.plain),
        too_small=0,
        signature=positions.signature(name, *parts),
    )


def _check_several(positions: Positions) -> None:
    """Refuse an interval if the variation of observations cannot be estimated."""
    if positions.groups == 1:
        raise UnsupportedError(
            "All observations belong to one group, so variation between groups cannot be "
            "estimated: leave the group out, or pass replicates=None."
        )
    if positions.n < 2:
        raise UnsupportedError(
            "An interval needs at least two observations, but there is only one: pass "
            "replicates=None."
        )


def _weighted(positions: Positions, points: object, weight: object) -> tuple[Float, Float]:
    """The levels and their weights, which sum to 1."""
    at = positions.points(POINTS) if points is None else check_levels(points, "points")
    if weight is None:
        return at, np.full(at.size, 1 / at.size)
    share = finite_vector(weight, "weight")
    if share.size != at.size:
        raise InputError(
            f"weight must have one value for each of the {at.size} points, but it has {share.size}."
        )
    if not (share.min() >= 0 and share.sum() > 0):
        raise InputError(
            "weight must not be negative, nor all 0, but the smallest is "
            f"{share.min():g} and the sum {share.sum():g}."
        )
    return at, share / share.sum()


def _noise(positions: Positions, at: Float, gap: Float) -> Noise:
    """The variance of each share, and how to draw their noise."""
    if positions.codes is None and not positions.straddled(at):
        return _independent(positions.n, at, gap)
    return _over_groups(positions, at, gap)


def _independent(n: int, at: Float, gap: Float) -> Noise:
    """Multinomial counts around the shares of a model that is c times as wrong."""
    share = at + gap

    def draw(generator: np.random.Generator, pattern: Float, c: float, replicates: int) -> Float:
        wrong = np.maximum.accumulate(np.clip(at + c * pattern, 0.0, 1.0))
        cells = np.diff(wrong, prepend=0.0, append=1.0)
        counts = generator.multinomial(n, cells / cells.sum(), replicates)[:, :-1]
        return np.asarray(np.cumsum(counts, axis=1) / n - wrong)

    return Noise(share * (1 - share) / max(n - 1, 1), draw)


def _over_groups(positions: Positions, at: Float, gap: Float) -> Noise:
    """Normal noise with the jackknife's covariance over groups, or over rows."""
    sums = positions.sums(at, at + gap) / positions.n
    alone = jackknife_residuals(sums, positions.sizes)
    products = alone.T @ alone
    units = positions.effective_groups or positions.n
    values, vectors = np.linalg.eigh(products)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))

    def draw(generator: np.random.Generator, pattern: Float, c: float, replicates: int) -> Float:
        normal = generator.standard_normal((replicates, at.size))
        degrees = max(units - 1, 1.0)  # degrees of freedom of the covariance
        stretch = np.sqrt(degrees / generator.chisquare(degrees, (replicates, 1)))
        return np.asarray((normal * stretch) @ factor.T)

    return Noise(np.diag(products).copy(), draw)


def _limits(shares: Shares, level: float, replicates: int, seed: int) -> tuple[float, float]:
    """The range of true scores under which the observed score is plausible.

    If gaps are small, their pattern is uncertain too, most of all in the direction of the largest
    noise. So the upper limit is the largest over three patterns: the observed one, and the
    observed one shifted by noise in either direction.
    """
    gap, weight = shares.gap, shares.weight
    if not gap.any():
        return 0.0, 0.0
    noise = shares.noise.draw(np.random.default_rng(seed), gap, 1.0, replicates)
    main = np.linalg.svd(noise * np.sqrt(weight / replicates), full_matrices=False)
    moved = MOVED * main.S[0] * main.Vh[0] / np.sqrt(np.maximum(weight, TINY))

    def limit(search: Callable[..., float], pattern: Float) -> float:
        return _limit(search, shares, pattern, level, replicates, seed)

    upper = [limit(upper_limit, gap + sign * moved) for sign in (-1, 0, 1)]
    return limit(lower_limit, gap), max(upper)


def _limit(
    search: Callable[..., float],
    shares: Shares,
    pattern: Float,
    level: float,
    replicates: int,
    seed: int,
) -> float:
    """A limit of the score for models whose gaps are some multiple of one pattern."""
    weight, at, observed = shares.weight, shares.at, shares.debiased
    square = float(weight @ pattern**2)

    def world(c: float) -> Callable[[float], Float]:
        noise = shares.noise.draw(np.random.default_rng(seed), pattern, c, replicates)
        slope, rest = noise @ (weight * pattern), noise**2 @ weight
        rest -= rest.mean()
        return lambda scale: scale**2 * square + 2 * scale * slope + rest

    best = float(np.sqrt(max(observed, 0.0) / square))
    most = float(np.sqrt(weight @ np.maximum(at, 1 - at) ** 2 / square))
    return search(world, observed, best, most, level) ** 2 * square
