"""Outcomes drawn from the predictions, as a calibrated model of independent pairs has them."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bins import Bins
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
DRAWN = "outcomes drawn from the predictions"


def outcomes_drawn(pairs: Pairs, column: Int, bins: Bins, replicates: int, seed: int) -> Float:
    """The number of positives in each bin, one row per replicate.

    Rows are drawn in an order that depends neither on their place nor on which answer is yes.
    """
    turned = pairs.mean(pairs.q) > 0.5
    chance = (1 - pairs.q if turned else pairs.q).astype(np.float64)
    order = np.argsort(chance, kind="stable")
    chance, column = chance[order], column[order]
    weight = None if pairs.weight is None else pairs.weight[order].astype(np.int64)
    generator = np.random.default_rng(seed)
    found = np.empty((replicates, bins.n.size))
    for r in range(replicates):
        if weight is None:
            drawn = (generator.random(chance.size) < chance).astype(np.float64)
        else:
            drawn = generator.binomial(weight, chance).astype(np.float64)
        found[r] = sum_by(column, drawn, bins.n.size)
    return bins.n - found if turned else found
