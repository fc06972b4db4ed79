"""How often each model is right on its own answers, and by how much two models differ.

The interval of the difference of two paired frequencies combines the intervals of both with their
correlation (method 10 of Newcombe, 1998, without its correction of the correlation for continuity,
doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C). With groups, the two
intervals and the correlation come from the jackknife over groups.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from calibrant.calibration.analyses.describing import frequency
from calibrant.calibration.analyses.differences import Bounded, Sums, plain_difference, with_limits
from calibrant.calibration.analyses.leaving_out import Folds, left_out_means
from calibrant.calibration.groups.few_groups import FEW
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate

NAME = "accuracy"


def accuracies_of(
    models: Mapping[str, Pairs], level: float, signed: str, intervals: bool
) -> dict[str, Estimate]:
    """The frequency of y = 1 of each model, with the interval that `describe` gives it."""
    return {
        name: replace(frequency(pairs, level, intervals), score=NAME, signature=signed)
        for name, pairs in models.items()
    }


def accuracy_differences(
    models: Mapping[str, Pairs], accuracies: Mapping[str, Estimate], folds: Folds | None
) -> dict[tuple[str, str], Estimate]:
    """The difference of every two accuracies; without folds, no intervals."""
    plain = {
        (a, b): plain_difference((a, b), accuracies[a], accuracies[b], accuracies[a].signature)
        for a, b in combinations(models, 2)
    }
    if folds is None:
        return plain
    changes = {
        name: left_out_means(pairs.y.astype(np.float64), pairs, folds)
        for name, pairs in models.items()
    }
    found = {}
    for (a, b), each in plain.items():
        one, other = accuracies[a], accuracies[b]
        sums = Sums(one.value, other.value, changes[a], changes[b], folds)
        found[a, b] = _limited(each, sums, one, other)
    return found


def _limited(plain: Estimate, sums: Sums, a: Estimate, b: Estimate) -> Estimate:
    """The difference with its interval; few groups cannot show that models agree."""
    related = sums.correlation if sums.effective >= FEW else min(sums.correlation, 0.0)
    found = sums.by_limits(Bounded.of(a), Bounded.of(b), plain.level, related)
    limited = with_limits(plain, found, plain.level)
    assert limited.low is not None and limited.high is not None
    return replace(limited, low=max(limited.low, -1.0), high=min(limited.high, 1.0))
