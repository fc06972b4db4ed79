"""`Description`: base rate, discrimination and Cox's line, without any curve."""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.results.digits import fixed
from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.tabular import Tabular
from calibrant.results.wording import counted

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
NAMES = {
    "base_rate": "frequency of y = 1",
    "mean": "mean q",
    "excess": "mean q − frequency",
    "auc": "AUC",
    "intercept": "Cox intercept",
    "slope": "Cox slope",
    "at_slope_1": "intercept at slope 1",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Description(Tabular):
    """Base rate, discrimination and Cox's line of a set of pairs.

    Attributes
    ----------
    base_rate
        The frequency of y = 1.
    mean
        The mean prediction.
    excess
        The mean prediction minus the frequency: above 0, y = 1 is over-forecast.
    auc
        How often a pair with y = 1 has a larger q than one with y = 0, ties counted half.
    intercept, slope
        Cox's line logit P(y = 1) = intercept + slope · logit q, 0 and 1 for calibrated models.
        A slope below 1 means that predictions are too extreme (overconfident), above 1 that they
        are too close to the middle (underconfident), and below 0 that they are reversed.
    at_slope_1
        The intercept of the line with slope fixed at 1: calibration in the large, as a logit.
    given_yes, given_no
        How q is distributed where y = 1 and where y = 0: shares of 50 cells of equal width.
    certain
        The number of pairs with q of exactly 0 or 1. They have no logit, so Cox's line excludes
        them.
    """

    base_rate: Estimate
    mean: Estimate
    excess: Estimate
    auc: Estimate
    intercept: Estimate
    slope: Estimate
    at_slope_1: Estimate
    given_yes: Float
    given_no: Float
    certain: float

    def estimates(self) -> Estimates:
        """All numbers, in order."""
        return Estimates(getattr(self, name) for name in NAMES)

    @property
    def sentence(self) -> str:
        """The direction of the errors, in one sentence; if none is clear, that there may be others.

        Each number is judged by its own interval, so it may be off although `test`, which asks
        about all errors at once, finds no evidence, and the other way round.
        """
        said = f"{_lean(self.excess)}; {_spread(self.slope, self.auc)}."
        known = self.excess.low is not None
        return said if self.accuses or not known else f"{said} Ask test about other errors."

    @property
    def accuses(self) -> bool:
        """Whether the interval of the mean error or that of the slope excludes calibration."""
        return _excludes(self.excess, 0.0) or _excludes(self.slope, 1.0)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        header, rows = self.estimates().table()
        return ["", *header[1:]], rows

    def __str__(self) -> str:
        return f"{self.render()}\n{self.sentence}{self._left_out()}"

    def _left_out(self) -> str:
        if not self.certain:
            return ""
        many = counted(self.certain, "pair")
        return f" The Cox line leaves out {many} with q of exactly 0 or 1."

    def __repr__(self) -> str:
        return f"<Description>\n{self}"

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.sentence

    @property
    def signature(self) -> str:
        """The signature of the description, in one line."""
        return self.base_rate.signature

    def to_frame(self) -> "polars.DataFrame":
        """One row per number."""
        import polars

        return polars.DataFrame([{"name": name} | each for name, each in self.to_dict().items()])

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {name: getattr(self, name).to_dict() for name in NAMES}


def _lean(excess: Estimate) -> str:
    """Describe whether y = 1 is predicted more or less often than it happens."""
    if excess.low is None or excess.high is None:
        return f"Mean q and the frequency of y = 1 differ by {excess.text('value')}"
    if not _excludes(excess, 0.0):
        return "Overall, y = 1 is neither clearly over-forecast nor clearly under-forecast"
    lean = "over-forecast" if excess.value > 0 else "under-forecast"
    return f"Overall, y = 1 is {lean}, by {fixed(abs(excess.value), excess.decimals)}"


def _spread(slope: Estimate, auc: Estimate) -> str:
    """Describe whether predictions are too extreme, not extreme enough, or reversed."""
    if not isfinite(slope.value):
        return (
            "no slope can be fitted (y is the same everywhere, q separates it perfectly, or q is "
            "0 and 1 or a single value)"
        )
    value = slope.text("value")
    if _below(slope, 0.0) or (slope.value < 0 and _below(auc, 0.5)):
        return (
            f"predictions are reversed (slope {value}, AUC {auc.text('value')}): high predictions "
            "go with low frequencies. Check that q is the probability of y = 1, not of y = 0, and "
            "that rows of y and q match"
        )
    if slope.low is None or slope.high is None:
        return f"the slope of the Cox line is {value}"
    if not _excludes(slope, 1.0):
        return "predictions are neither clearly too extreme nor clearly not extreme enough"
    if slope.value < 1:
        return f"predictions are too extreme (slope {value}, below 1)"
    return f"predictions are not extreme enough (slope {value}, above 1)"


def _excludes(estimate: Estimate, ideal: float) -> bool:
    """Whether the interval excludes what a calibrated model has."""
    low, high = estimate.low, estimate.high
    return low is not None and high is not None and not low <= ideal <= high


def _below(estimate: Estimate, limit: float) -> bool:
    """Whether the whole interval lies below the limit."""
    return estimate.high is not None and estimate.high < limit
