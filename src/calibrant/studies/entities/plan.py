"""The plan of the study of named entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.calibration.scores import CalibScore
from calibrant.studies.tagging.taggers import ADDED, COMPARED, MAIN, Models


@dataclass(frozen=True)
class EntitiesPlan:
    """The settings of the study of named entities.

    Attributes
    ----------
    corpora
        The names of the corpora, and their names in tables.
    size
        The number of spans in a bin.
    models
        The taggers in all tables.
    added
        Further taggers for the table of features.
    compared
        The pairs of models to compare.
    far
        A difference of probabilities that counts as large.
    """

    corpora: Mapping[str, str] = field(
        default_factory=lambda: {"btc": "tweets (BTC)", "uner-ewt": "web text (UNER-EWT)"}
    )
    size: int = 400  # as in the study of tweets in the thesis
    models: Models = field(default_factory=lambda: MAIN)
    added: Models = field(default_factory=lambda: ADDED)
    compared: tuple[tuple[str, str], ...] = COMPARED
    far: float = 0.05

    @property
    def score(self) -> CalibScore:
        """The score for calibration."""
        return CalibScore(size=self.size)


ENTITIES = EntitiesPlan()
