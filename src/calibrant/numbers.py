"""Predictions of numbers: where the truth lies in what was predicted."""

from calibrant.calibration.numbers import PIT, Coverage, Histogram, QuantileCurve, Ranks

__all__ = ["PIT", "Coverage", "Histogram", "QuantileCurve", "Ranks"]
