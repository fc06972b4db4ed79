"""How many groups of equal size the pairs with either outcome are worth."""

import numpy as np

from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs
from calibrant.pairs.groups import effective_number


def effective_outcomes(pairs: Pairs) -> float:
    """The effective number of groups: of all pairs, or of one outcome if that is less.

    If y = 1 is rare, few groups may hold most of the pairs that tell something about it. 0 means
    no groups.
    """
    if pairs.codes is None:
        return 0.0
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    held = [sum_by(pairs.codes, weight * each) for each in (pairs.y, 1 - pairs.y)]
    known = [effective_number(each) for each in held if each.sum() > 0]
    return min(pairs.effective_groups, *known)
