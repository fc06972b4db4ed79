"""Probabilities that are equal but for the noise of summing."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
DIGITS = 12  # that are kept; sums over structures err in the 13th
LEAST = 1e-290  # below it the powers of ten would overflow


def without_noise(q: Float) -> Float:
    """Probabilities in [0, 1], rounded so that what is equal on paper is a tie.

    Sums over the same terms in another order differ in their last digits. Bins keep ties together,
    so that this noise, which is another on every machine, would move predictions between bins.

    >>> without_noise(np.array([0.1 + 0.2, 0.3])) == 0.3
    array([ True,  True])
    """
    found = q.clip(0.0, 1.0)
    large = found > LEAST
    ten = 10.0 ** (DIGITS - 1 - np.floor(np.log10(found[large])))
    found[large] = np.rint(found[large] * ten) / ten
    return found
