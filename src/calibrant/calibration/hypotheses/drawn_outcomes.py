"""Outcomes drawn from the predictions, as a calibrated model of independent pairs has them."""

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.bins import Bins
from calibrant.checks.arrays import sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
DRAWN = "outcomes drawn from the predictions"


def outcomes_drawn(pairs: Pairs, bins: Bins, replicates: int, seed: int) -> Float:
    """The number of positives in each bin, one row per replicate.

    They are drawn for each distinct prediction, beginning at the end with more pairs. So neither
    the order of rows matters nor which answer is called yes.
    """
    tally = pairs.tally
    column = np.searchsorted(bins.upper, tally.q)
    turned = pairs.mean(pairs.q) > 0.5
    weight, chance = tally.weight.astype(np.int64), tally.q
    if turned:
        weight, chance, column = weight[::-1], 1 - chance[::-1], column[::-1]
    generator = np.random.default_rng(seed)
    found = np.empty((replicates, bins.n.size))
    for r in range(replicates):
        drawn = generator.binomial(weight, chance).astype(np.float64)
        found[r] = sum_by(column, drawn, bins.n.size)
    return bins.n - found if turned else found
