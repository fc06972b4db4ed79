"""What forecasters of one pattern of gaps, scaled, would show: replicates for every scale."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.evidence import Clusters, Gaps
from calibrant.calibration.gaps.norms import Norm, Squared
from calibrant.calibration.intervals.contributions import contributions, slope_factor
from calibrant.calibration.intervals.inversion import Family, Worlds
from calibrant.checks.arrays import sum_by

Float = NDArray[np.float64]
Int = NDArray[np.int64]
WIDE = 1 << 14  # bins, times replicates, that are held in memory at once
ALMOST = 0.9999  # of the noise is removed in tests: else 0 and 1 positives of n look the same


def independent(norm: Norm, gaps: Gaps, plain: float, replicates: int, seed: int) -> Worlds:
    """Binomial counts around the frequencies that the scaled pattern implies."""
    bins, share, gap = gaps.bins, gaps.share, gaps.gap
    spread = norm.spread(gap, share)
    mixture = np.sqrt(max(share @ spread**2 - (share @ spread) ** 2, 0.0) / bins.n.sum())
    skew, robust = _skew_factor(gaps), _robust(norm, gaps)

    def world(c: float) -> Family:
        generator = np.random.default_rng(seed)
        composition = mixture * generator.standard_normal(replicates)
        noise, variance = _binomial(generator, gaps, c, bins.n, replicates)
        if gaps.isotonic:
            return _refitted(norm, gaps, noise)
        if not isinstance(norm, Squared):
            return _direct(norm, gaps, noise, composition, robust)
        quadratic = norm.debiased(noise, share, ALMOST * variance)
        return _parabolas(plain + composition, skew * (noise @ (share * gap)), quadratic)

    return world


def clustered(
    norm: Norm,
    gaps: Gaps,
    clusters: Clusters,
    observed: float,
    plain: float,
    replicates: int,
    seed: int,
) -> Worlds:
    """Noise from whole groups, each measured against the gaps of the other groups.

    A bin in which all outcomes are equal shows no noise. It gets that of as many independent
    pairs as it has groups, at the frequency the scaled pattern implies.
    """
    from calibrant.kernels.calibration.groups import resample

    share, gap = gaps.share, gaps.gap
    parts = contributions(norm, gaps, clusters)
    pieces = _pieces(norm, gaps)
    quadratic: Float = np.zeros(replicates)
    for piece in pieces:
        start, column, noise = _within(clusters, parts.noise, piece)
        many = piece.stop - piece.start
        sums, lines = resample(start, column, noise, parts.linear, many, replicates, seed)
        sums -= sum_by(column, noise, many)
        if gaps.smoother is not None:
            sums = sums @ gaps.smoother.T
        quadratic = quadratic + norm.plain(sums, share[piece])
    slope = lines[:, 0] - parts.linear[:, 0].sum()
    quadratic = quadratic - ALMOST * lines[:, 1]
    slope *= slope_factor(parts.linear[:, 0], quadratic, observed, plain)
    pure = (gaps.bins.positive == 0) | (gaps.bins.positive == gaps.bins.n)
    pure |= sum_by(clusters.column, clusters.residual**2, gap.size) == 0
    pure &= gaps.smoother is None
    robust = _robust(norm, gaps)

    def world(c: float) -> Family:
        generator = np.random.default_rng(seed)
        counts = np.where(pure, clusters.present, 0)
        line, rest = slope, quadratic
        for piece in pieces:
            noise, variance = _binomial(generator, gaps, c, counts, replicates, piece)
            if gaps.isotonic:
                return _refitted(norm, gaps, sums + noise)
            if not isinstance(norm, Squared):
                return _direct(norm, gaps, sums + noise, lines[:, 2], robust)
            line = line + noise @ (share * gap)[piece]
            rest = rest + norm.debiased(noise, share[piece], ALMOST * variance)
        return _parabolas(plain + lines[:, 2], line, rest)

    return world


def _pieces(norm: Norm, gaps: Gaps) -> list[slice]:
    """The bins in pieces whose replicates are held at once: all, unless squares can be added up."""
    whole = gaps.gap.size
    apart = isinstance(norm, Squared) and gaps.smoother is None and not gaps.isotonic
    step = WIDE if apart else whole
    return [slice(first, min(first + step, whole)) for first in range(0, whole, step)]


def _within(clusters: Clusters, value: Float, piece: slice) -> tuple[Int, Int, Float]:
    """Where groups start, the bins and the values of the compressed rows of a piece of the bins."""
    inside = (clusters.column >= piece.start) & (clusters.column < piece.stop)
    before = np.concatenate([[0], np.cumsum(inside)])
    return before[clusters.start], clusters.column[inside] - piece.start, value[inside]


def _skew_factor(gaps: Gaps) -> float:
    """How much larger Σ gap² · variance is than the observed gaps and variances show.

    Where p lies further out than q, chance that enlarges a gap also lowers p̂(1 − p̂), so their
    product is too small by 2 · gap · (1 − 2p) · variance / n on average. Where it is too large,
    the interval is left as wide as it is.
    """
    if gaps.smoother is not None:
        return 1.0
    n, p, gap = gaps.bins.n, gaps.bins.p, gaps.gap
    weighted = gaps.share**2 * p * (1 - p) / n
    seen = float(weighted @ gap**2)
    missing = float(weighted @ (2 * gap * (1 - 2 * p) / n))
    return float(np.sqrt(np.clip(1 + missing / seen, 1.0, 2.0))) if seen > 0 else 1.0


def _binomial(
    generator: np.random.Generator,
    gaps: Gaps,
    c: float,
    counts: NDArray[Any],
    replicates: int,
    piece: slice = slice(None),
) -> tuple[Float, Float]:
    """Noise of the gaps of `counts` pairs per bin if the gaps were c times as large; its variance.

    Bins of no pairs have no noise.
    """
    p = np.clip(gaps.bins.q - c * gaps.gap, 0.0, 1.0)[piece]
    n = np.rint(counts[piece]).astype(np.int64)
    # bin by bin: numpy prepares a binomial distribution anew whenever it changes
    counted = generator.binomial(n[:, None], p[:, None], (n.size, replicates)).T
    if gaps.smoother is not None:
        noise: Float = (n * p - counted) @ gaps.smoother.T
        return noise, gaps.smoother**2 @ (n * p * (1 - p))
    drawn = counted / np.maximum(n, 1)
    variance = np.where(n > 1, drawn * (1 - drawn) / np.maximum(n - 1, 1), 0.0)
    return np.where(n > 0, p - drawn, 0.0), variance


def _parabolas(square: Float, slope: Float, rest: Float) -> Family:
    """The debiased squared score of each replicate as a function of c."""
    return lambda c: c * c * square + 2 * c * slope + rest


def _robust(norm: Norm, gaps: Gaps) -> Float | None:
    """The variance of the gaps where replicates do not show it; None where they do, or need not."""
    plain = gaps.clusters is None and gaps.smoother is None
    needed = norm.debiasable and not isinstance(norm, Squared) and not plain
    return gaps.sampling_variance if needed else None


def _direct(
    norm: Norm, gaps: Gaps, noise: Float, composition: Float, robust: Float | None
) -> Family:
    """The score of each replicate as a function of c, for norms that are not quadratic."""
    share, gap = gaps.share, gaps.gap
    q, n = gaps.bins.q, gaps.bins.n

    def at(c: float) -> Float:
        moved = c * gap + noise
        if not norm.debiasable:
            return norm.plain(moved, share)
        p = np.clip(q - moved, 0.0, 1.0)
        variance = p * (1 - p) / n if robust is None else robust
        return norm.debiased(moved, share, ALMOST * variance) + c**norm.power * composition

    return at


def _refitted(norm: Norm, gaps: Gaps, noise: Float) -> Family:
    """The score of each replicate as a function of c, of isotonic curves fitted to replicates."""
    from calibrant.kernels.calibration.pav import fit_rows

    q, n = gaps.bins.q, gaps.bins.n

    def at(c: float) -> Float:
        frequency = q - c * gaps.gap - noise
        fit_rows(frequency, n)
        return norm.plain(q - frequency, gaps.share)

    return at
