"""The plan of the study of named entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibrant.calibration.scores import CalibScore
from calibrant.studies.tagging.taggers import ADDED, COMPARED, MAIN, Models


@dataclass(frozen=True)
class EntitiesPlan:
    """Everything that the study of named entities is run by.

    Attributes
    ----------
    corpora
        The names of the corpora, and what the tables call them.
    size
        The number of spans in a bin.
    models
        The taggers that are compared everywhere.
    added
        Taggers that only the table of features has.
    compared
        The pairs of models that are compared with each other.
    far
        A difference of probabilities that counts as large.
    """

    corpora: Mapping[str, str] = field(
        default_factory=lambda: {"btc": "tweets (BTC)", "uner-ewt": "web text (UNER-EWT)"}
    )
    size: int = 400  # as in the thesis's study of tweets
    models: Models = field(default_factory=lambda: MAIN)
    added: Models = field(default_factory=lambda: ADDED)
    compared: tuple[tuple[str, str], ...] = COMPARED
    far: float = 0.05

    @property
    def score(self) -> CalibScore:
        """The measure of calibration."""
        return CalibScore(size=self.size)


ENTITIES = EntitiesPlan()
