"""The plans of the two studies of part-of-speech tagging."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.calibration.scores import CalibScore
from calibrant.studies.published import THESIS, Tagger
from calibrant.studies.tagging.taggers import ADDED, COMPARED, MAIN, Models


@dataclass(frozen=True)
class TaggingPlan:
    """The settings of a study of taggers.

    Attributes
    ----------
    name, title
        The name of the study, which selects the numbers of the thesis, and its heading.
    corpus
        The name of a corpus.
    tag
        The tag to ask about.
    size
        The number of questions in a bin.
    published
        The corpus behind the numbers of the thesis.
    models
        The taggers in all tables.
    added
        Further taggers for the table of features.
    compared
        The pairs of models to compare. The first pair is also compared tag by tag.
    neighbours
        How many of the most frequent pairs of neighbouring tags to ask about.
    strengths
        The strengths of L2 for the CRF; an empty tuple skips this table.
    intervals
        The number of intervals of equal width in which predictions are counted.
    """

    name: str
    title: str
    corpus: str
    tag: str
    size: int
    published: str
    models: Models = field(default_factory=lambda: MAIN)
    added: Models = field(default_factory=lambda: ADDED)
    compared: tuple[tuple[str, str], ...] = COMPARED
    neighbours: int = 100
    strengths: tuple[float, ...] = ()
    intervals: int = 20

    @property
    def score(self) -> CalibScore:
        """The score for calibration."""
        return CalibScore(size=self.size)

    @property
    def thesis(self) -> Mapping[str, Tagger]:
        """The numbers of the thesis, by model."""
        return THESIS[self.name]


TWITTER = TaggingPlan(
    name="twitter-pos",
    title="Part-of-speech tagging of tweets",
    corpus="ark",
    tag="V",
    size=400,  # as in the thesis
    published="tweets",
    strengths=(0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
)
WEB = TaggingPlan(
    name="web-pos",
    title="Part-of-speech tagging of web text",
    corpus="ud-ewt",
    tag="NN",
    size=1000,  # as in the thesis
    published="WSJ",
)
