"""Locate observations in their predictions: by distribution functions, draws or quantiles."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.numbers.inputs import (
    check_levels,
    check_probabilities,
    check_quantiles,
    check_rows,
    finite_matrix,
    finite_vector,
    one_or_each,
)
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.sharpness import OfDraws, OfNormals, OfQuantiles
from calibrant.checks import arrays
from calibrant.errors import InputError

Float = NDArray[np.float64]


def place_by_cdf(at: object, below: object, group: object) -> Positions:
    """Place u between F(y−) and F(y), or at F(y) if only that is known."""
    high = finite_vector(at, "at")
    check_probabilities(high, "at")
    low = high if below is None else _checked_below(below, high)
    return _positions(low, high, None, group)


def _checked_below(below: object, high: Float) -> Float:
    low = finite_vector(below, "below")
    check_rows(high.size, below=low)
    check_probabilities(low, "below")
    wrong = low > high
    if wrong.any():
        k = int(np.argmax(wrong))
        raise InputError(
            f"below must not exceed at, but below[{k}] is {low[k]:g} and at[{k}] is {high[k]:g} "
            f"({int(wrong.sum())} of {low.size} do). below is F(y−), the probability of less than "
            "y."
        )
    return low


def place_by_draws(y: object, samples: object, group: object) -> tuple[Positions, OfDraws]:
    """Place u by the rank of y among the draws; ties widen the interval."""
    observed = finite_vector(y, "y")
    draws = finite_matrix(samples, "samples", observed.size)
    count = draws.shape[1]
    if count < 2:
        raise InputError(
            "samples must hold at least 2 draws per observation, but its shape is "
            f"{tuple(draws.shape)}."
        )
    less = (draws < observed[:, None]).sum(axis=1)
    within = (draws <= observed[:, None]).sum(axis=1)
    known = np.arange(1, count + 1) / (count + 1)
    positions = _positions(less / (count + 1), (within + 1) / (count + 1), known, group)
    return positions, OfDraws(draws)


def place_by_quantiles(
    y: object, levels: object, quantiles: object, group: object
) -> tuple[Positions, OfQuantiles]:
    """Place u between the last level whose quantile is below y and the next level."""
    observed = finite_vector(y, "y")
    at = check_levels(levels, "levels")
    predicted = finite_matrix(quantiles, "quantiles", observed.size)
    check_quantiles(predicted, at)
    edges = np.concatenate([[0.0], at, [1.0]])
    less = (predicted < observed[:, None]).sum(axis=1)
    within = (predicted <= observed[:, None]).sum(axis=1)
    positions = _positions(edges[less], edges[np.maximum(within, less + 1)], at, group)
    return positions, OfQuantiles(at, predicted)


def place_by_normal(
    y: object, mean: object, sd: object, group: object
) -> tuple[Positions, OfNormals]:
    """Place u at Φ((y − mean) / sd)."""
    from scipy.special import ndtr

    observed = finite_vector(y, "y")
    centre = one_or_each(mean, "mean", observed.size)
    spread = one_or_each(sd, "sd", observed.size)
    if not spread.min() > 0:
        found = arrays.describe(spread, ~(spread > 0), "sd", "not")
        raise InputError(f"sd must be positive, but {found}.")
    u = ndtr((observed - centre) / spread)
    return _positions(u, u, None, group), OfNormals(spread)


def _positions(low: Float, high: Float, known: Float | None, group: object) -> Positions:
    """Make positions with numbered groups and read-only arrays."""
    codes = None
    if group is not None:
        labels = arrays.labels(group, "group")
        check_rows(low.size, group=labels)
        codes = arrays.codes(labels)
    held = [each.view() for each in (low, high)]
    for each in held:
        each.flags.writeable = False
    return Positions(held[0], held[1], known, codes)
