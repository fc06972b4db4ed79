"""Bands around smooth curves that allow for the bias of smoothing and for few groups.

A curve with the bandwidth that predicts best is biased by about as much as it is noisy, so a band
around it would miss the truth too often. The band therefore comes from a fit that is less biased
and noisier: a parabola on the logit scale (a line if there are few groups), within a narrower
bandwidth. Calonico, Cattaneo and Farrell (2018) call this robust bias correction.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band
from calibrant.calibration.curves.cells import Cells, GroupCells, alone
from calibrant.calibration.curves.worth import PRIOR, Spread, Worth, worth
from calibrant.calibration.groups.few_groups import reaches
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
NARROWER = 0.7  # bandwidth of the band as a part of that of the curve
MANY = 100  # effective groups from which the band comes from parabolas, not lines
STEEP = 10.0  # standard deviation of the slopes and bends that are thought possible
STEPS = 50  # maximum Newton steps
LONGEST = 2.0  # longest Newton step
MOST_LEVERAGE = 0.9  # largest share of one group that is corrected for


class LocalFit(NamedTuple):
    """A fit at each of several points, on the logit scale."""

    level: Float
    pull: Float  # (points, cells): how far the level moves with one more positive in a cell
    p: Float  # (points, cells): the fitted frequencies


def local_fits(cells: Cells, at: Float, width: Float, order: int) -> LocalFit:
    """Fit polynomials of this order on the logit scale around every point."""
    from scipy.special import expit

    level, pull, p = np.zeros(at.size), *np.zeros((2, at.size, cells.x.size))
    for i in range(at.size):
        weight = np.exp(-0.5 * ((cells.x - at[i]) / width[i]) ** 2)
        design = _design(cells, at[i], weight, order)
        beta, inverse = _fit(design, weight, cells)
        level[i], p[i] = beta[0], expit(beta @ design)
        pull[i] = weight * (inverse[0] @ design)
    return LocalFit(level, pull, p)


def _design(cells: Cells, at: float, weight: Float, order: int) -> Float:
    """Powers of the distance from the point, in units of the spread of the pairs near it."""
    away = cells.x - at
    count = weight * cells.n
    unit = np.sqrt((count * away**2).sum() / max(count.sum(), 1e-300))
    away = away / unit if unit > 0 else away
    return np.stack([away**power for power in range(order + 1)])


def _fit(design: Float, weight: Float, cells: Cells) -> tuple[Float, Float]:
    """Coefficients, and the inverse of the information.

    One more pair at the point, with the frequency of the pairs around it, and a weak prior on
    slopes and bends keep the coefficients finite if all observations are equal.
    """
    from scipy.special import expit

    around, positive = float(weight @ cells.n), float(weight @ cells.k)
    rate = (positive + 0.5) / (around + 1)
    order = design.shape[0] - 1
    prior = np.diag([0.0] + [STEEP**-2] * order)
    beta = np.zeros(order + 1)
    beta[0] = np.log(rate / (1 - rate))
    for _ in range(STEPS):
        p = expit(beta @ design)
        extra = expit(beta[0])
        score = design @ (weight * (cells.k - cells.n * p)) - prior @ beta
        score[0] += rate - extra
        information = (design * (weight * cells.n * p * (1 - p))) @ design.T + prior
        information[0, 0] += extra * (1 - extra)
        step = np.linalg.solve(information, score)
        size = float(np.abs(step).max())
        beta = beta + step * min(1.0, LONGEST / max(size, 1e-300))
        if size < 1e-8:
            break
    return beta, np.linalg.inv(information)


class LogitSpread(NamedTuple):
    """The standard error of the logit at each point, and the effective groups behind it."""

    error: Float
    groups: Float


def order_for(pairs: Pairs) -> int:
    """The order of the polynomials: a parabola needs more groups than a line."""
    return 2 if pairs.codes is None or pairs.effective_groups >= MANY else 1


def spread_of(
    pairs: Pairs, cells: Cells, grouped: GroupCells | None, fit: LocalFit, p: Float
) -> LogitSpread:
    """The spread of the fits; p is the frequency of the curve in every cell.

    With groups the variance is the larger of two: that of the residuals of groups, each divided by
    1 − the share of its group (CR3), and that of pairs with the pooled correlation within groups,
    which counts where the few groups near a point happen to agree.
    """
    apart = (fit.pull**2 * cells.n * fit.p * (1 - fit.p)).sum(axis=1)
    if grouped is None:
        return LogitSpread(np.sqrt(apart), np.zeros(apart.size))
    from calibrant.kernels.calibration.group_moments import group_moments

    squares, agreed, shares = found = np.zeros((3, apart.size))
    rows = (grouped.start, grouped.column, grouped.n, grouped.k)
    group_moments(*rows, fit.pull, fit.p, found)
    if pairs.codes is None:  # every row is a unit, with a weight
        return LogitSpread(np.sqrt(np.maximum(squares, agreed)), np.zeros(apart.size))
    rho = correlation(grouped, p)
    model = np.maximum((1 - rho) * apart + rho * agreed, apart)
    effective = 1 / np.maximum(shares, 1e-12) + PRIOR
    return LogitSpread(
        np.sqrt(np.maximum(squares, model)), np.minimum(effective, pairs.effective_groups)
    )


def correlation(grouped: GroupCells, p: Float) -> float:
    """The correlation of observations within groups around frequencies p; between 0 and 1."""
    inner = grouped.column < p.size
    owner, column, n = grouped.owner[inner], grouped.column[inner], grouped.n[inner]
    variance = p[column] * (1 - p[column])
    values = (grouped.k[inner] - n * p[column], n * np.sqrt(variance), n * variance)
    residual, agreed, apart = (sum_by(owner, each, grouped.groups) for each in values)
    share = np.minimum(agreed / max(agreed.sum(), 1e-300), MOST_LEVERAGE)
    most = (agreed**2 - apart).sum()
    extra = ((residual / (1 - share)) ** 2 - apart).sum()
    return float(np.clip(extra / most, 0.0, 1.0)) if most > 0 else 0.0


class Band(NamedTuple):
    """Limits and standard errors of frequencies."""

    low: Float
    high: Float
    se: Float


def band_around(fit: LocalFit, spread: LogitSpread, level: float) -> Band:
    """Limits of the frequencies, symmetric on the logit scale."""
    from scipy.special import expit

    reach = reaches(level, spread.groups) * spread.error
    p = expit(fit.level)
    return Band(expit(fit.level - reach), expit(fit.level + reach), p * (1 - p) * spread.error)


def end_bands(pairs: Pairs, cells: Cells, grouped: GroupCells | None, level: float) -> Band:
    """Wilson's limits for predictions of exactly 0 and 1; NaN if there are none."""
    there = cells.ends_n > 0
    n = np.where(there, cells.ends_n, 1.0)
    p = cells.ends_k / n
    found = Worth(n, np.zeros(2))
    if grouped is not None:
        count = cells.x.size + 2
        every = np.concatenate([cells.n, n])
        rate = np.concatenate([cells.k / cells.n, p])
        sums = grouped.spread(every, rate, alone(pairs, cells.column, every))
        # only the ends: the cells between them may be single predictions
        found = worth(Spread(*(each[count - 2 :] for each in sums)), pairs)
    low, high = band("wilson", p, found.pairs, level, found.groups)
    limits = (low, high, np.sqrt(p * (1 - p) / found.pairs))
    return Band(*(np.where(there, each, np.nan) for each in limits))
