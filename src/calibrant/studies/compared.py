"""Compare the calibration of two models, as a row of a table."""

from collections.abc import Mapping
from typing import NamedTuple

from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.results.digits import p_text
from calibrant.results.estimate import Estimate
from calibrant.verbs import compare

SHOWN = 0.05  # a smaller p-value counts as evidence of a difference


class Compared(NamedTuple):
    """The better and the worse model, their difference, and the conclusion."""

    better: str
    worse: str
    difference: Estimate
    p: float
    words: str


COLUMNS = {
    "better": "better",
    "worse": "worse",
    "difference": "difference",
    "p": "p",
    "words": "in words",
}
WITHIN = {f"compared.{attribute}": heading for attribute, heading in COLUMNS.items()}


def compared(models: Mapping[str, Pairs], by: CalibScore, where: str = "") -> Compared:
    """Compare two models on the same questions; `where` prefixes the conclusion."""
    (a, one), (b, other) = models.items()
    found = compare(one, other, by)
    ((first, _), difference) = next(iter(found.differences.items()))
    better, worse = (a, b) if first == "a" else (b, a)
    words = f"{better} is better calibrated than {worse}"
    if not found.p_value < SHOWN:
        words = f"{better} and {worse} are not shown to differ in calibration"
    said = f"{where}{': ' if where else ''}{words} ({p_text(found.p_value)})."
    return Compared(better, worse, difference, found.p_value, said)
