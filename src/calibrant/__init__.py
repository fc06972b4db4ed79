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
    from calibrant.corpora import (
        Corpus,
        Document,
        Documents,
        Mention,
        Treebank,
        bracket_f1,
        check_scheme,
        convert_scheme,
        load_corpus,
        load_documents,
        load_treebank,
        named_corpora,
        read_brackets,
        read_conll,
        read_conllu,
        read_coreference,
        repair_scheme,
        score_clusters,
        span_f1,
    )
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
    from calibrant.models import (
        CRF,
        HMM,
        LBFGS,
        PCFG,
        AdaGrad,
        Advanced,
        Basic,
        Features,
        MentionRanker,
        load_model,
    )
    from calibrant.pairs import Pairs
    from calibrant.parses import Parse
    from calibrant.plots import Sweep
    from calibrant.plotting import plot
    from calibrant.posteriors import Chain, Grammar, Labels, Links, Tree
    from calibrant.queries import (
        EveryLabel,
        EveryTag,
        HasConstituent,
        HasSpan,
        Holds,
        LabelIs,
        NewEntity,
        SameEntity,
        Singleton,
        TagIs,
        TagPair,
        TopLabel,
    )
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
    "calibrant.corpora": "Corpus Document Documents Mention Treebank bracket_f1 check_scheme "
    "convert_scheme load_corpus load_documents load_treebank named_corpora read_brackets "
    "read_conll read_conllu read_coreference repair_scheme score_clusters span_f1",
    "calibrant.curves": "AdaptiveBins CrossValidation Curve Isotonic Kernel LocalLikelihood "
    "UniformBins",
    "calibrant.decomposition": "Decomposition",
    "calibrant.description": "Description",
    "calibrant.errors": "CalibrantError CalibrantWarning FileError InputError ParameterError "
    "UnknownName UnsupportedError",
    "calibrant.estimate": "Estimate Estimates",
    "calibrant.hypotheses": "Consistency Cox Cumulative HosmerLemeshow Joint Spiegelhalter",
    "calibrant.intervals": "Bootstrap NormalSampling",
    "calibrant.models": "AdaGrad Advanced Basic CRF Features HMM LBFGS MentionRanker PCFG "
    "load_model",
    "calibrant.pairs": "Pairs",
    "calibrant.parses": "Parse",
    "calibrant.plots": "Sweep",
    "calibrant.plotting": "plot",
    "calibrant.posteriors": "Chain Grammar Labels Links Tree",
    "calibrant.queries": "EveryLabel EveryTag HasConstituent HasSpan Holds LabelIs NewEntity "
    "SameEntity Singleton TagIs TagPair TopLabel",
    "calibrant.scores": "Brier CalibMSE CalibScore E50 E90 ECCE ECE Emax ICI LogLoss MCE Rule "
    "SKCE SmoothECE Spherical",
    "calibrant.verbs": "ask compare curve decompose describe read score score_classes test",
    "calibrant.verdict": "Verdict",
    "calibrant.version": "__version__",
}
_HOME = {name: home for home, names in HOMES.items() for name in names.split()}
__all__ = [
    "CRF",
    "E50",
    "E90",
    "ECCE",
    "ECE",
    "HMM",
    "ICI",
    "LBFGS",
    "MCE",
    "PCFG",
    "PIT",
    "SKCE",
    "AdaGrad",
    "AdaptiveBins",
    "Advanced",
    "Basic",
    "Bootstrap",
    "Brier",
    "CalibMSE",
    "CalibScore",
    "CalibrantError",
    "CalibrantWarning",
    "Chain",
    "ClassScores",
    "Comparison",
    "Consistency",
    "Corpus",
    "Coverage",
    "Cox",
    "CrossValidation",
    "Cumulative",
    "Curve",
    "Decomposition",
    "Description",
    "Document",
    "Documents",
    "Emax",
    "Estimate",
    "Estimates",
    "EveryLabel",
    "EveryTag",
    "Features",
    "FileError",
    "Grammar",
    "HasConstituent",
    "HasSpan",
    "Histogram",
    "Holds",
    "HosmerLemeshow",
    "InputError",
    "Isotonic",
    "Joint",
    "Kernel",
    "LabelIs",
    "Labels",
    "Links",
    "LocalLikelihood",
    "LogLoss",
    "Mention",
    "MentionRanker",
    "NewEntity",
    "NormalSampling",
    "Pairs",
    "ParameterError",
    "Parse",
    "QuantileCurve",
    "Ranks",
    "Rule",
    "SameEntity",
    "Singleton",
    "SmoothECE",
    "Spherical",
    "Spiegelhalter",
    "Sweep",
    "TagIs",
    "TagPair",
    "TopLabel",
    "Tree",
    "Treebank",
    "UniformBins",
    "UnknownName",
    "UnsupportedError",
    "Verdict",
    "__version__",
    "ask",
    "bracket_f1",
    "check_scheme",
    "compare",
    "convert_scheme",
    "curve",
    "decompose",
    "describe",
    "load_corpus",
    "load_documents",
    "load_model",
    "load_treebank",
    "named_corpora",
    "plot",
    "read",
    "read_brackets",
    "read_conll",
    "read_conllu",
    "read_coreference",
    "repair_scheme",
    "score",
    "score_classes",
    "score_clusters",
    "span_f1",
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
