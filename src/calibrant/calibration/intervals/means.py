"""Limits of a mean loss over groups."""

import numpy as np

from calibrant.calibration.gaps.losses import Losses
from calibrant.calibration.groups.limits import GroupMean, loss_limits


def mean_limits(losses: Losses, level: float) -> tuple[float, float]:
    """Limits from the jackknife over groups, within the range of the losses.

    Losses that may be negative have symmetric limits.
    """
    mean = GroupMean(losses.total, losses.weight, level, losses.promise)
    limits = loss_limits(mean, losses.expected) if losses.least >= 0 else mean.symmetric()
    low, high = np.clip(limits, losses.least, losses.most).tolist()
    return low, high
