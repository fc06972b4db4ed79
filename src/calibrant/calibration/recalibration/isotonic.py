"""The map of isotonic regression."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.cells import Lesson
from calibrant.calibration.recalibration.logistic import gridded
from calibrant.calibration.recalibration.maps import Map, logits
from calibrant.calibration.recalibration.method import PairMethod

Float = NDArray[np.float64]
PSEUDO = 2.0  # pairs that every step is given, with y = q: so no step reaches 0 or 1


@dataclass(frozen=True, repr=False)
class Isotonic(PairMethod):
    """The monotone map that fits best, linear between the steps.

    Use it with thousands of pairs, if the curve may jump. Each step is pulled towards its mean
    prediction as if two more (independent) pairs had been seen that agree with it. So no step is
    exactly 0 or 1.

    Reference: Zadrozny and Elkan (2002), doi:10.1145/775047.775151.
    """

    def learn(self, lesson: Lesson) -> Map:
        """Pool cells until frequencies increase, then join the middles of the steps."""
        from calibrant.kernels.calibration.pav import isotonic

        used = lesson.n > 0
        n, k, q = lesson.n[used], lesson.k[used], lesson.q[used]
        first, _ = isotonic(k, n)
        size, positive, total = (np.add.reduceat(each, first) for each in (n, k, n * q))
        middle = total / size
        worth = size * lesson.worth
        p = (positive * lesson.worth + PSEUDO * middle) / (worth + PSEUDO)
        x, values = logits(middle), np.maximum.accumulate(logits(p))
        kept = np.concatenate([[True], np.diff(x) > 0])
        return gridded(x[kept], values[kept], (1.0, 1.0))
