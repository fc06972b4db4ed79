"""`StructureRecalibrator`: temperatures of a posterior, and what they gain on unseen groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

from calibrant.bridges.changes import Change
from calibrant.calibration.analyses.adjusting import holm
from calibrant.calibration.recalibration.recalibrator import LEAVE, UNKNOWN, USE, verdict_of
from calibrant.results.digits import p_cell, p_text
from calibrant.results.estimate import Estimate
from calibrant.results.tabular import Tabular
from calibrant.results.wording import counted
from calibrant.structures.coreference.links import Links
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.tempering.temperatures import Temperatures
from calibrant.structures.trees.tree import Tree

if TYPE_CHECKING:
    import polars

Limits = Mapping[str, tuple[float, float]]
Posterior = TypeVar("Posterior", Chain, Tree, Links)
COHERENT = (
    "Tempered answers agree with each other, because they are about one distribution. An own map "
    "mends one query alone: more flexible, but its answers need not agree with those of others."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StructureRecalibrator(Tabular):
    """Temperatures of a posterior over structures, with the evidence for them.

    The change of each score is of sentences or documents whose group the temperatures had not
    learnt from. The temperatures themselves are learnt from all.

    Attributes
    ----------
    temperatures
        The most likely temperatures.
    limits
        The interval of each, by its name; items of a group may depend on each other.
    loss
        The log loss of the gold structures per word or mention: before, after and the change.
    queries
        The same for queries: the Brier score, what a map of its own would make of it, and the
        calibration error.
    set_aside
        How many gold structures the posterior makes impossible, of how many sentences or mentions:
        they are in the queries, but not in the log loss.
    signature
        What reproduces the numbers, in one line.
    """

    temperatures: Temperatures
    limits: Limits
    loss: Change
    queries: tuple[Change, ...]
    set_aside: tuple[int, int, str]
    signature: str

    def apply(self, posterior: Posterior) -> Posterior:
        """The posterior with these temperatures."""
        return posterior.tempered(self.temperatures)

    @property
    def change(self) -> Estimate:
        """The log loss after minus that before, with a paired interval: below 0 is a gain."""
        return self.loss.change

    @property
    def worse(self) -> tuple[Change, ...]:
        """The scores of queries that get worse, by p-values adjusted for their number."""
        tempered = {
            each.what: each for each in self.queries if not (each.own or isnan(each.p_value))
        }
        if self.change.low is None:
            return ()
        adjusted = holm({what: each.p_value for what, each in tempered.items()})
        return tuple(
            each
            for what, each in tempered.items()
            if adjusted[what] < 1 - self.change.level and each.change.value > 0
        )

    @property
    def verdict(self) -> str:
        """What to do: "use it", "do not" or "cannot tell"."""
        found = verdict_of(self.change, self.loss.before.value)
        return UNKNOWN if found == USE and self.worse else found

    @property
    def sentence(self) -> str:
        """The verdict and its evidence, in one or two sentences."""
        e = self.change
        shown = f"{e.text('value')} {e.interval}".strip()
        if e.low is None:
            return f"Cannot tell without an interval: {self.loss.what} changes by {shown}."
        evidence = (
            f"{self.loss.what} changes by {shown} on unseen groups ({p_text(self.loss.p_value)})"
        )
        if self.worse and e.high is not None and e.high < 0:
            return f"Cannot tell: {evidence}, but {self.worse[0].what} gets worse."
        if self.verdict == USE:
            return f"Use it: {evidence}."
        if self.verdict == LEAVE:
            why = "it makes predictions worse" if e.low > 0 else "there is nothing to gain"
            return f"Do not use it: {why}. {evidence[0].upper()}{evidence[1:]}."
        return f"Cannot tell: {evidence}. More groups would tell."

    @property
    def told(self) -> str:
        """The temperatures with their intervals."""
        found = []
        for name, value in self.temperatures.values.items():
            low, high = self.limits[name]
            shown = "temperature" if name == "all" else name
            found.append(f"{shown} {value:.3f} [{low:.3f}, {high:.3f}]")
        return ", ".join(found)

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.sentence

    @property
    def notes(self) -> list[str]:
        """What must be said besides the table."""
        found = [self.told, self.sentence]
        lost, every, what = self.set_aside
        if lost:
            found.append(
                f"The model makes the gold of {lost} of {counted(every, what)} impossible: set "
                "aside in learning and in the log loss, but not in the queries."
            )
        if any(each.own for each in self.queries):
            found.append(COHERENT)
        return found

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text: each score before, after and the change."""
        header = ["", "before", "after", "change", f"{100 * self.change.level:g} % interval", "p"]
        rows = [
            [
                each.what,
                each.before.text("value"),
                each.after.text("value"),
                each.change.text("value"),
                each.change.interval,
                "" if each.change.low is None else p_cell(each.p_value),
            ]
            for each in (self.loss, *self.queries)
        ]
        return header, rows

    def __str__(self) -> str:
        return "\n".join([self.render(), "", *self.notes])

    def __repr__(self) -> str:
        return f"<StructureRecalibrator {self.temperatures}: {self.verdict}>"

    def to_dict(self) -> dict[str, Any]:
        """The temperatures and the evidence by name."""
        return {
            "temperatures": dict(self.temperatures.values),
            "limits": {name: list(ends) for name, ends in self.limits.items()},
            "verdict": self.verdict,
            "set_aside": list(self.set_aside),
            "changes": self.records(),
            "signature": self.signature,
        }

    def records(self) -> list[dict[str, Any]]:
        """One record per score."""
        return [
            {
                "score": each.what,
                "before": each.before.value,
                "after": each.after.value,
                "change": each.change.value,
                "low": each.change.low,
                "high": each.change.high,
                "level": each.change.level,
                "p_value": each.p_value,
                "n": each.change.n,
                "groups": each.change.groups,
            }
            for each in (self.loss, *self.queries)
        ]

    def to_frame(self) -> "polars.DataFrame":
        """One row per score."""
        import polars

        return polars.DataFrame(self.records(), infer_schema_length=None)
