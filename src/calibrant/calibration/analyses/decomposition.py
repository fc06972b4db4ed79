"""`Decomposition`: a mean loss and its terms."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.tabular import Tabular

if TYPE_CHECKING:
    import polars


class Terms(NamedTuple):
    """The terms of a loss, as losses."""

    loss: Any
    calibration: Any
    refinement: Any
    within: Any
    residual: Any
    miscalibration: Any
    discrimination: Any
    uncertainty: Any


TOTAL = "mean loss"
NAMES = Terms(
    loss=TOTAL,
    calibration="calibration",
    refinement="refinement",
    within="within bins",
    residual="residual",
    miscalibration="MCB",
    discrimination="DSC",
    uncertainty="UNC",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decomposition(Tabular):
    """A mean loss and its terms.

    Attributes
    ----------
    loss
        The mean loss: calibration + refinement + within + residual, and also MCB − DSC + UNC.
    calibration
        The part of the loss due to predictions that differ from the frequencies. Debiased; the
        estimate also has the plug-in value.
    refinement
        The loss that would remain after perfect recalibration: how well the curve separates yes
        from no.
    within
        The loss due to the spread of predictions within bins; 0 for curves without bins.
    residual
        The small remainder that the curve does not explain.
    miscalibration
        MCB: what isotonic recalibration would gain.
    discrimination
        DSC: what the recalibrated predictions gain over the base rate.
    uncertainty
        UNC: the loss of always predicting the base rate.
    rule, curve
        The printed forms of the rule and of the curve.
    """

    loss: Estimate
    calibration: Estimate
    refinement: Estimate
    within: Estimate
    residual: Estimate
    miscalibration: Estimate
    discrimination: Estimate
    uncertainty: Estimate
    rule: str
    curve: str

    def estimates(self) -> Estimates:
        """All terms, in order."""
        return Estimates(getattr(self, name) for name in Terms._fields)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        header, rows = self.estimates().table()
        return ["term", *header[1:]], rows

    def __repr__(self) -> str:
        return f"<Decomposition of {self.rule} by {self.curve}>\n{self}"

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.loss.signature

    @property
    def signature(self) -> str:
        """The signature of the decomposition, in one line."""
        return self.loss.signature

    def to_frame(self) -> "polars.DataFrame":
        """One row per term."""
        import polars

        return polars.DataFrame([{"term": name} | each for name, each in self.to_dict().items()])

    def to_dict(self) -> dict[str, Any]:
        """All terms by name."""
        return {name: getattr(self, name).to_dict() for name in Terms._fields}
