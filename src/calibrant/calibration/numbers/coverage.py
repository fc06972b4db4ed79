"""`Coverage`: how often central intervals contain the truth, and how wide they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band
from calibrant.calibration.groups.exact_sums import order_free_sum
from calibrant.calibration.groups.few_groups import (
    effective_outcomes,
    jackknife_residuals,
    warn_few,
)
from calibrant.calibration.groups.limits import GroupMean, rate_limits
from calibrant.calibration.numbers.inputs import check_levels
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.sharpness import OfQuantiles, Sharpness
from calibrant.checks.arrays import sum_by
from calibrant.checks.parameters import check_level
from calibrant.errors import InputError, UnsupportedError
from calibrant.results.column_table import ColumnTable

Float = NDArray[np.float64]
USUAL = (0.5, 0.8, 0.9, 0.95)
SAME = 1e-6  # levels closer than this are equal: 0.8 and 0.9 − 0.1 differ by rounding


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coverage(ColumnTable):
    """How often the central interval of each nominal level contained the truth.

    Attributes
    ----------
    nominal
        The level of the predicted intervals, from the (1 − nominal)/2- to the
        (1 + nominal)/2-quantile.
    observed
        The share of observations inside.
    low, high
        Wilson's interval around it; with groups, for the effective numbers of observations and
        of groups, given the variance over groups. It reaches further if groups are skewed.
    width
        The mean width of the predicted intervals: their sharpness, in units of y. NaN if it
        is unknown. Of two calibrated models, the sharper one is better.
    level
        The level of the interval around `observed`.
    n, groups
        The number of observations and of groups (0 if there are none).
    signature
        What was computed, from which data and by which version.
    """

    nominal: Float
    observed: Float
    low: Float
    high: Float
    width: Float
    level: float
    n: int
    groups: int
    signature: str

    def columns(self) -> dict[str, NDArray[Any]]:
        """The table as named columns; without the width if it is unknown."""
        names = ["nominal", "observed", "low", "high"]
        if np.isfinite(self.width).any():
            names.append("width")
        return {name: getattr(self, name) for name in names}


def make_coverage(
    positions: Positions, sharpness: Sharpness | None, nominal: object, level: float
) -> Coverage:
    """The coverage of each nominal level."""
    level = check_level(level)
    if positions.groups == 1:
        raise UnsupportedError(
            "All observations belong to one group, so variation between groups cannot be "
            "estimated: leave the group out."
        )
    warn_few(positions.effective_groups)
    wanted = _nominal(sharpness, nominal)
    inside = _inside(positions, wanted)
    observed = np.clip(_means(inside), 0.0, 1.0)
    count, effective = _effective(positions, inside, observed)
    limits = [
        band("wilson", share, worth, level, groups)
        for share, worth, groups in zip(observed, count, effective, strict=True)
    ]
    low, high = np.array(limits).T
    if positions.codes is not None:
        further = _skewed_limits(positions, inside, wanted, level)
        low, high = np.minimum(low, further[0]), np.maximum(high, further[1])
    width = [np.nan if sharpness is None else sharpness.width(float(each)) for each in wanted]
    return Coverage(
        nominal=wanted,
        observed=observed,
        low=low,
        high=high,
        width=np.array(width),
        level=level,
        n=positions.n,
        groups=positions.groups,
        signature=positions.signature("Coverage", f"wilson|level={level:g}"),
    )


def _nominal(sharpness: Sharpness | None, nominal: object) -> Float:
    """The requested levels; for quantiles, the levels with both ends predicted."""
    if not isinstance(sharpness, OfQuantiles):
        return check_levels(USUAL if nominal is None else nominal, "nominal")
    known = sharpness.central()
    listed = ", ".join(f"{each:g}" for each in sharpness.levels)
    if nominal is None:
        if not known:
            raise InputError(
                "A central interval needs two quantiles at equal distance from 0 and 1, such as "
                f"0.05 and 0.95, but the levels are {listed}."
            )
        return np.array(known)
    wanted = check_levels(nominal, "nominal")
    for each in wanted:
        if not any(abs(each - level) < SAME for level in known):
            raise InputError(
                f"The interval of level {each:g} needs the quantiles {(1 - each) / 2:g} and "
                f"{(1 + each) / 2:g}, but the levels are {listed}."
            )
    return wanted


def _inside(positions: Positions, nominal: Float) -> list[Float]:
    """How much of each observation lies inside the central interval of each level."""
    ends = np.round([(1 - nominal) / 2, (1 + nominal) / 2], 12)  # 0.05, not 0.04999999999999999
    return [positions.below(high) - positions.below(low) for low, high in ends.T]


def _means(inside: list[Float]) -> Float:
    return np.array([order_free_sum(each) for each in inside]) / inside[0].size


def _effective(
    positions: Positions, inside: list[Float], observed: Float
) -> tuple[Float, list[float]]:
    """The effective numbers of observations (at most n) and of groups behind each share.

    The design effect, by which groups increase the variance, is at least that of all levels
    together: at a high level few observations are outside, and they may miss the groups that
    matter. For the same reason the effective number of groups is that of the observations inside
    or outside, if it is less than that of all.
    """
    n = positions.n
    if positions.codes is None:
        return np.full(observed.size, float(n)), [0.0] * observed.size
    further = _inside(positions, np.array(USUAL)) if positions.known is None else []
    effect = _design_effect(positions, inside, observed)
    every = inside + further
    pooled = _design_effect(positions, every, np.clip(_means(every), 0.0, 1.0), pooled=True)
    groups = [effective_outcomes(positions.codes, np.ones(n), each) for each in inside]
    return n / np.maximum(np.maximum(effect, pooled), 1.0), groups


def _skewed_limits(
    positions: Positions, inside: list[Float], nominal: Float, level: float
) -> tuple[Float, Float]:
    """Limits of each share that allow for skewed groups.

    The nominal level is what the predictions promise: if more is inside, groups that are often
    outside may be missing.
    """
    assert positions.codes is not None
    limits = [
        rate_limits(GroupMean(sum_by(positions.codes, each), positions.sizes, level), promised)
        for each, promised in zip(inside, nominal.tolist(), strict=True)
    ]
    low, high = np.array(limits).T
    return low, high


def _design_effect(
    positions: Positions, inside: list[Float], observed: Float, pooled: bool = False
) -> Float:
    """The variance over groups, relative to that of independent observations."""
    assert positions.codes is not None
    n = positions.n
    plain = observed * (1 - observed) / n
    sums = np.column_stack(
        [sum_by(positions.codes, each - mean) for each, mean in zip(inside, observed, strict=True)]
    )
    robust = np.sum(jackknife_residuals(sums, positions.sizes) ** 2, axis=0) / n**2
    if pooled and not plain.any():  # nothing varies: each group counts as one observation
        return np.array(n / positions.effective_groups)
    if pooled:
        return np.asarray(robust.sum() / plain.sum())
    return np.asarray(np.divide(robust, plain, out=np.zeros(plain.size), where=plain > 0))
