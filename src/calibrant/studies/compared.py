"""Which of two models is better calibrated, as a row of a table."""

from collections.abc import Mapping
from typing import NamedTuple

from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.verbs import compare


class Compared(NamedTuple):
    """The better model and the worse one, by how much, and whether that is shown."""

    better: str
    worse: str
    difference: Estimate
    p: float
    words: str


COLUMNS = ("better", "worse", "difference", "p", "in words")


def compared(models: Mapping[str, Pairs], by: CalibScore, where: str = "") -> Compared:
    """Compare two models on the same questions; `where` comes before the words."""
    (a, one), (b, other) = models.items()
    found = compare(one, other, by)
    ((first, _), difference) = next(iter(found.differences.items()))
    better, worse = (a, b) if first == "a" else (b, a)
    words = f"{better} is better calibrated than {worse}"
    if not found.p_value < 0.05:
        words = f"{better} and {worse} are not shown to differ in calibration"
    said = f"{where}{': ' if where else ''}{words} (p = {found.p_value:.2g})."
    return Compared(better, worse, difference, found.p_value, said)
