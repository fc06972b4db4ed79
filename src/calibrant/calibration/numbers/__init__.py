"""Calibration of numeric predictions, by the quantiles of the observations."""

from calibrant.calibration.numbers.coverage import Coverage
from calibrant.calibration.numbers.curve import QuantileCurve
from calibrant.calibration.numbers.histogram import Histogram
from calibrant.calibration.numbers.pit import PIT
from calibrant.calibration.numbers.ranks import Ranks

__all__ = ["PIT", "Coverage", "Histogram", "QuantileCurve", "Ranks"]
