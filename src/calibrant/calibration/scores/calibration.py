"""Calibration errors: how far the curve is from the diagonal."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from calibrant.calibration.curves import AdaptiveBins, Estimator
from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.norms import Absolute, Largest, Norm, Squared
from calibrant.calibration.scores.score import GapScore, check_range
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs


@dataclass(frozen=True, repr=False, init=False)
class CalibrationError(GapScore, abstract=True):
    """A distance between predictions and observed frequencies along a curve.

    Parameters
    ----------
    curve
        The bins or the smooth curve (default: `AdaptiveBins()`).
    size
        Short for `AdaptiveBins(size=...)`.
    count
        Short for `AdaptiveBins(count=...)`.
    debiased
        Whether to remove the bias from noise (default: True if score and curve allow it).
        `False` gives the plug-in value, as in the thesis.
    above, below
        Use only pairs with above < q ≤ below.
    """

    norm: ClassVar[Norm]

    curve: Estimator
    debiased: bool
    above: float | None
    below: float | None

    def __init__(
        self,
        curve: Estimator | None = None,
        *,
        size: float | None = None,
        count: int | None = None,
        debiased: bool | None = None,
        above: float | None = None,
        below: float | None = None,
    ) -> None:
        if debiased is not None and not isinstance(debiased, bool):
            raise ParameterError(f"debiased must be True or False, but it is {debiased!r}.")
        above, below = check_range(above, below)
        chosen = self._chosen_curve(curve, size, count)
        if debiased:
            self._check_debiasable(chosen)
        possible = self.norm.debiasable and chosen.debiasable
        fields = {
            "curve": chosen,
            "debiased": possible if debiased is None else debiased,
            "above": above,
            "below": below,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _chosen_curve(cls, curve: object, size: float | None, count: int | None) -> Estimator:
        if curve is None:
            return AdaptiveBins(size=size, count=count)
        if size is not None or count is not None:
            raise ParameterError("Give either a curve, or size or count, but not both.")
        if not isinstance(curve, Estimator):
            raise ParameterError(
                f"curve must be a curve, such as LocalLikelihood(), but it is {curve!r}. "
                f"For a bin size write {cls.__name__}(size=400)."
            )
        return curve

    @classmethod
    def _check_debiasable(cls, curve: Estimator) -> None:
        for name, part in ((cls.__name__, cls.norm), (type(curve).__name__, curve)):
            if not part.debiasable:
                raise ParameterError(f"{name} has no debiased form: leave debiased out.")

    def arguments(self) -> dict[str, object]:
        """The constructor's arguments; adaptive bins are printed as size or count."""
        adaptive = isinstance(self.curve, AdaptiveBins)
        shown: dict[str, object] = {} if adaptive else {"curve": self.curve}
        if isinstance(self.curve, AdaptiveBins):
            shown |= {"size": self.curve.size, "count": self.curve.count}
        possible = self.norm.debiasable and self.curve.debiasable
        debiased = None if self.debiased == possible else self.debiased
        return shown | {"debiased": debiased, "above": self.above, "below": self.below}

    def evidence(self, pairs: Pairs) -> Gaps:
        """The gap of every bin, with its variance."""
        return pairs.remember(("gaps", self.curve), lambda: self.curve.gaps(pairs))

    def value(self, evidence: Gaps) -> float:
        """The debiased value, or the plug-in with `debiased=False`."""
        return self.scale(self.total(evidence))

    def total(self, evidence: Gaps) -> float:
        """The debiased sum over bins, or the plain sum with `debiased=False`."""
        return evidence.total(self.norm) if self.debiased else self.plain(evidence)

    def plain(self, evidence: Gaps) -> float:
        """The plain sum over bins."""
        return evidence.plain(self.norm)

    def plugin(self, evidence: Gaps) -> float:
        """The plug-in value."""
        return self.scale(self.plain(evidence))


class CalibMSE(CalibrationError):
    """The mean squared calibration error Σ (n_i/n)(q̂_i − p̂_i)².

    Debiased by default: the plug-in is too large by the variance of p̂_i in every bin, so
    p̂_i(1−p̂_i)/(n_i−1) (or its robust form, with groups) is subtracted. The result is unbiased
    and may be negative for well-calibrated models.

    Reference: DeGroot & Fienberg (1983), doi:10.2307/2987588; debiased: Bröcker (2012),
    doi:10.1007/s00382-011-1191-1.

    Examples
    --------
    >>> from calibrant import CalibMSE, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(CalibMSE(size=2, debiased=False)(pairs), 6)
    0.0725
    """

    norm = Squared()


class CalibScore(CalibrationError):
    """The root of `CalibMSE`: a typical distance between a prediction and its frequency.

    The score of the thesis. Debiased by default (0 if the debiased mean square is negative);
    `CalibScore(debiased=False)` gives the numbers printed in the thesis.

    Examples
    --------
    >>> from calibrant import CalibScore, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(CalibScore(size=2, debiased=False)(pairs), 6)
    0.269258
    """

    norm = Squared()

    def scale(self, total: float) -> float:
        """The root, 0 for negative sums."""
        return sqrt(max(0.0, total))


class ECE(CalibrationError):
    """The expected calibration error Σ (n_i/n)|q̂_i − p̂_i|.

    Debiased by default with the method of Kumar, Liang & Ma (2019, arXiv:1909.10155), which
    removes only part of the noise: if few bins are wrong, the value is too large. The interval
    accounts for that, and is wider as a result. Prefer `CalibScore`, whose debiasing is exact.

    Most other tools report the plug-in over bins of equal width:
    `ECE(UniformBins(count=15), debiased=False)`.

    Examples
    --------
    >>> from calibrant import ECE, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(ECE(size=2, debiased=False)(pairs), 6)
    0.25
    """

    norm = Absolute()


class MCE(CalibrationError):
    """The largest gap max |q̂_i − p̂_i|, always the plug-in.

    It grows with the noise of the worst bin and has no debiased form. Look at the curve instead.

    Examples
    --------
    >>> from calibrant import MCE, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(MCE(size=2)(pairs), 6)
    0.35
    """

    norm = Largest()
