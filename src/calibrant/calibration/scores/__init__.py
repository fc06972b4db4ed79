"""Scores: named functions of pairs; smaller is better."""

from calibrant.calibration.scores.calibration import (
    ECE,
    MCE,
    CalibMSE,
    CalibrationError,
    CalibScore,
)
from calibrant.calibration.scores.proper import Brier, LogLoss, MeanLoss, Rule, Spherical
from calibrant.calibration.scores.score import Score
from calibrant.calibration.scores.smooth import E50, E90, ICI, Emax
from calibrant.calibration.scores.unbinned import ECCE, SKCE, SmoothECE, Unbinned

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
