"""Estimates of the realistic frequency p_q = P(y = 1 | q)."""

from calibrant.curves.adaptive import AdaptiveBins
from calibrant.curves.binned import BinnedCurve
from calibrant.curves.curve import Curve
from calibrant.curves.estimator import Estimator
from calibrant.curves.isotonic import Isotonic
from calibrant.curves.kernel import Kernel
from calibrant.curves.local_likelihood import LocalLikelihood
from calibrant.curves.smooth import CrossValidation
from calibrant.curves.uniform import UniformBins

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
