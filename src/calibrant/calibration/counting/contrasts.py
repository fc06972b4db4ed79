"""Differences and trends between the rows of a table of counts."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.few_groups import normal_quantile, reach
from calibrant.calibration.groups.limits import arm
from calibrant.calibration.slicing.cuts import MISSING
from calibrant.errors import InputError
from calibrant.results.digits import decimals_of, fixed

if TYPE_CHECKING:
    from calibrant.calibration.counting.counts import Counts

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference or a slope of shares, with its interval.

    Attributes
    ----------
    name
        What it is.
    value, low, high
        The value with its interval.
    level
        The level of the interval.
    """

    name: str
    value: float
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        digits = decimals_of([self.value], self.high - self.low)
        value, low, high = (fixed(each, digits) for each in (self.value, self.low, self.high))
        return f"{self.name}: {value} [{low}, {high}]"

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return asdict(self)


def difference(counts: "Counts", one: int, other: int) -> Contrast:
    """The share of one row minus that of another (Zou, 2007: limits of a difference)."""
    first, second = counts.rows[one], counts.rows[other]
    if one == other:
        raise InputError(f"A difference needs two categories, but both are {first.name!r}.")
    if first.share is None or second.share is None:
        missing = first.name if first.share is None else second.name
        raise InputError(f"The share of {missing!r} cannot be estimated: it has too few labels.")
    for each in (first, second):
        if each.low is None or each.high is None:
            raise InputError(f"{each.name!r} has a single label, so no interval to compare.")
    covariance = counts.covariance
    product = float(np.sqrt(covariance[one, one] * covariance[other, other]))
    r = float(covariance[one, other]) / product if product > 0 else 0.0
    value = first.share - second.share
    low = value - arm(first.share - _is(first.low), _is(second.high) - second.share, r)
    high = value + arm(_is(first.high) - first.share, second.share - _is(second.low), r)
    return Contrast(f"{first.name} − {second.name}", value, low, high, counts.level)


def _is(value: float | None) -> float:
    assert value is not None
    return value


def trend(counts: "Counts") -> Contrast:
    """The slope of the regression line of shares on time, or on the number of the category."""
    dated = [k for k, each in enumerate(counts.rows[:-1]) if each.name != MISSING]
    known = [k for k in dated if counts.rows[k].share is not None]
    if len(known) < 3:
        raise InputError(f"A trend needs at least three categories, but there are {len(known)}.")
    times = np.array(counts.times or range(len(counts.rows) - 1), np.float64)[known]
    rows = [counts.rows[k] for k in known]
    weight = np.array([each.asked for each in rows])
    away = times - np.sum(weight * times) / weight.sum()
    lever = weight * away / np.sum(weight * away**2)
    value = float(sum(c * _is(each.share) for c, each in zip(lever, rows, strict=True)))
    covariance = counts.covariance[np.ix_(known, known)]
    spread = float(np.sqrt(lever @ covariance @ lever))
    effective = counts.total.effective
    half = spread * (reach(counts.level, effective) if effective else normal_quantile(counts.level))
    per = "year" if counts.times else "category"
    left = "" if len(dated) == len(counts.rows) - 1 else f", without {MISSING}"
    return Contrast(f"trend per {per}{left}", value, value - half, value + half, counts.level)
