"""Estimates of the realistic frequency p_q = P(y = 1 | q)."""

from calibrant.calibration.curves.adaptive import AdaptiveBins
from calibrant.calibration.curves.binned import BinnedCurve
from calibrant.calibration.curves.curve import Curve
from calibrant.calibration.curves.estimator import Estimator
from calibrant.calibration.curves.isotonic import Isotonic
from calibrant.calibration.curves.kernel import Kernel
from calibrant.calibration.curves.local_likelihood import LocalLikelihood
from calibrant.calibration.curves.smooth import CrossValidation
from calibrant.calibration.curves.uniform import UniformBins

__all__ = [
    "AdaptiveBins",
    "BinnedCurve",
    "CrossValidation",
    "Curve",
    "Estimator",
    "Isotonic",
    "Kernel",
    "LocalLikelihood",
    "UniformBins",
]
