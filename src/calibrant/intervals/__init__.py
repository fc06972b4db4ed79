"""Intervals for scores: `Bootstrap`, the default, and `NormalSampling`, the thesis's."""

from calibrant.intervals.bootstrap import Bootstrap
from calibrant.intervals.interval import Interval
from calibrant.intervals.normal_sampling import NormalSampling

__all__ = ["Bootstrap", "Interval", "NormalSampling"]
