"""How well calibrated a tagger is, and which of two is better."""

from collections.abc import Mapping
from dataclasses import dataclass

from calibrant.estimate import Estimate
from calibrant.pairs import Pairs
from calibrant.scores import Brier, CalibScore
from calibrant.studies.sections import Section
from calibrant.studies.taggers import Tagged
from calibrant.verbs import compare, decompose, describe, score


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
    slope = describe(pairs).slope
    return Judged(fit, pairs, score(pairs, by), slope, terms.refinement, terms.loss)


COMPARED = (("HMM", "CRF-Basic"), ("CRF-Basic", "CRF-Advanced"))


def comparison_rows(
    pairs: Mapping[str, Pairs], by: CalibScore, name: str = "", where: str = ""
) -> Section:
    """The differences between neighbouring models, on the same questions."""
    rows = []
    for a, b in COMPARED:
        found = compare(pairs[a], pairs[b], by)
        ((first, _), difference) = next(iter(found.differences.items()))
        names = (a, b) if first == "a" else (b, a)
        rows.append((*names, difference, found.p_value, _said(*names, difference, found.p_value)))
    return Section(
        f"comparisons{name}",
        f"Paired comparisons{where}",
        ("better", "worse", "difference", "p", "in words"),
        rows,
        "The difference of CalibScore on the same questions, with a 95 % interval.",
    )


def _said(better: str, worse: str, difference: Estimate, p: float) -> str:
    if p < 0.05:
        return f"{better} is better calibrated than {worse} (p = {p:.2g})."
    return f"{better} and {worse} are not shown to differ in calibration (p = {p:.2g})."
