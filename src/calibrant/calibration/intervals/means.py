"""Limits of a mean loss over groups."""

import numpy as np

from calibrant.calibration.gaps.losses import Losses
from calibrant.calibration.groups.few_groups import mean_shifts, reach
from calibrant.pairs.groups import effective_number


def mean_limits(losses: Losses, level: float) -> tuple[float, float]:
    """Limits from the jackknife over groups, with Student's t on the effective groups.

    Losses of groups are skewed: most are small, a few are large, and those may be missing from
    the data. So the limits of losses that are never negative are symmetric on the logarithmic
    scale, and the upper one reaches further by the skewness of the residuals (as in Johnson's
    modified t; Johnson, 1978, doi:10.1080/01621459.1978.10480051).
    """
    residual = mean_shifts(losses.total, losses.weight)
    spread = float(np.sqrt(np.sum(residual**2)))
    if spread == 0:
        return losses.value, losses.value
    far = reach(level, effective_number(losses.weight))
    half, value = far * spread, losses.value
    low, high = value - half, value + half
    if losses.least >= 0 and value > 0:
        skewness = float(np.sum(residual**3)) / spread**3
        longer = 1 + max(skewness, 0.0) * far / 3
        with np.errstate(over="ignore"):  # the largest loss is the limit then
            low, high = value * np.exp(-half / value), value * np.exp(half / value * longer)
    low, high = np.clip([low, high], losses.least, losses.most).tolist()
    return low, high
