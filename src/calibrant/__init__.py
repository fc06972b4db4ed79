"""calibrant tells whether the probabilities of an NLP model can be trusted."""

from calibrant import synthetic
from calibrant.curves import (
    AdaptiveBins,
    CrossValidation,
    Curve,
    Isotonic,
    Kernel,
    LocalLikelihood,
    UniformBins,
)
from calibrant.decomposition import Decomposition
from calibrant.errors import (
    CalibrantError,
    CalibrantWarning,
    FileError,
    InputError,
    ParameterError,
    UnknownName,
    UnsupportedError,
)
from calibrant.estimate import Estimate, Estimates
from calibrant.intervals import Bootstrap, NormalSampling
from calibrant.pairs import Pairs
from calibrant.plots import Sweep
from calibrant.scores import ECE, MCE, Brier, CalibMSE, CalibScore, LogLoss, Rule, Spherical
from calibrant.verbs import curve, decompose, plot, read, score
from calibrant.version import __version__

__all__ = [
    "ECE",
    "MCE",
    "AdaptiveBins",
    "Bootstrap",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrantError",
    "CalibrantWarning",
    "CrossValidation",
    "Curve",
    "Decomposition",
    "Estimate",
    "Estimates",
    "FileError",
    "InputError",
    "Isotonic",
    "Kernel",
    "LocalLikelihood",
    "LogLoss",
    "NormalSampling",
    "Pairs",
    "ParameterError",
    "Rule",
    "Spherical",
    "Sweep",
    "UniformBins",
    "UnknownName",
    "UnsupportedError",
    "__version__",
    "curve",
    "decompose",
    "plot",
    "read",
    "score",
    "synthetic",
]
