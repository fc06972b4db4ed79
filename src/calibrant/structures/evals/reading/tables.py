"""Plain tables of attempts: CSV, TSV, JSON lines or Parquet.

A row is an attempt, or a question with lists of what several attempts gave.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibrant.errors import FileError, ParameterError, option, printable
from calibrant.results.wording import counted
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.attempts import Asked, Attempts
from calibrant.structures.evals.kinds import SCALAR
from calibrant.structures.evals.pairing import ROW
from calibrant.structures.evals.reading.table_cells import Cell, Cells, flattened
from calibrant.structures.evals.reading.table_options import (
    Answered,
    golds,
    in_order,
    no_verdict,
    numbers,
    right_and_wrong,
    said_correct,
    without_numbers,
)
from calibrant.structures.evals.stated import stated_confidence
from calibrant.tables.names import file_names

NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "system"),
    "task": ("task", "benchmark", "dataset"),
    "question": ("question_id", "question", "item", "doc_id", "sample_id", "id"),
    "group": ("group", "category", "subject", "topic", "document", "passage"),
    "epoch": ("epoch", "repeat", "attempt"),
    "answer": ("answer", "extracted_answer", "prediction", "predicted", "predictions", "preds"),
    "gold": ("gold", "correct_answer", "target", "reference", "label"),
    "correct": ("correct", "is_correct", "acc", "exact_match"),
    "stated": ("stated", "stated_confidence", "verbal_confidence", "verbal_numerical_confidence"),
    "token": ("token", "token_probability", "answer_probability"),
    "sequence": ("sequence", "sequence_probability"),
    "perplexity": ("perplexity", "perplexity_confidence", "logit_perplexity_confidence"),
    "logliks": ("logliks", "option_logliks", "pred_logliks"),  # of all options, in their order
    "right": ("right_logliks",),  # log-likelihoods of the correct options
    "wrong": ("wrong_logliks",),  # and of the others
    "right_texts": ("right_texts", "correct answers"),
    "wrong_texts": ("wrong_texts", "incorrect answers"),
}
ENDINGS = {"right": " lprob scores-true", "wrong": " lprob scores-false"}  # of TruthfulQA's tables
DOCUMENT = "doc."  # keys of the question itself, as lm-evaluation-harness nests them
ENOUGH = ({"correct"}, {"answer", "gold"}, {"logliks", "gold"}, {"right", "wrong"})
OTHER_SCALE = 0.1  # share of numbers outside [0, 1] above which a column has another scale


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
        cells = Cells.of(path)
        chosen = self._chosen(cells)
        self.notes.append(f"columns {', '.join(f'{role}={name}' for role, name in chosen.items())}")
        found = cells.columns(list(dict.fromkeys(chosen.values())))
        places, columns = flattened({role: found[name] for role, name in chosen.items()}, cells)
        sure = {
            kind: self._read(kind, columns[kind], places, cells.file) for kind in _kinds(chosen)
        }
        if isinstance(places, list):
            self.notes.append(f"lists are several attempts: {len(places)} in all")
        model = _model(path, chosen)
        seen: Counter[Asked] = Counter()
        unlikely = 0
        for k, i in enumerate(places):
            row = {role: values[k] for role, values in columns.items()}
            asked = _asked(row, i, model)
            seen[asked] += 1
            answered = _answered(row, cells, i)
            unlikely += _is_unlikely(row, answered)
            attempts.add(
                asked,
                epoch=_epoch(row, seen[asked]),
                confidence={kind: values[k] for kind, values in sure.items()},
                **answered,
            )
        if unlikely:
            self.notes.append(
                f"{counted(unlikely, 'answer')} of {len(places)} not the most likely option, so "
                "without a confidence of the kind choice"
            )

    def _chosen(self, cells: Cells) -> dict[str, str]:
        """The column of each role: the one named, else the first of the usual names."""
        there = cells.names()
        for role, name in self.columns.items():
            if name not in there:
                raise FileError(
                    f"{cells.file} has no column {printable(name)!r} for {role}. "
                    f"Its columns are: {', '.join(map(printable, there))}."
                )
        by_fold = {name.lower(): name for name in reversed(there)}
        usual = {}
        for role, names in NAMES.items():
            inner = [DOCUMENT + name for name in names if role in ("question", "group", "gold")]
            found = next((by_fold[each] for each in (*names, *inner) if each in by_fold), None)
            if found is not None:
                usual[role] = found
        chosen = usual | self._by_ending(there, cells.file) | dict(self.columns)
        if not any(roles <= chosen.keys() for roles in ENOUGH):
            raise FileError(
                f"{cells.file} does not say which answers are right: it needs a column correct, "
                "columns answer and gold, columns logliks and gold, or columns right and wrong "
                "with the log-likelihoods of correct and other options. Name them, as in "
                f"{option('columns', 'answer=NAME')}. {_candidates(cells, there)}"
            )
        return chosen

    def _by_ending(self, there: Sequence[str], file: str) -> dict[str, str]:
        """The columns of TruthfulQA's tables, which begin with the name of the model."""
        found: dict[str, str] = {}
        for role, ending in ENDINGS.items():
            named = [name for name in there if name.endswith(ending)]
            if len(named) > 1 and role not in self.columns:
                raise FileError(
                    f"{file} has several columns for {role}: {', '.join(map(printable, named))}. "
                    f"Name one, as in {option('columns', f'{role}={printable(named[0])}')}."
                )
            if named:
                found[role] = named[0]
        return found

    def _read(
        self, kind: str, texts: Sequence[Any], places: Sequence[int], file: str
    ) -> list[float | None]:
        """The confidences of a column; count what cannot be read, and refuse another scale."""
        values = [_confidence(kind, each) for each in texts]
        given = [k for k, each in enumerate(texts) if (each or "").strip()]
        unread = [k for k in given if values[k] is None]
        found = [(k, _float(texts[k])) for k in unread]
        outside = [(k, x) for k, x in found if x is not None and not 0 <= x <= 1]
        if len(outside) > max(OTHER_SCALE * len(given), 1):
            k, x = outside[0]
            raise FileError(
                f"{file}, row {places[k] + 1}: {kind} must be a probability, but it is {x:g}. "
                "Write percentages as 85% or divide them by 100, and take exp of log-probabilities."
            )
        if unread:
            shown = printable(texts[unread[0]] or "")[:40]
            self.notes.append(
                f"{kind}: {counted(len(unread), 'value')} of {len(given)} cannot be read, such as "
                f"{shown!r} in row {places[unread[0]] + 1}"
            )
        return values


def _kinds(chosen: Mapping[str, str]) -> list[str]:
    return [kind for kind in SCALAR if kind in chosen]


def _model(path: str | Path, chosen: Mapping[str, str]) -> str:
    """The model of rows that name none: that of TruthfulQA's columns, or the name of the file."""
    column = chosen.get("right", "")
    model = column.removesuffix(ENDINGS["right"])
    return file_names([str(path)])[0] if model == column else model


def _asked(row: Mapping[str, Any], index: int, model: str) -> Asked:
    return Asked(
        row.get("model") or model,
        row.get("task") or "table",
        row.get("question") or f"{ROW}{index + 1}",
        row.get("group") or None,
    )


def _epoch(row: Mapping[str, Any], many: int) -> int:
    """The number of the attempt: as given, or how many at the question there are so far."""
    given = row.get("epoch") or ""
    return int(given) if given.isdecimal() and len(given) < 10 else many


def _answered(row: Mapping[str, Any], cells: Cells, index: int) -> Answered:
    """What a row says about its answer: by log-likelihoods, or by itself if it has none."""
    told = row.get("answer") or row.get("correct")
    given = row.get("right") and row.get("wrong")
    by_options = given or ({"right", "wrong"} <= row.keys() and not told)
    if by_options or row.get("logliks"):
        try:
            return right_and_wrong(row) if by_options else in_order(row)
        except FileError as error:
            raise FileError(f"{cells.place(index)}, {error}") from error
    if "logliks" in row and not told:
        return without_numbers(row.get("gold"))
    correct, aside = _judged(row)
    return Answered(
        correct=correct,
        answer=row.get("answer") or None,
        gold="; ".join(golds(row.get("gold"))) or None,
        aside=aside,
        listed=None,
    )


def _is_unlikely(row: Mapping[str, Any], answered: Answered) -> bool:
    """Whether another option than the answer is the most likely one."""
    scored = bool(row.get("logliks")) and answered["aside"] is None
    return scored and answered["listed"] is None


def _candidates(cells: Cells, there: Sequence[str]) -> str:
    """All columns, and those that could be log-likelihoods: numbers, none of them above 0."""
    names = f"Its columns are: {', '.join(map(printable, there))}."
    read = [name for name in there if not any(each.startswith(f"{name}.") for each in there)]
    found = [name for name, values in cells.columns(read).items() if _are_logliks(values)]
    told = f" Those that could be log-likelihoods: {', '.join(map(printable, found))}."
    return names + (told if found else "")


def _are_logliks(values: Sequence[Cell]) -> bool:
    given = [numbers(each) for each in values if each]
    return bool(given) and all(each is not None and max(each) < 0 for each in given)


def _judged(row: Mapping[str, Any]) -> tuple[bool | None, str | None]:
    """Whether the answer is right, and why it cannot be scored."""
    answer = row.get("answer")
    if "answer" in row and not (answer or "").strip():
        return None, "unparsed"
    known = golds(row.get("gold"))
    if "correct" in row:
        correct = said_correct(row)
    else:
        correct = normalise(answer or "") in map(normalise, known) if known else None
    return correct, no_verdict(row) if correct is None else None


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
