"""The plans of the two studies of part-of-speech tagging."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.calibration.scores import CalibScore
from calibrant.studies.published import THESIS, Tagger
from calibrant.studies.tagging.taggers import ADDED, COMPARED, MAIN, Models


@dataclass(frozen=True)
class TaggingPlan:
    """Everything that a study of taggers is run by.

    Attributes
    ----------
    name, title
        The name of the study, by which the thesis's numbers are found, and its heading.
    corpus
        The name of a corpus.
    tag
        The tag that is asked about.
    size
        The number of questions in a bin.
    published
        The corpus that the thesis's numbers come from.
    models
        The taggers that are compared everywhere.
    added
        Taggers that only the table of features has.
    compared
        The pairs of models that are compared with each other. The first pair is also counted tag by
        tag.
    neighbours
        How many pairs of neighbouring tags are asked about, the most frequent first.
    strengths
        The strengths of L2 that the CRF is trained with; none skips this table.
    intervals
        How many intervals of equal width the predictions are counted in.
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
        """The measure of calibration."""
        return CalibScore(size=self.size)

    @property
    def thesis(self) -> Mapping[str, Tagger]:
        """The thesis's numbers by model."""
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
