"""Intervals for scores: `Bootstrap` (the default) and `NormalSampling` (as in the thesis)."""

from calibrant.calibration.intervals.bootstrap import Bootstrap
from calibrant.calibration.intervals.interval import Interval
from calibrant.calibration.intervals.normal_sampling import NormalSampling

__all__ = ["Bootstrap", "Interval", "NormalSampling"]
