"""Errors along a smooth curve, as reported in medical statistics."""

from calibrant.calibration.curves import Estimator, LocalLikelihood
from calibrant.calibration.gaps.norms import GapQuantile, Largest, MeanSize
from calibrant.calibration.scores.calibration import CalibrationError

CURVE = LocalLikelihood()


class CurveError(CalibrationError, abstract=True):
    """A plug-in error taken from a curve (default: `LocalLikelihood()`).

    Reference: Austin and Steyerberg (2019), doi:10.1002/sim.8281.
    """

    def __init__(
        self,
        curve: Estimator = CURVE,
        *,
        above: float | None = None,
        below: float | None = None,
    ) -> None:
        super().__init__(curve, above=above, below=below)

    def arguments(self) -> dict[str, object]:
        """The constructor's arguments."""
        return {"curve": self.curve, "above": self.above, "below": self.below}


class ICI(CurveError):
    """The integrated calibration index: the mean of |q − p(q)|, with p(q) from a smooth curve.

    This is a plug-in value, so even a calibrated model scores slightly above 0. The interval
    accounts for that.

    Reference: Austin and Steyerberg (2019), doi:10.1002/sim.8281.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.score(cb.synthetic.calibrated(5000, seed=1), cb.ICI()))
    ICI 0.0048 [0.0000, 0.0080]
    """

    norm = MeanSize()


class E50(CurveError):
    """The median of |q − p(q)|, with p(q) from a smooth curve.

    Reference: Austin and Steyerberg (2019), doi:10.1002/sim.8281.
    """

    norm = GapQuantile(0.5)


class E90(CurveError):
    """The 90th percentile of |q − p(q)|, with p(q) from a smooth curve.

    Reference: Austin and Steyerberg (2019), doi:10.1002/sim.8281.
    """

    norm = GapQuantile(0.9)


class Emax(CurveError):
    """The largest |q − p(q)|, with p(q) from a smooth curve.

    Reference: Austin and Steyerberg (2019), doi:10.1002/sim.8281.
    """

    norm = Largest()
