"""Score the calibration of taggers, and compare two of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from calibrant.calibration.analyses.describing import cox_slope
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
    slope: Estimate  # the Cox slope: below 1 overconfident, above 1 underconfident
    refinement: Estimate
    brier: Estimate

    @property
    def seconds(self) -> float:
        """The training time, rounded for tables."""
        return round(self.fit.seconds, 1)


def judge(fit: Tagged, pairs: Pairs, by: CalibScore) -> Judged:
    """Score the answers of a tagger."""
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
