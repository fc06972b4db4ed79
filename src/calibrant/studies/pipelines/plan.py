"""The plan of the study of pipelines."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.trees.models.pcfg import PCFG
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.coreference.rankers import Resolved, resolve_litbank
from calibrant.studies.pipelines.documents import Names, load_names
from calibrant.studies.progress import Progress

Genres = tuple[str, ...]
FAITHFUL = "faithful"


def resolve(ranker: MentionRanker, progress: Progress) -> Resolved:
    """LitBank's documents, each by a ranker that was trained on other folds."""
    return resolve_litbank({FAITHFUL: ranker}, progress)[0]


@dataclass(frozen=True)
class PipelinesPlan:
    """The settings of the study of pipelines.

    Attributes
    ----------
    tagger
        The tagger of parts of speech and of names.
    grammar
        The grammar.
    load_trees
        Reads a part of a treebank.
    load_names
        Reads the documents with names.
    resolve
        Reads documents with mentions, and resolves each by a ranker trained on others.
    longest
        The longest test sentence to parse, in words.
    every
        The step between parsed test sentences: 1 parses all.
    few
        The numbers of tag sequences, best ones or samples, to parse.
    floor
        Constituents are asked about if any pipeline gives them this probability.
    least
        Predictions nearer than this to 0 or 1 are moved there for the log loss.
    faint
        Tags with a smaller probability are left out of the chart of all tags.
    size
        The number of constituents in a bin.
    counted
        Each way to count names: the genres to train on, and to count in.
    ranker
        The ranker of mentions.
    level
        The level of intervals.
    shares
        Shares of the documents that are labelled, to rectify counts.
    draws
        How often such labels are drawn.
    """

    tagger: CRF = field(default_factory=CRF)
    grammar: PCFG = field(default_factory=PCFG)
    load_trees: Callable[[str, str], Treebank] = load_treebank
    load_names: Callable[[], Names] = load_names
    resolve: Callable[[MentionRanker, Progress], Resolved] = resolve
    longest: int = 20
    every: int = 4
    few: tuple[int, ...] = (1, 2, 5, 10, 20)
    floor: float = 0.001
    least: float = 1e-4
    faint: float = 1e-4
    size: int = 400
    counted: Mapping[Genres, Genres] = field(
        default_factory=lambda: {
            ("email", "reviews", "answers"): ("weblog", "newsgroup"),
            ("weblog", "newsgroup"): ("email", "reviews", "answers"),
        }
    )
    ranker: MentionRanker = field(default_factory=MentionRanker)
    level: float = 0.95
    shares: tuple[float, ...] = (0.1, 0.3)
    draws: int = 100


PIPELINES = PipelinesPlan()
FULL = replace(PIPELINES, longest=40, every=1, few=(1, 2, 5, 10, 20, 50, 100), draws=1000)
