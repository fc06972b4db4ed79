"""Restore ties between probabilities that differ only by rounding."""

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
DIGITS = 12  # significant digits to keep: sums over structures have errors in the 13th
LEAST = 1e-290  # below this the powers of ten would overflow


def without_noise(q: Float) -> Float:
    """Round probabilities so that mathematically equal values are ties.

    Sums of the same terms in different orders differ in their last digits. Bins keep ties together,
    so this noise, which differs between machines, would move predictions between bins.

    >>> without_noise(np.array([0.1 + 0.2, 0.3])) == 0.3
    array([ True,  True])
    """
    found = q.clip(0.0, 1.0)
    large = found > LEAST
    ten = 10.0 ** (DIGITS - 1 - np.floor(np.log10(found[large])))
    found[large] = np.rint(found[large] * ten) / ten
    return found
