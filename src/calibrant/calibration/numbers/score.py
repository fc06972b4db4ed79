"""The quantile calibration score: how far shares are from their levels, without the noise."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.intervals.inversion import lower_limit, upper_limit
from calibrant.calibration.numbers.checks import check_levels, finite_vector
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks.parameters import check_level, whole_number
from calibrant.errors import InputError, UnsupportedError
from calibrant.results.estimate import Estimate

Float = NDArray[np.float64]
MOST = 100_000  # replicates
MOVED = 1.0  # standard deviations that the pattern of gaps is moved by, in its main direction
TINY = 1e-12  # weights below it cannot be divided by


def make_score(
    positions: Positions,
    points: object,
    weight: object,
    root: bool,
    debiased: bool,
    level: float,
    replicates: int | None,
    seed: int,
) -> Estimate:
    """The score as an estimate; `replicates=None` asks for no interval."""
    level = check_level(level)
    at, share = _weighted(positions, points, weight)
    gap = positions.counts(at) / positions.n - at
    plain = float(share @ gap**2)
    variance, draw = _noise(positions, at, gap)
    observed = plain - float(share @ variance)
    value = max(0.0, observed) if debiased else plain
    low = high = None
    if replicates is not None:
        replicates = whole_number("replicates", replicates, 100, MOST)
        seed = whole_number("seed", seed, 0)
        if positions.n < 2 or positions.groups == 1:
            raise UnsupportedError(
                "One observation, or one group, does not tell how much they differ: leave the "
                "group out, or ask for replicates=None."
            )
        low, high = _limits(at, share, gap, observed, draw, level, replicates, seed)
        low, high = min(low, value), max(high, value)

    def scaled(total: float | None) -> float | None:
        return total if total is None or not root else float(np.sqrt(total))

    name = ("QuantileScore" if root else "QuantileMSE") + ("" if debiased else "(debiased=False)")
    parts = [f"points={at.size}"]
    if replicates is not None:
        parts += [f"Bootstrap(replicates={replicates}, seed={seed})", f"level={level:g}"]
    final = scaled(value)
    assert final is not None
    return Estimate(
        score=name,
        value=final,
        low=scaled(low),
        high=scaled(high),
        level=level,
        n=positions.n,
        groups=positions.groups,
        plugin=scaled(plain),
        too_small=0,
        signature=positions.signature(name, *parts),
    )


def _weighted(positions: Positions, points: object, weight: object) -> tuple[Float, Float]:
    """The levels, and the weight of each, which add up to 1."""
    at = positions.points(100) if points is None else check_levels(points, "points")
    if weight is None:
        return at, np.full(at.size, 1 / at.size)
    share = finite_vector(weight, "weight")
    if share.size != at.size:
        raise InputError(f"weight must have one value for each of the {at.size} points, but it "
                         f"has {share.size}.")  # fmt: skip
    if not (share.min() >= 0 and share.sum() > 0):
        raise InputError(f"weight must not be negative, nor all 0, but the smallest is "
                         f"{share.min():g} of {share.sum():g} in all.")  # fmt: skip
    return at, share / share.sum()


# the noise of the shares (replicates, points) of models whose gaps are c times a pattern
Draw = Callable[[np.random.Generator, Float, float, int], Float]


def _noise(positions: Positions, at: Float, gap: Float) -> tuple[Float, Draw]:
    """An unbiased variance of each share, and how to draw their noise."""
    if positions.codes is None and not positions.straddled(at):
        return _independent(positions.n, at, gap)
    return _over_groups(positions, at, gap)


def _independent(n: int, at: Float, gap: Float) -> tuple[Float, Draw]:
    """Multinomial counts around the shares of a model that is c times as wrong."""
    share = at + gap

    def draw(generator: np.random.Generator, pattern: Float, c: float, replicates: int) -> Float:
        wrong = np.maximum.accumulate(np.clip(at + c * pattern, 0.0, 1.0))
        cells = np.diff(wrong, prepend=0.0, append=1.0)
        counts = generator.multinomial(n, cells / cells.sum(), replicates)[:, :-1]
        return np.asarray(np.cumsum(counts, axis=1) / n - wrong)

    return share * (1 - share) / max(n - 1, 1), draw


def _over_groups(positions: Positions, at: Float, gap: Float) -> tuple[Float, Draw]:
    """Normal noise with the covariance over groups, or over rows."""
    sums = positions.sums(at, at + gap) / positions.n
    units = sums.shape[0]
    products = sums.T @ sums * (units / max(units - 1, 1))
    values, vectors = np.linalg.eigh(products)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))

    def draw(generator: np.random.Generator, pattern: Float, c: float, replicates: int) -> Float:
        normal = generator.standard_normal((replicates, at.size))
        degrees = max(units - 1, 1)  # that the covariance is known with
        stretch = np.sqrt(degrees / generator.chisquare(degrees, (replicates, 1)))
        return np.asarray((normal * stretch) @ factor.T)

    return np.diag(products).copy(), draw


def _limits(
    at: Float,
    share: Float,
    gap: Float,
    observed: float,
    draw: Draw,
    level: float,
    replicates: int,
    seed: int,
) -> tuple[float, float]:
    """The scores, of models with plausible patterns of gaps, under which this one is no surprise.

    Where gaps are small the pattern is uncertain as well, most of all in the direction in which
    noise is largest. So the upper limit is the largest of three patterns: the observed one, and
    the same moved by noise either way.
    """
    if not gap.any():
        return 0.0, 0.0

    def limit(search: Callable[..., float], pattern: Float) -> float:
        square = float(share @ pattern**2)

        def world(c: float) -> Callable[[float], Float]:
            noise = draw(np.random.default_rng(seed), pattern, c, replicates)
            slope, rest = noise @ (share * pattern), noise**2 @ share
            rest -= rest.mean()
            return lambda scale: scale**2 * square + 2 * scale * slope + rest

        best = float(np.sqrt(max(observed, 0.0) / square))
        most = float(np.sqrt(share @ np.maximum(at, 1 - at) ** 2 / square))
        return search(world, observed, best, most, level) ** 2 * square

    noise = draw(np.random.default_rng(seed), gap, 1.0, replicates)
    main = np.linalg.svd(noise * np.sqrt(share / replicates), full_matrices=False)
    moved = MOVED * main.S[0] * main.Vh[0] / np.sqrt(np.maximum(share, TINY))
    upper = [limit(upper_limit, gap + sign * moved) for sign in (-1, 0, 1)]
    return limit(lower_limit, gap), max(upper)
