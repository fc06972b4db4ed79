"""Named functions of pairs; smaller is better."""

from calibrant.scores.calibration import ECE, MCE, CalibMSE, CalibrationError, CalibScore
from calibrant.scores.proper import Brier, LogLoss, MeanLoss, Rule, Spherical
from calibrant.scores.score import Score
from calibrant.scores.smooth import E50, E90, ICI, Emax
from calibrant.scores.unbinned import ECCE, SKCE, SmoothECE, Unbinned

__all__ = [
    "E50",
    "E90",
    "ECCE",
    "ECE",
    "ICI",
    "MCE",
    "SKCE",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrationError",
    "Emax",
    "LogLoss",
    "MeanLoss",
    "Rule",
    "Score",
    "SmoothECE",
    "Spherical",
    "Unbinned",
]
