"""Models: fitted on a corpus, they give posteriors over tags, trees or entities."""

from calibrant.models.crf import CRF, FittedCRF
from calibrant.models.features import Advanced, Basic, Features
from calibrant.models.head_match import match_heads
from calibrant.models.hmm import HMM, FittedHMM
from calibrant.models.loading import Fitted, load_model
from calibrant.models.mention_ranking import FittedMentionRanker, MentionRanker
from calibrant.models.pcfg import PCFG, FittedPCFG
from calibrant.models.training import LBFGS, AdaGrad, Epoch

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
    "MentionRanker",
    "load_model",
    "match_heads",
]
