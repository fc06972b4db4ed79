"""The plan of the study of parsing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from calibrant.calibration.scores import CalibScore
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.trees.models.pcfg import PCFG
from calibrant.structures.trees.treebank import Treebank

Lengths = tuple[tuple[int, int], ...]  # first and last of each range
PLAIN, MARKOV = "plain", "markovised"


@dataclass(frozen=True)
class ParsingPlan:
    """The settings of the study of parsing.

    Attributes
    ----------
    corpora
        The treebanks, and the step between parsed test sentences: 1 parses all, 5 every fifth.
    load
        Reads a part of a treebank by name.
    grammars
        The two grammars, by name: first the plain one, then the markovised one.
    longest
        The longest test sentence, in words; time grows with the cube.
    size
        The number of spans in a bin.
    above
        Predictions above this are also scored separately.
    labels
        How many of the most frequent labels to show separately.
    fewest
        The minimum number of spans for a score.
    span_lengths, sentence_lengths
        Ranges of lengths to show separately.
    edges
        Edges of the intervals in which predictions are counted; the first is the query floor.
    """

    corpora: Mapping[str, int] = field(default_factory=lambda: {"gum": 1, "craft": 5})
    load: Callable[[str, str], Treebank] = load_treebank
    grammars: Mapping[str, PCFG] = field(
        default_factory=lambda: {PLAIN: PCFG(horizontal=None, vertical=1), MARKOV: PCFG()}
    )
    longest: int = 40
    size: int = 400
    above: float = 0.1
    labels: int = 12
    fewest: int = 100
    span_lengths: Lengths = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 40))
    sentence_lengths: Lengths = ((1, 10), (11, 20), (21, 30), (31, 40))
    edges: tuple[float, ...] = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)

    @property
    def whole(self) -> CalibScore:
        """The score for calibration."""
        return CalibScore(size=self.size)

    @property
    def upper(self) -> CalibScore:
        """The score for predictions above the bound."""
        return CalibScore(size=self.size, above=self.above)


PARSING = ParsingPlan()
FULL = ParsingPlan(corpora={"gum": 1, "craft": 1})
