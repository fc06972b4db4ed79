"""Scores: named functions of pairs; smaller is better."""

from calibrant.calibration.scores.calibration import (
    ECE,
    MCE,
    CalibMSE,
    CalibrationError,
    CalibScore,
)
from calibrant.calibration.scores.kernel import ATB, SKCE
from calibrant.calibration.scores.proper import Brier, LogLoss, MeanLoss, Rule, Spherical
from calibrant.calibration.scores.score import Score
from calibrant.calibration.scores.smooth import E50, E90, ICI, Emax
from calibrant.calibration.scores.unbinned import ECCE, Cutoff, SmoothECE, Unbinned

__all__ = [
    "ATB",
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
    "Cutoff",
    "Emax",
    "LogLoss",
    "MeanLoss",
    "Rule",
    "Score",
    "SmoothECE",
    "Spherical",
    "Unbinned",
]
