"""Calibration of numeric predictions, by the quantiles of the observations."""

from calibrant.calibration.numbers import PIT, Coverage, Histogram, QuantileCurve, Ranks

__all__ = ["PIT", "Coverage", "Histogram", "QuantileCurve", "Ranks"]
