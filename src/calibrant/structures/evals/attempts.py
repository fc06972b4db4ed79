"""`Attempts`: what a reader collects, column by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calibrant.structures.evals.kinds import SCALAR

if TYPE_CHECKING:
    import polars

NOTHING: Mapping[str, float] = {}
COLUMNS = ("model", "task", "question", "group", "epoch", "answer", "gold", "correct", "aside")
BLOCK = 10_000  # attempts that are turned into columns at once


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

    blocks: list["polars.DataFrame"] = field(default_factory=list)  # of the first attempts
    rows: list[tuple[object, ...]] = field(default_factory=list)  # of the last, as in COLUMNS
    confidence: dict[str, dict[int, float]] = field(  # of each kind, by row
        default_factory=lambda: {kind: {} for kind in SCALAR}
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
        for kind, value in confidence.items():
            if value is not None:
                self.confidence[kind][len(self.rows)] = value
        why = "unscored" if aside is None and correct is None else aside
        self.rows.append((*asked, epoch, answer, gold, correct, why))
        self.listed.append(listed)
        if len(self.rows) == BLOCK:
            self._close()

    def __len__(self) -> int:
        return len(self.blocks) * BLOCK + len(self.rows)

    def frame(self) -> "polars.DataFrame":
        """All attempts as a data frame."""
        import polars as pl

        return pl.concat([*self.blocks, self._block()], rechunk=True)

    def _close(self) -> None:
        """Keep the last attempts as columns, which take far less memory than objects."""
        self.blocks.append(self._block())
        self.rows.clear()
        self.listed.clear()
        for found in self.confidence.values():
            found.clear()

    def _block(self) -> "polars.DataFrame":
        """The last attempts as a data frame."""
        import polars as pl

        types = {"epoch": pl.Int64, "correct": pl.Boolean}
        values = zip(*self.rows, strict=True) if self.rows else ((),) * len(COLUMNS)
        plain = {
            name: pl.Series(name, each, dtype=types.get(name, pl.String))
            for name, each in zip(COLUMNS, values, strict=True)
        }
        height = len(self.rows)
        sure = {
            kind: pl.Series(kind, map(found.get, range(height)), dtype=pl.Float64)
            if found
            else pl.repeat(None, height, dtype=pl.Float64, eager=True)
            for kind, found in self.confidence.items()
        }
        return pl.DataFrame(plain | sure | self._options())

    def _options(self) -> dict[str, "polars.Series"]:
        """The options of each attempt as columns of lists, null where there are none."""
        rows = [i for i, each in enumerate(self.listed) if each is not None]
        listed = [each for each in self.listed if each is not None]
        loglik = [each.loglik for each in listed]
        unknown: list[None] = [None] * max(map(len, loglik), default=0)
        correct = [each.correct or unknown[: len(each.loglik)] for each in listed]
        texts = [each.texts or unknown[: len(each.loglik)] for each in listed]
        return _in_lists(len(self.rows), rows, loglik, correct, texts)


def _in_lists(
    height: int,
    rows: Sequence[int],
    loglik: Sequence[Sequence[float]],
    correct: Sequence[Sequence[bool | None]],
    texts: Sequence[Sequence[str | None]],
) -> dict[str, "polars.Series"]:
    """Columns of lists at these rows, from one long column of each: lists one by one are slow."""
    import polars as pl

    flat = chain.from_iterable
    many = [len(each) for each in loglik]
    words = pl.Series(list(flat(texts)), dtype=pl.String)
    options = pl.DataFrame(
        {
            "row": np.repeat(np.array(rows, np.int64), many),
            "option_loglik": pl.Series(list(flat(loglik)), dtype=pl.Float64, strict=False),
            "option_correct": pl.Series(list(flat(correct)), dtype=pl.Boolean),
            "option_characters": words.str.len_chars().cast(pl.Int64).clip(1),
            "option_bytes": words.str.len_bytes().cast(pl.Int64).clip(1),
        }
    )
    names = options.columns[1:]
    unknown = [pl.when(pl.col(name).list.first().is_not_null()).then(name) for name in names]
    by_row = options.with_columns(pl.col("row").set_sorted())  # so that no row is looked up
    lists = by_row.group_by("row", maintain_order=True).agg(names).with_columns(unknown)
    if len(rows) < height:
        every = pl.DataFrame({"row": np.arange(height)})
        lists = every.join(lists, on="row", how="left", maintain_order="left")
    return {name: lists[name] for name in names}
