"""`EvalScores`: a row per model, task and kind of confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from calibrant.results.digits import p_cell
from calibrant.results.estimate import Estimate
from calibrant.results.tabular import Tabular, without_empty_columns

if TYPE_CHECKING:
    import polars

ALPHA = 0.05  # p-values above it are no evidence of miscalibration
MOSTLY = 0.5  # share of the score that the mean error must explain to name a direction


@dataclass(frozen=True, slots=True)
class Against:
    """How one model differs from another on the questions that both answered.

    Attributes
    ----------
    model
        The other model.
    questions
        How many answers both have.
    difference
        The score of this model minus that of the other.
    p_value
        Of the hypothesis that both scores are equal.
    accuracy
        The accuracy of this model minus that of the other.
    """

    model: str
    questions: int
    difference: Estimate
    p_value: float
    accuracy: Estimate

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {
            "against": self.model,
            "questions": self.questions,
            "difference": self.difference.value,
            "difference_low": self.difference.low,
            "difference_high": self.difference.high,
            "difference_p": self.p_value,
            "accuracy_difference": self.accuracy.value,
            "accuracy_difference_low": self.accuracy.low,
            "accuracy_difference_high": self.accuracy.high,
        }


@dataclass(frozen=True, slots=True)
class EvalScore:
    """How well one kind of confidence of a model fits its answers to one task.

    Attributes
    ----------
    model, task, kind
        Whose confidence, in which answers, and of which kind; the kind is empty if the log holds
        no confidence.
    attempts
        How many attempts could be scored and have this confidence.
    accuracy
        The share of right answers among them.
    mean
        The mean confidence.
    estimate
        The score with its interval; None without a confidence.
    p_value
        Of the test of calibration; NaN if there was none.
    settings
        What the numbers also depend on, such as "logprobs=raw"; part of the signature.
    against
        The difference to another model; None if there is none.
    """

    model: str
    task: str
    kind: str
    attempts: int
    accuracy: float
    mean: float = nan
    estimate: Estimate | None = None
    p_value: float = nan
    settings: tuple[str, ...] = ()
    against: Against | None = None

    @property
    def signature(self) -> str:
        """How the score was computed; empty without one."""
        if self.estimate is None:
            return ""
        how, version = self.estimate.signature.rsplit("|", 1)
        return "|".join([how, *self.settings, version])

    @property
    def verdict(self) -> str:
        """The finding in words."""
        if self.estimate is None:
            return "no confidence in the log"
        if self.p_value != self.p_value:
            return "too few groups to test"
        if self.p_value > ALPHA:
            alone = self.estimate.low is not None and self.estimate.low > 0  # by Consistency
            return "no evidence by Joint" if alone else "no evidence of miscalibration"
        excess = self.mean - self.accuracy
        if abs(excess) < MOSTLY * self.estimate.value:
            return "miscalibrated"
        return f"{'over' if excess > 0 else 'under'}confident by {abs(excess):.2f}"

    def to_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        told = {} if self.estimate is None else self.estimate.to_dict()
        names = ("model", "task", "kind", "attempts", "accuracy", "mean", "p_value", "verdict")
        wanted = ("score", "value", "low", "high", "level", "n", "groups")
        own = {name: getattr(self, name) for name in names}
        numbers = {name: told.get(name) for name in wanted}
        other = {} if self.against is None else self.against.to_dict()
        return own | numbers | {"signature": self.signature or None} | other


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EvalScores(Tabular):
    """A row per model, task and kind of confidence, and what was set aside."""

    rows: Sequence[EvalScore]
    set_aside: dict[str, int]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return str(self)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        first = next((row.estimate for row in self.rows if row.estimate), None)
        score, level = ("score", 0.95) if first is None else (first.score, first.level)
        head = ["model", "task", "kind", "attempts", "accuracy", "mean", score]
        share = f"{100 * level:g} % interval"
        head += [share, "verdict"]
        rows = [_cells(row) for row in self.rows]
        if any(row.against for row in self.rows):
            head += ["difference", share, "p", "accuracy difference", share]
            for cells, row in zip(rows, self.rows, strict=True):
                cells += _compared(row.against)
        return without_empty_columns(head, rows)

    @property
    def note(self) -> str:
        """What was read and what was set aside."""
        aside = ", ".join(f"{many} {reason}" for reason, many in self.set_aside.items())
        others = {row.against.model: "differences: minus" for row in self.rows if row.against}
        compared = [f"{what} {model}" for model, what in others.items()]
        return "; ".join([*self.notes, f"set aside: {aside or 'nothing'}", *compared])

    @property
    def signature(self) -> str:
        """The signatures of all rows, each in a line with its model, task and kind."""
        return "\n".join(
            f"{row.model}|{row.task}|{row.kind}|{row.signature}"
            for row in self.rows
            if row.estimate is not None
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary per row."""
        return [row.to_dict() for row in self.rows]

    def to_frame(self) -> "polars.DataFrame":
        """The rows as a data frame."""
        import polars

        return polars.DataFrame(self.to_dicts(), infer_schema_length=None)


def _cells(row: EvalScore) -> list[str]:
    estimate = row.estimate
    return [
        row.model,
        row.task,
        row.kind,
        str(row.attempts),
        f"{row.accuracy:.3f}",
        "" if estimate is None else f"{row.mean:.3f}",
        "" if estimate is None else estimate.text("value"),
        "" if estimate is None else estimate.interval,
        row.verdict,
    ]


def _compared(against: Against | None) -> list[str]:
    if against is None:
        return [""] * 5
    difference, accuracy = against.difference, against.accuracy
    return [
        difference.text("value"),
        difference.interval,
        p_cell(against.p_value),
        accuracy.text("value"),
        accuracy.interval,
    ]
