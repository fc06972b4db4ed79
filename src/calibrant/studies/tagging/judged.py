"""How well calibrated a tagger is, and which of two is better."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from calibrant.calibration.analyses.description import cox_slope
from calibrant.calibration.scores import Brier, CalibScore
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.studies.compared import COLUMNS, Compared, compared
from calibrant.studies.sections import Section
from calibrant.studies.tagging.taggers import Tagged
from calibrant.verbs import decompose, score


@dataclass(frozen=True, eq=False)
class Judged:
    """A tagger, its answers, and their scores."""

    fit: Tagged
    pairs: Pairs
    calibration: Estimate
    slope: Estimate  # Cox's: below 1 too extreme, above 1 too timid
    refinement: Estimate
    brier: Estimate

    @property
    def seconds(self) -> float:
        """How long training took, as tables show it."""
        return round(self.fit.seconds, 1)


def judge(fit: Tagged, pairs: Pairs, by: CalibScore) -> Judged:
    """Score a tagger's answers."""
    terms = decompose(pairs, Brier(), by.curve)
    return Judged(fit, pairs, score(pairs, by), cox_slope(pairs), terms.refinement, terms.loss)


def comparison_rows(
    pairs: Mapping[str, Pairs],
    models: Iterable[tuple[str, str]],
    by: CalibScore,
    name: str = "",
    where: str = "",
) -> Section[Compared]:
    """The differences between pairs of models, on the same questions."""
    return Section(
        name=f"comparisons{name}",
        title=f"Paired comparisons{where}",
        columns=COLUMNS,
        rows=[compared({a: pairs[a], b: pairs[b]}, by) for a, b in models],
        text="The difference of CalibScore on the same questions, with a 95 % interval.",
    )
