"""The plan of the study of recalibration."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.trees.models.pcfg import PCFG
from calibrant.studies.coreference.plan import COREFERENCE
from calibrant.studies.parsing.plan import PARSING
from calibrant.studies.tagging.taggers import MAIN, Models


@dataclass(frozen=True)
class RecalibrationPlan:
    """The settings of the study of recalibration.

    Attributes
    ----------
    tagged
        The corpora of tagged words and of names, and their names in tables.
    taggers
        The taggers that are trained on each.
    slow
        The corpora on which a tagger is left out, because training takes long.
    treebanks
        The treebanks, and the step between parsed dev and test sentences: 6 parses every sixth.
    grammars
        The grammars that are trained on each.
    longest
        The longest sentence to parse, in words.
    labels
        Labels of constituents to ask about, besides any.
    rankers
        The mention rankers.
    litbank
        How many of LitBank's ten folds to use; their held-out documents are pooled.
    ontogum
        Whether to use OntoGUM.
    """

    tagged: Mapping[str, str] = field(
        default_factory=lambda: {
            "ark": "tweets",
            "ud-ewt": "UD-EWT",
            "btc": "BTC",
            "uner-ewt": "UNER-EWT",
        }
    )
    taggers: Models = field(default_factory=lambda: MAIN)
    slow: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"CRF-Advanced": ("ud-ewt", "btc", "uner-ewt")}
    )
    treebanks: Mapping[str, int] = field(default_factory=lambda: {"gum": 6})
    grammars: Mapping[str, PCFG] = field(default_factory=lambda: PARSING.grammars)
    longest: int = 40
    labels: tuple[str, ...] = ("NP", "VP", "PP")
    rankers: Mapping[str, MentionRanker] = field(default_factory=lambda: COREFERENCE.rankers)
    litbank: int = 3
    ontogum: bool = True


PLAN = RecalibrationPlan()
FULL = RecalibrationPlan(slow={}, treebanks={"gum": 1}, litbank=10)
