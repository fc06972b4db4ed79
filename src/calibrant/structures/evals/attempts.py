"""`Attempts`: what a reader collects, column by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from calibrant.structures.evals.kinds import SCALAR

if TYPE_CHECKING:
    import polars

NOTHING: Mapping[str, float] = {}


class Asked(NamedTuple):
    """Who was asked what."""

    model: str
    task: str
    question: str  # what identifies the question within the task
    group: str | None = None  # the document or category that the question belongs to


class Listed(NamedTuple):
    """The options of one question, as a log lists them."""

    loglik: Sequence[float]
    correct: Sequence[bool] | None  # None: the log does not say which option is correct
    texts: Sequence[str] | None = None  # without the delimiter


@dataclass(slots=True)
class Attempts:
    """Attempts at questions, in the order of the log; readers add one after the other."""

    model: list[str] = field(default_factory=list)
    task: list[str] = field(default_factory=list)
    question: list[str] = field(default_factory=list)
    group: list[str | None] = field(default_factory=list)
    epoch: list[int] = field(default_factory=list)
    answer: list[str | None] = field(default_factory=list)
    gold: list[str | None] = field(default_factory=list)
    correct: list[bool | None] = field(default_factory=list)
    aside: list[str | None] = field(default_factory=list)
    confidence: dict[str, list[float | None]] = field(
        default_factory=lambda: {kind: [] for kind in SCALAR}
    )
    listed: list[Listed | None] = field(default_factory=list)

    def add(
        self,
        asked: Asked,
        *,
        correct: bool | None,
        epoch: int = 1,
        answer: str | None = None,
        gold: str | None = None,
        aside: str | None = None,
        confidence: Mapping[str, float | None] = NOTHING,
        listed: Listed | None = None,
    ) -> None:
        """Add one attempt. `aside` says why it cannot be scored, None if it can."""
        self.model.append(asked.model)
        self.task.append(asked.task)
        self.question.append(asked.question)
        self.group.append(asked.group)
        self.epoch.append(epoch)
        self.answer.append(answer)
        self.gold.append(gold)
        self.correct.append(correct)
        self.aside.append("unscored" if aside is None and correct is None else aside)
        for kind, values in self.confidence.items():
            values.append(confidence.get(kind))
        self.listed.append(listed)

    def __len__(self) -> int:
        return len(self.model)

    def frame(self) -> "polars.DataFrame":
        """All attempts as a data frame."""
        import polars as pl

        listed = self.listed
        numbers, flags, lengths = pl.List(pl.Float64), pl.List(pl.Boolean), pl.List(pl.Int64)
        texts = [None if each is None else each.texts for each in listed]
        return pl.DataFrame(
            {
                "model": pl.Series(self.model, dtype=pl.String),
                "task": pl.Series(self.task, dtype=pl.String),
                "question": pl.Series(self.question, dtype=pl.String),
                "group": pl.Series(self.group, dtype=pl.String),
                "epoch": pl.Series(self.epoch, dtype=pl.Int64),
                "answer": pl.Series(self.answer, dtype=pl.String),
                "gold": pl.Series(self.gold, dtype=pl.String),
                "correct": pl.Series(self.correct, dtype=pl.Boolean),
                "aside": pl.Series(self.aside, dtype=pl.String),
                **{
                    kind: pl.Series(values, dtype=pl.Float64)
                    for kind, values in self.confidence.items()
                },
                "option_loglik": pl.Series(
                    [None if each is None else each.loglik for each in listed], dtype=numbers
                ),
                "option_correct": pl.Series(
                    [None if each is None else each.correct for each in listed], dtype=flags
                ),
                "option_characters": pl.Series(
                    [None if each is None else [max(len(t), 1) for t in each] for each in texts],
                    dtype=lengths,
                ),
                "option_bytes": pl.Series(
                    [
                        None if each is None else [max(len(t.encode()), 1) for t in each]
                        for each in texts
                    ],
                    dtype=lengths,
                ),
            }
        )
