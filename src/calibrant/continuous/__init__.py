"""Predictions of continuous variables: where the truth lies in what was predicted."""

from calibrant.continuous.coverage import Coverage
from calibrant.continuous.curve import QuantileCurve
from calibrant.continuous.histogram import Histogram
from calibrant.continuous.pit import PIT
from calibrant.continuous.ranks import Ranks

__all__ = ["PIT", "Coverage", "Histogram", "QuantileCurve", "Ranks"]
