"""The Nadaraya–Watson estimator."""

from dataclasses import dataclass

from calibrant.calibration.curves.cells import Cells
from calibrant.calibration.curves.smooth import SmoothCurve
from calibrant.errors import InputError


@dataclass(frozen=True, repr=False)
class Kernel(SmoothCurve):
    """The mean observation near each prediction, with Gaussian weights (Nadaraya–Watson).

    Simple, but biased wherever the curve has a slope and pairs are not spread evenly on both
    sides, most of all near 0 and 1: prefer `LocalLikelihood`. The band "robust" comes from local
    regressions, which do not have this bias. Where the curve lies at the edge of its band, trust
    the band.

    Parameters
    ----------
    bandwidth
        The standard deviation of the weights, on the scale below. By default it is chosen by
        cross-validation (`cross_validate` shows how).
    scale
        Where distances are measured: "identity" for q itself, or "logit".
    grid
        The number of cells that pairs are binned into first, so that the cost does not grow
        with their number. `None` keeps every distinct prediction, which is exact but slow for
        large data.

    References
    ----------
    Nadaraya (1964), doi:10.1137/1109020; Watson (1964).

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(5000, cb.synthetic.inward(0.1), a=1, b=1, seed=1)
    >>> cb.curve(pairs, cb.Kernel(bandwidth=0.05))([0.25, 0.75]).round(3)
    array([0.357, 0.656])
    """

    linear = False

    scale: str = "identity"

    def check(self, cells: Cells) -> None:
        """On the logit scale, refuse pairs whose q are all 0 or 1."""
        if cells.x.size == 0:
            raise InputError(
                "All q are exactly 0 or 1, which have no logit: use scale='identity', or "
                "AdaptiveBins."
            )
