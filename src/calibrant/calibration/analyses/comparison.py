"""`Comparison`: the scores of several models on the same questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from calibrant.checks.parameters import check_level
from calibrant.errors import InputError
from calibrant.results.digits import p_cell
from calibrant.results.estimate import Estimate
from calibrant.results.tabular import html_table, render_table, without_empty_columns
from calibrant.results.wording import joined

if TYPE_CHECKING:
    import polars

Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Scores of several models on the same questions, and which differences are significant.

    Attributes
    ----------
    scores
        The estimate of each model, by name, the best first.
    differences
        For each pair of names (a, b), in that order: the score of a minus the score of b, with
        its interval.
    p_values
        For each pair of names: how often a difference this large would arise by chance. It is
        below 1 − level exactly if the interval excludes 0. Empty if no intervals were computed.
    adjusted
        The same p-values, adjusted by Holm's method for the number of pairs. What is called
        better or worse, here and in `worse`, is so by these.
    accuracies
        If each model was asked about its own answer: how often it is right (y = 1), by name.
        Otherwise empty.
    accuracy_differences
        For each pair of names (a, b), in the same order: the accuracy of a minus that of b. Each
        interval is for its own pair, not adjusted for the number of pairs.
    """

    scores: Mapping[str, Estimate]
    differences: Mapping[tuple[str, str], Estimate]
    p_values: Mapping[tuple[str, str], float]
    adjusted: Mapping[tuple[str, str], float]
    accuracies: Mapping[str, Estimate] = field(default_factory=dict)
    accuracy_differences: Mapping[tuple[str, str], Estimate] = field(default_factory=dict)

    @property
    def difference(self) -> Estimate:
        """The difference, if there are two models."""
        return self.differences[self._only()]

    @property
    def p_value(self) -> float:
        """The p-value, if there are two models."""
        only = self._only()
        if not self.p_values:
            raise InputError(
                "Without an interval there are no p-values: pass interval='Bootstrap'."
            )
        return self.p_values[only]

    def _only(self) -> tuple[str, str]:
        if len(self.differences) != 1:
            raise InputError(
                "There are more than two models: look at differences and p_values instead."
            )
        return next(iter(self.differences))

    @property
    def level(self) -> float:
        """The confidence level of the intervals."""
        return next(iter(self.scores.values())).level

    def worse(self, name: str, level: float | None = None) -> list[str]:
        """The models that are significantly worse than this one.

        `level` is a confidence level (default: the level of the intervals). At 0.95, a model is
        significantly worse if its adjusted p-value is below 0.05.
        """
        alpha = 1 - (self.level if level is None else check_level(level))
        return [b for (a, b), p in self.adjusted.items() if a == name and p < alpha]

    @property
    def sentence(self) -> str:
        """The significant differences, in one sentence."""
        if not self.p_values:
            return "Without an interval, differences are not tested."
        better = {name: self.worse(name) for name in self.scores}
        parts = [
            f"{name} is better than {joined(worse)}" for name, worse in better.items() if worse
        ]
        if parts:
            return self._by() + "; ".join(parts) + "."
        return f"No difference is significant at the {100 * self.level:g} % level."

    def _by(self) -> str:
        """Which score the sentence is about, if the table has accuracies too."""
        return f"By {next(iter(self.scores.values())).score}, " if self.accuracies else ""

    def table(self) -> Table:
        """Header and rows as text: the models, the best first."""
        rows = [
            [
                name,
                e.text("value"),
                e.interval,
                _accuracy_cell(self.accuracies.get(name)),
                ", ".join(self.worse(name)),
            ]
            for name, e in self.scores.items()
        ]
        header = ["model", "value", f"{100 * self.level:g} % interval", "accuracy", "better than"]
        kept = [*header[:2], header[4]] if self.p_values else header[:2]
        return without_empty_columns(header, rows, always=kept)

    def pairs_table(self) -> Table:
        """Header and rows as text: the differences."""
        rows = [
            [
                f"{a} − {b}",
                e.text("value"),
                e.interval,
                p_cell(self.p_values[a, b]) if self.p_values else "",
                p_cell(self.adjusted[a, b]) if len(self.adjusted) > 1 else "",
                _accuracy_cell(self.accuracy_differences.get((a, b))),
            ]
            for (a, b), e in self.differences.items()
        ]
        level = f"{100 * self.level:g} % interval"
        header = ["difference", "value", level, "p", "adjusted p", "accuracy"]
        return without_empty_columns(header, rows, always=header[:2])

    def render(self, format: str = "text") -> str:
        """Both tables as "text", "md", "latex" or "csv"."""
        both = (render_table(format, *self.table()), render_table(format, *self.pairs_table()))
        return "\n\n".join(both)

    def __str__(self) -> str:
        return f"{self.render()}\n\n{self.sentence}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.sentence) + html_table(*self.pairs_table())

    @property
    def signature(self) -> str:
        """The signature of the comparison, in one line."""
        return next(iter(self.differences.values())).signature

    def to_frame(self) -> "polars.DataFrame":
        """One row per model and per difference."""
        import polars

        empty = {"p_value": None, "adjusted": None}
        records = [empty | each for each in self.to_dicts()]
        return polars.DataFrame(records, infer_schema_length=None)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per model and per difference."""
        models = [
            {"model": name} | e.to_dict() | _accuracy_fields(self.accuracies.get(name))
            for name, e in self.scores.items()
        ]
        return models + [
            {"model": f"{a} − {b}"}
            | e.to_dict()
            | _accuracy_fields(self.accuracy_differences.get((a, b)))
            | {"p_value": self.p_values.get((a, b)), "adjusted": self.adjusted.get((a, b))}
            for (a, b), e in self.differences.items()
        ]


def _accuracy_cell(accuracy: Estimate | None) -> str:
    """An accuracy, or a difference of accuracies, with its interval; empty if there is none."""
    return "" if accuracy is None else f"{accuracy.text('value')} {accuracy.interval}".rstrip()


def _accuracy_fields(accuracy: Estimate | None) -> dict[str, float | None]:
    if accuracy is None:
        return {}
    return {
        "accuracy": accuracy.value,
        "accuracy_low": accuracy.low,
        "accuracy_high": accuracy.high,
    }
