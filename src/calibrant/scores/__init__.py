"""Named functions of pairs; smaller is better."""

from calibrant.scores.calibration import ECE, MCE, CalibMSE, CalibrationError, CalibScore
from calibrant.scores.proper import Brier, LogLoss, MeanLoss, Rule, Spherical
from calibrant.scores.score import Score
from calibrant.scores.unbinned import ECCE

__all__ = [
    "ECCE",
    "ECE",
    "MCE",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrationError",
    "LogLoss",
    "MeanLoss",
    "Rule",
    "Score",
    "Spherical",
]
