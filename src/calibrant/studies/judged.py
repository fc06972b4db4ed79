"""How well calibrated a tagger is, and which of two is better."""

from collections.abc import Mapping
from dataclasses import dataclass

from calibrant.calibration.analyses.description import cox_slope
from calibrant.calibration.scores import Brier, CalibScore
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.studies.compared import COLUMNS, compared
from calibrant.studies.sections import Cell, Section
from calibrant.studies.taggers import Tagged
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


def judge(fit: Tagged, pairs: Pairs, by: CalibScore) -> Judged:
    """Score a tagger's answers."""
    terms = decompose(pairs, Brier(), by.curve)
    return Judged(fit, pairs, score(pairs, by), cox_slope(pairs), terms.refinement, terms.loss)


COMPARED = (("HMM", "CRF-Basic"), ("CRF-Basic", "CRF-Advanced"))


def comparison_rows(
    pairs: Mapping[str, Pairs], by: CalibScore, name: str = "", where: str = ""
) -> Section:
    """The differences between neighbouring models, on the same questions."""
    rows: list[tuple[Cell, ...]] = [
        (*compared({a: pairs[a], b: pairs[b]}, by),) for a, b in COMPARED
    ]
    return Section(
        f"comparisons{name}",
        f"Paired comparisons{where}",
        COLUMNS,
        rows,
        "The difference of CalibScore on the same questions, with a 95 % interval.",
    )
