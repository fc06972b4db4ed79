"""Plain tables of attempts: CSV, TSV, JSON lines or Parquet, one row per attempt."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from calibrant.errors import FileError, ParameterError, option, printable
from calibrant.results.wording import counted
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.attempts import Asked, Attempts, Listed
from calibrant.structures.evals.kinds import SCALAR
from calibrant.structures.evals.options import why_uninformative
from calibrant.structures.evals.pairing import ROW
from calibrant.structures.evals.stated import stated_confidence
from calibrant.tables.files import open_layout
from calibrant.tables.names import file_names

if TYPE_CHECKING:
    from calibrant.tables.files import Layout

NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "system"),
    "task": ("task", "benchmark", "dataset"),
    "question": ("question_id", "question", "item", "doc_id", "sample_id", "id"),
    "group": ("group", "category", "subject", "topic", "document", "passage"),
    "epoch": ("epoch", "repeat", "attempt"),
    "answer": ("answer", "extracted_answer", "prediction", "predicted"),
    "gold": ("gold", "correct_answer", "target", "reference"),
    "correct": ("correct", "is_correct", "acc", "exact_match"),
    "stated": ("stated", "stated_confidence", "verbal_confidence", "verbal_numerical_confidence"),
    "token": ("token", "token_probability", "answer_probability"),
    "sequence": ("sequence", "sequence_probability"),
    "perplexity": ("perplexity", "perplexity_confidence", "logit_perplexity_confidence"),
    "right": ("right_logliks",),  # log-likelihoods of the correct options
    "wrong": ("wrong_logliks",),  # and of the others
}
OTHER_SCALE = 0.1  # share of numbers outside [0, 1] above which a column has another scale
YES, NO = {"1", "1.0", "true", "yes", "c"}, {"0", "0.0", "false", "no", "i"}


@dataclass
class Table:
    """Which columns of a table of attempts to take, and what was found there."""

    columns: Mapping[str, str] = field(default_factory=dict)  # role: name of the column
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        unknown = [role for role in self.columns if role not in NAMES]
        if unknown:
            raise ParameterError(
                f"There is no role {unknown[0]!r} for a column. Roles: {', '.join(NAMES)}."
            )

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""
        import polars

        layout = open_layout(path)
        chosen = self._chosen(layout)
        shown = ", ".join(f"{role}={name}" for role, name in chosen.items())
        self.notes.append(f"columns {shown}")
        frame = layout.frame(list(dict.fromkeys(chosen.values()))).cast(polars.String)
        stem = file_names([str(path)])[0]
        columns = {role: frame[name].to_list() for role, name in chosen.items()}
        file = layout.source.name
        sure = {kind: self._read(kind, columns[kind], file) for kind in SCALAR if kind in columns}
        seen: Counter[Asked] = Counter()
        for i in range(frame.height):
            row = {role: values[i] for role, values in columns.items()}
            asked = Asked(
                row.get("model") or stem,
                row.get("task") or "table",
                row.get("question") or f"{ROW}{i + 1}",
                row.get("group") or None,
            )
            seen[asked] += 1
            self._add(row, asked, seen[asked], {k: v[i] for k, v in sure.items()}, attempts)

    def _chosen(self, layout: "Layout") -> dict[str, str]:
        """The column of each role: the one named, else the first of the usual names."""
        there = layout.names()
        for role, name in self.columns.items():
            if name not in there:
                raise FileError(
                    f"{layout.source.name} has no column {printable(name)!r} for {role}. "
                    f"Its columns are: {', '.join(map(printable, there))}."
                )
        by_fold = {name.lower(): name for name in reversed(there)}
        usual = {
            role: next(by_fold[name] for name in names if name in by_fold)
            for role, names in NAMES.items()
            if any(name in by_fold for name in names)
        }
        chosen = usual | dict(self.columns)
        enough = ({"correct"}, {"answer", "gold"}, {"right", "wrong"})
        if not any(roles <= chosen.keys() for roles in enough):
            raise FileError(
                f"{layout.source.name} does not say which answers are right: it needs a column "
                "correct, columns answer and gold, or columns right and wrong with the "
                "log-likelihoods of correct and other options (name them with "
                f"{option('columns')})."
            )
        return chosen

    def _read(self, kind: str, texts: Sequence[str | None], file: str) -> list[float | None]:
        """The confidences of a column; count what cannot be read, and refuse another scale."""
        values = [_confidence(kind, each) for each in texts]
        given = [i for i, each in enumerate(texts) if (each or "").strip()]
        unread = [i for i in given if values[i] is None]
        numbers = [(i, _float(texts[i])) for i in unread]
        outside = [(i, x) for i, x in numbers if x is not None and not 0 <= x <= 1]
        if len(outside) > max(OTHER_SCALE * len(given), 1):
            i, x = outside[0]
            raise FileError(
                f"{file}, row {i + 1}: {kind} must be a probability, but it is {x:g}. Write "
                "percentages as 85% or divide them by 100, and take exp of log-probabilities."
            )
        if unread:
            shown = printable(texts[unread[0]] or "")[:40]
            self.notes.append(
                f"{kind}: {counted(len(unread), 'value')} of {len(given)} cannot be read, such as "
                f"{shown!r} in row {unread[0] + 1}"
            )
        return values

    def _add(
        self,
        row: Mapping[str, str | None],
        asked: Asked,
        many: int,
        sure: Mapping[str, float | None],
        attempts: Attempts,
    ) -> None:
        """Add a row; `many` is how many attempts at the question there were, including this."""
        if row.get("right") and row.get("wrong"):
            attempts.add(asked, epoch=many, **_options(row))
            return
        answer, gold = row.get("answer"), row.get("gold")
        correct, aside = _judged(row)
        epoch = row.get("epoch") or ""
        attempts.add(
            asked,
            correct=correct,
            epoch=int(epoch) if epoch.isdecimal() and len(epoch) < 10 else many,
            answer=answer or None,
            gold=gold or None,
            aside=aside,
            confidence=sure,
        )


class Answered(TypedDict):
    """What options say about an answer, as an argument of `Attempts.add`."""

    correct: bool | None
    answer: str | None
    gold: str | None
    aside: str | None
    listed: Listed | None


def _options(row: Mapping[str, str | None]) -> Answered:
    """The most likely option, from the log-likelihoods of the correct options and of the others."""
    right, wrong = (_numbers(row[role] or "") for role in ("right", "wrong"))
    if right is None or wrong is None:
        why = "log-likelihood is not a number"
        return Answered(correct=None, answer=None, gold=None, aside=why, listed=None)
    loglik = [*right, *wrong]
    aside = why_uninformative(loglik)
    if aside is None and 0.0 in loglik:
        aside = "a log-likelihood is exactly 0"  # a placeholder: no text is certain
    best = loglik.index(max(loglik))
    return Answered(
        correct=best < len(right),
        answer=str(best + 1),
        gold=row.get("gold") or "; ".join(str(i + 1) for i in range(len(right))),
        aside=aside,
        listed=Listed(loglik, [i < len(right) for i in range(len(loglik))]),
    )


def _numbers(text: str) -> list[float] | None:
    """Numbers in a list, such as "-1.5, -2" or "[-1.5; -2]"; None if they are none."""
    try:
        found = [float(each) for each in re.split(r"[\s,;]+", text.strip(" []"))]
    except ValueError:
        return None
    return found if all(each < inf for each in found) else None  # NaN is not below either


def _judged(row: Mapping[str, str | None]) -> tuple[bool | None, str | None]:
    """Whether the answer is right, and why it cannot be scored."""
    answer = row.get("answer")
    if "answer" in row and not (answer or "").strip():
        return None, "unparsed"
    if "correct" in row:
        word = (row["correct"] or "").strip().lower()
        if word in YES or word in NO:
            return word in YES, None
        return None, "unscored"
    gold = row.get("gold")
    if not (gold or "").strip():
        return None, "no gold answer"
    return normalise(answer or "") == normalise(gold or ""), None


def _float(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _confidence(kind: str, text: str | None) -> float | None:
    """A number in [0, 1]; None if there is none."""
    if text is None or not text.strip():
        return None
    if kind == "stated":
        return stated_confidence(text, alone=True)
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
