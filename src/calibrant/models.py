"""Models that are fitted on a corpus and give posteriors over tags, trees or entities."""

from calibrant.structures.coreference.models.head_match import match_heads
from calibrant.structures.coreference.models.ranker import FittedMentionRanker, MentionRanker
from calibrant.structures.loading import Fitted, load_model
from calibrant.structures.sequences.models.crf import CRF, FittedCRF
from calibrant.structures.sequences.models.epochs import Epoch
from calibrant.structures.sequences.models.features import Advanced, Basic, Features
from calibrant.structures.sequences.models.hmm import HMM, FittedHMM
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.models.pcfg import PCFG, FittedPCFG

__all__ = [
    "CRF",
    "HMM",
    "LBFGS",
    "PCFG",
    "AdaGrad",
    "Advanced",
    "Basic",
    "Epoch",
    "Features",
    "Fitted",
    "FittedCRF",
    "FittedHMM",
    "FittedMentionRanker",
    "FittedPCFG",
    "Grammar",
    "MentionRanker",
    "load_model",
    "match_heads",
]
