"""The plan of the study of coreference."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from calibrant.calibration.scores import CalibScore
from calibrant.structures.coreference.models.ranker import DURRETT_KLEIN, MentionRanker
from calibrant.structures.coreference.queries import NewEntity, Singleton
from calibrant.structures.query import Query

RULE, FAITHFUL = "head match", "faithful"


@dataclass(frozen=True)
class CoreferencePlan:
    """The settings of the study of coreference.

    Attributes
    ----------
    rankers
        The two mention rankers, by name; the first is trained for its likelihood.
    strengths
        Further strengths of L2 for the likelihood-trained ranker.
    size
        The number of pairs of mentions in a bin.
    above
        Predictions above this are also scored separately.
    above_size
        The size of the bins for them, which is smaller.
    points
        The maximum number of bins of a curve above the bound.
    samples
        How many clusterings to sample, for comparison with exact probabilities.
    queries
        Further queries about mentions.
    edges
        Edges of the intervals in which predictions are counted.
    """

    rankers: Mapping[str, MentionRanker] = field(
        default_factory=lambda: {
            FAITHFUL: MentionRanker(),
            "loss-augmented": MentionRanker(losses=DURRETT_KLEIN),
        }
    )
    strengths: tuple[float, ...] = (0.3, 1.0, 3.0, 10.0)
    size: int = 10_000
    above: float = 0.1
    above_size: int = 1_000
    points: int = 60
    samples: tuple[int, ...] = (10, 100, 1000)
    queries: tuple[Query, ...] = (NewEntity(), Singleton())
    edges: tuple[float, ...] = (
        *(0.0, 0.001, 0.01, 0.05),
        *(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    )

    @property
    def whole(self) -> CalibScore:
        """The score for calibration."""
        return CalibScore(size=self.size)

    @property
    def upper(self) -> CalibScore:
        """The score for predictions above the bound."""
        return CalibScore(size=self.above_size, above=self.above)

    @property
    def others(self) -> dict[str, MentionRanker]:
        """The likelihood-trained ranker with other strengths of L2."""
        ranker = self.rankers[FAITHFUL]
        return {f"l2 = {l2:g}": replace(ranker, l2=l2) for l2 in self.strengths if l2 != ranker.l2}


COREFERENCE = CoreferencePlan()
