"""calibrant tells whether the probabilities of an NLP model can be trusted.

Names are imported when they are first used, so that `import calibrant` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant import synthetic
    from calibrant.classes import ClassScores
    from calibrant.comparison import Comparison
    from calibrant.continuous import PIT, Coverage, Histogram, QuantileCurve, Ranks
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
    from calibrant.description import Description
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
    )
    from calibrant.intervals import Bootstrap, NormalSampling
    from calibrant.pairs import Pairs
    from calibrant.plots import Sweep
    from calibrant.posteriors import Labels
    from calibrant.queries import EveryLabel, LabelIs, TopLabel
    from calibrant.scores import (
        E50,
        E90,
        ECCE,
        ECE,
        ICI,
        MCE,
        SKCE,
        Brier,
        CalibMSE,
        CalibScore,
        Emax,
        LogLoss,
        Rule,
        SmoothECE,
        Spherical,
    )
    from calibrant.verbs import (
        ask,
        compare,
        curve,
        decompose,
        describe,
        plot,
        read,
        score,
        score_classes,
        test,
    )
    from calibrant.verdict import Verdict
    from calibrant.version import __version__

HOMES = {
    "calibrant.classes": "ClassScores",
    "calibrant.comparison": "Comparison",
    "calibrant.continuous": "Coverage Histogram PIT QuantileCurve Ranks",
    "calibrant.curves": "AdaptiveBins CrossValidation Curve Isotonic Kernel LocalLikelihood "
    "UniformBins",
    "calibrant.decomposition": "Decomposition",
    "calibrant.description": "Description",
    "calibrant.errors": "CalibrantError CalibrantWarning FileError InputError ParameterError "
    "UnknownName UnsupportedError",
    "calibrant.estimate": "Estimate Estimates",
    "calibrant.hypotheses": "Consistency Cox Cumulative HosmerLemeshow Joint Spiegelhalter",
    "calibrant.intervals": "Bootstrap NormalSampling",
    "calibrant.pairs": "Pairs",
    "calibrant.plots": "Sweep",
    "calibrant.posteriors": "Labels",
    "calibrant.queries": "EveryLabel LabelIs TopLabel",
    "calibrant.scores": "Brier CalibMSE CalibScore E50 E90 ECCE ECE Emax ICI LogLoss MCE Rule "
    "SKCE SmoothECE Spherical",
    "calibrant.verbs": "ask compare curve decompose describe plot read score score_classes test",
    "calibrant.verdict": "Verdict",
    "calibrant.version": "__version__",
}
_HOME = {name: home for home, names in HOMES.items() for name in names.split()}
__all__ = [
    "E50",
    "E90",
    "ECCE",
    "ECE",
    "ICI",
    "MCE",
    "PIT",
    "SKCE",
    "AdaptiveBins",
    "Bootstrap",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrantError",
    "CalibrantWarning",
    "ClassScores",
    "Comparison",
    "Consistency",
    "Coverage",
    "Cox",
    "CrossValidation",
    "Cumulative",
    "Curve",
    "Decomposition",
    "Description",
    "Emax",
    "Estimate",
    "Estimates",
    "EveryLabel",
    "FileError",
    "Histogram",
    "HosmerLemeshow",
    "InputError",
    "Isotonic",
    "Joint",
    "Kernel",
    "LabelIs",
    "Labels",
    "LocalLikelihood",
    "LogLoss",
    "NormalSampling",
    "Pairs",
    "ParameterError",
    "QuantileCurve",
    "Ranks",
    "Rule",
    "SmoothECE",
    "Spherical",
    "Spiegelhalter",
    "Sweep",
    "TopLabel",
    "UniformBins",
    "UnknownName",
    "UnsupportedError",
    "Verdict",
    "__version__",
    "ask",
    "compare",
    "curve",
    "decompose",
    "describe",
    "plot",
    "read",
    "score",
    "score_classes",
    "synthetic",
    "test",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what it is, is known above
    if name == "synthetic":
        return import_module("calibrant.synthetic")
    if name not in _HOME:
        raise AttributeError(f"module 'calibrant' has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
