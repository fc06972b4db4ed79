"""Maps that mend probabilities, and the evidence that they do."""

from calibrant.calibration.recalibration.classes import Dirichlet, VectorScaling
from calibrant.calibration.recalibration.isotonic import Isotonic
from calibrant.calibration.recalibration.logistic import Beta, Platt, Spline, Temperature
from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.recalibration.recalibrator import Recalibrator

__all__ = [
    "Beta",
    "Dirichlet",
    "Isotonic",
    "Method",
    "Platt",
    "Recalibrator",
    "Spline",
    "Temperature",
    "VectorScaling",
]
