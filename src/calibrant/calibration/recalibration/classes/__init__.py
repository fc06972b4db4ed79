"""Maps of the probabilities of many classes, whose rows still sum to 1."""

from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.classes.methods import Dirichlet, VectorScaling

__all__ = ["ClassMap", "Dirichlet", "VectorScaling"]
