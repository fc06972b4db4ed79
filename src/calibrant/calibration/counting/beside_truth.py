"""What a model alone says about numbers, beside the true ones: for any number of categories."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibrant.calibration.counting.categories import TOTAL
from calibrant.calibration.counting.sums import beliefs_by_category, limits_of_sums
from calibrant.pairs.tallies import Tallies

SLACK = 1e-9  # rounding of sums


class BesideTruth(NamedTuple):
    """One number: the truth, the best guesses, and the model's own interval."""

    name: str
    asked: float
    true: float
    naive: float
    expected: float
    low: float
    high: float

    @property
    def covered(self) -> bool:
        """Whether the interval has the truth in it."""
        return self.low - SLACK <= self.true <= self.high + SLACK


def beside_truth(tallies: Tallies, names: Sequence[str], level: float) -> list[BesideTruth]:
    """The numbers of each name, one for each unit, in alphabetical order; the total last.

    Intervals are the model's own, without labels.

    >>> tallies = Tallies(pmf=[[0.5, 0.5], [0.1, 0.9], [0.9, 0.1]], best=[0, 1, 0], gold=[1, 1, 0])
    >>> for each in beside_truth(tallies, ["a", "a", "b"], 0.95):
    ...     print(each.name, each.true, each.naive, round(each.expected, 1), each.low, each.high)
    a 2.0 1.0 1.4 0.0 2.0
    b 0.0 0.0 0.1 0.0 1.0
    total 2.0 1.0 1.5 0.0 3.0
    """
    found, code = np.unique(np.asarray(names), return_inverse=True)
    beliefs = beliefs_by_category(tallies, code, found.size).with_total()
    low, high = limits_of_sums(tallies, code, beliefs, level)
    true = np.bincount(code, tallies.gold, minlength=found.size)
    columns = (
        beliefs.asked,
        np.append(true, true.sum()),
        beliefs.best,
        beliefs.expected,
        low,
        high,
    )
    return [
        BesideTruth(name, *(float(each[k]) for each in columns))
        for k, name in enumerate([*map(str, found), TOTAL])
    ]
