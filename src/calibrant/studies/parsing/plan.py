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
    """Everything that the study of parsing is run by.

    Attributes
    ----------
    corpora
        The treebanks, and which of their test sentences are parsed: every first, every fifth, ...
    load
        Reads a part of a treebank by name.
    grammars
        The two grammars, by name: the plain one, then the one with memories.
    longest
        The most words of a test sentence: time grows with their cube.
    size
        The number of spans in a bin.
    above
        Predictions above this are also scored on their own.
    labels
        How many of the most frequent labels are told apart.
    fewest
        The least number of spans in a cell that is scored.
    span_lengths, sentence_lengths
        Ranges of lengths that are told apart.
    edges
        Bounds of the intervals in which predictions are counted; the query's floor comes first.
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
        """The measure of calibration."""
        return CalibScore(size=self.size)

    @property
    def upper(self) -> CalibScore:
        """The same, of predictions above the bound."""
        return CalibScore(size=self.size, above=self.above)


PARSING = ParsingPlan()
FULL = ParsingPlan(corpora={"gum": 1, "craft": 1})
