"""calibrant tells whether the probabilities of an NLP model can be trusted."""

from calibrant import synthetic
from calibrant.comparison import Comparison
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
from calibrant.hypotheses import (
    Consistency,
    Cox,
    Cumulative,
    HosmerLemeshow,
    Joint,
    Spiegelhalter,
    Verdict,
)
from calibrant.intervals import Bootstrap, NormalSampling
from calibrant.pairs import Pairs
from calibrant.plots import Sweep
from calibrant.scores import ECCE, ECE, MCE, Brier, CalibMSE, CalibScore, LogLoss, Rule, Spherical
from calibrant.verbs import compare, curve, decompose, plot, read, score, test
from calibrant.version import __version__

__all__ = [
    "ECCE",
    "ECE",
    "MCE",
    "AdaptiveBins",
    "Bootstrap",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrantError",
    "CalibrantWarning",
    "Comparison",
    "Consistency",
    "Cox",
    "CrossValidation",
    "Cumulative",
    "Curve",
    "Decomposition",
    "Estimate",
    "Estimates",
    "FileError",
    "HosmerLemeshow",
    "InputError",
    "Isotonic",
    "Joint",
    "Kernel",
    "LocalLikelihood",
    "LogLoss",
    "NormalSampling",
    "Pairs",
    "ParameterError",
    "Rule",
    "Spherical",
    "Spiegelhalter",
    "Sweep",
    "UniformBins",
    "UnknownName",
    "UnsupportedError",
    "Verdict",
    "__version__",
    "compare",
    "curve",
    "decompose",
    "plot",
    "read",
    "score",
    "synthetic",
    "test",
]
