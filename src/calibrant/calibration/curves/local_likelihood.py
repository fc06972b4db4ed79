"""Local likelihood: a local logistic regression around every prediction."""

from dataclasses import dataclass

from calibrant.calibration.curves.cells import Cells
from calibrant.calibration.curves.smooth import SmoothCurve
from calibrant.errors import InputError

LEAST = 5.0  # minimum information behind a fit: n times p(1 − p)


@dataclass(frozen=True, repr=False)
class LocalLikelihood(SmoothCurve):
    """A straight line on the logit scale, fitted with Gaussian weights around each prediction.

    On the logit scale the curve of a calibrated model is a straight line, so smoothing does not
    distort it. With a very large bandwidth the curve is Cox's recalibration. Predictions of
    exactly 0 and 1 get separate points. Where pairs are sparse, the bandwidth grows until the
    pairs within it carry as much information as twenty pairs of which ten are positive. Data
    with less information than that are refused.

    Parameters
    ----------
    bandwidth
        The standard deviation of the weights, on the scale below. By default it is chosen by
        cross-validation of the likelihood (`cross_validate` shows how).
    scale
        Where distances are measured: "logit" of q, or "identity" for q itself.
    grid
        The number of cells that pairs are binned into first, so that the cost does not grow
        with their number. `None` keeps every distinct prediction, which is exact but slow for
        large data.

    References
    ----------
    Tibshirani and Hastie (1987), doi:10.2307/2289465; Fan, Heckman and Wand (1995),
    doi:10.1080/01621459.1995.10476496; Loader (1999).

    Examples
    --------
    >>> import calibrant as cb
    >>> pairs = cb.synthetic.sample(5000, cb.synthetic.inward(0.1), a=1, b=1, seed=1)
    >>> cb.curve(pairs, cb.LocalLikelihood(bandwidth=0.3))([0.25, 0.75]).round(3)
    array([0.356, 0.657])
    """

    linear = True

    def check(self, cells: Cells) -> None:
        """Refuse pairs whose likelihood has no maximum."""
        if cells.x.size == 0:
            raise InputError(
                "All q are exactly 0 or 1, so there is no curve between them: use AdaptiveBins."
            )
        positive, total = float(cells.k.sum()), float(cells.n.sum())
        if positive in (0.0, total):
            raise InputError(
                f"All y are {int(positive > 0)} (where q is not 0 or 1), so a logistic fit has no "
                "maximum: use AdaptiveBins or Kernel."
            )
        if positive * (total - positive) / total < LEAST:
            raise InputError(
                f"There are too few pairs for a local fit at any bandwidth: {total:g} with q "
                f"between 0 and 1, {positive:g} of them positive. Use AdaptiveBins or Kernel."
            )
