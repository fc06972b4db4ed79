"""`Coverage`: how often central intervals hold the truth, and how wide they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves.bands import band
from calibrant.calibration.gaps.evidence import order_free_sum
from calibrant.calibration.numbers.checks import check_levels
from calibrant.calibration.numbers.positions import Positions
from calibrant.calibration.numbers.sharpness import OfQuantiles, Sharpness
from calibrant.checks.arrays import sum_by
from calibrant.checks.parameters import check_level
from calibrant.errors import InputError, UnsupportedError
from calibrant.results.columnar import Columns

Float = NDArray[np.float64]
USUAL = (0.5, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coverage(Columns):
    """How often the central interval of each nominal level held the truth.

    Attributes
    ----------
    nominal
        The level of the predicted intervals, from the (1 − nominal)/2- to the
        (1 + nominal)/2-quantile.
    observed
        The share of observations inside.
    low, high
        Wilson's interval around it; with groups, for as many independent observations as the
        variance over groups is worth.
    width
        The mean width of the predicted intervals: their sharpness, in units of y. NaN where it
        is not known. Of two calibrated models the sharper is better.
    level
        The level of the interval around `observed`.
    n, groups
        How many observations, in how many groups (0 where there are none).
    signature
        What reproduces it.
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
        """The table as named columns; no width where none is known."""
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
            "All observations are of one group, so nothing tells how much groups differ: leave it "
            "out."
        )
    wanted = _nominal(sharpness, nominal)
    ends = np.round([(1 - wanted) / 2, (1 + wanted) / 2], 12)  # 0.05, not 0.04999999999999999
    inside = [positions.below(high) - positions.below(low) for low, high in ends.T]
    observed = np.array([order_free_sum(each) for each in inside]) / positions.n
    observed = np.clip(observed, 0.0, 1.0)
    count = _effective(positions, inside, observed)
    low, high = band("wilson", observed, count, _stretched(level, positions.groups))
    width = [np.nan if sharpness is None else sharpness.width(float(each)) for each in wanted]
    return Coverage(
        wanted, observed, low, high, np.array(width), level, positions.n, positions.groups,
        positions.signature("Coverage", f"wilson|level={level:g}"),
    )  # fmt: skip


def _nominal(sharpness: Sharpness | None, nominal: object) -> Float:
    """The levels asked for; of quantiles, those with both ends predicted."""
    if not isinstance(sharpness, OfQuantiles):
        return check_levels(USUAL if nominal is None else nominal, "nominal")
    known = sharpness.central()
    listed = ", ".join(f"{each:g}" for each in sharpness.levels)
    if nominal is None:
        if not known:
            raise InputError(
                "A central interval needs two quantiles as far from 0 as from 1, such as 0.05 and "
                f"0.95, but the levels are {listed}."
            )
        return np.array(known)
    wanted = check_levels(nominal, "nominal")
    for each in wanted:
        if not any(abs(each - level) < 1e-6 for level in known):
            raise InputError(
                f"The interval of level {each:g} needs the quantiles {(1 - each) / 2:g} and "
                f"{(1 + each) / 2:g}, but the levels are {listed}."
            )
    return wanted


def _stretched(level: float, groups: int) -> float:
    """The level at which the normal quantile is that of Student's t over the groups."""
    from scipy.special import ndtr, stdtrit

    if groups < 2:
        return level
    return min(float(1 - 2 * ndtr(stdtrit(groups - 1, (1 - level) / 2))), 1 - 1e-12)


def _effective(positions: Positions, inside: list[Float], observed: Float) -> Float:
    """How many independent observations the share of each level is worth, at most n.

    Levels at which all or none are inside show no variance; they get the effect of the others.
    """
    n = positions.n
    if positions.codes is None:
        return np.full(observed.size, float(n))
    groups = positions.groups
    plain = observed * (1 - observed) / n
    robust = np.array([
        np.sum(sum_by(positions.codes, each - mean) ** 2) / n**2 * groups / max(groups - 1, 1)
        for each, mean in zip(inside, observed, strict=True)
    ])  # fmt: skip
    known = (plain > 0) & (robust > 0)
    pooled = robust[known].sum() / plain[known].sum() if known.any() else n / groups
    effect = np.full(observed.size, pooled)
    np.divide(robust, plain, out=effect, where=known)
    return np.asarray(n / np.maximum(effect, 1.0))
