"""Files of old versions of lm-evaluation-harness: `TASK_write_out_info.json`.

A record for each question: `logit_0`, `logit_1` and so on are the log-likelihoods of its options,
or the answer if the task is to write one. `truth` is the correct option or text. All are texts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from calibrant.checks.files import file_name
from calibrant.errors import FileError, ParameterError, option
from calibrant.structures.evals.attempts import Asked, Attempts, Listed
from calibrant.structures.evals.options import why_uninformative
from calibrant.structures.evals.reading.json_files import json_document

NAME = re.compile(r"(?P<task>.+?)_write_out_info\.json(\.gz)?$")
METRICS = ("acc", "em", "exact_match")  # 0 or 1 for each answer, by preference
NUMBER = re.compile(r"\(?\s*(-?(?:inf|[0-9.]+(?:e[-+]?[0-9]+)?))\s*(?:,.*)?$", re.IGNORECASE)


@dataclass
class WriteOut:
    """What to take from such files, and what was found there."""

    metric: str | None = None  # default: the first of METRICS
    notes: list[str] = field(default_factory=list)

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""
        found = NAME.match(Path(path).name)
        task = Path(path).name.split(".")[0] if found is None else found["task"]
        document = json_document(Path(path))
        rows = list(document.values()) if isinstance(document, dict) else document
        if not isinstance(rows, list):
            raise FileError(f"{file_name(path)}: a list of records was expected.")
        for number, row in enumerate(rows, start=1):
            place = f"{file_name(path)}, record {number}"
            if not isinstance(row, dict) or "doc_id" not in row:
                raise FileError(f"{place}: not a record of such a file (no doc_id).")
            asked = Asked("model", task, str(row["doc_id"]))
            if self.metric is not None and self.metric not in row:
                raise ParameterError(f"{option('metric', self.metric)} is not in {place}.")
            logits = [row[f"logit_{i}"] for i in range(len(row)) if f"logit_{i}" in row]
            loglik = [_number(each) for each in logits]
            known = [each for each in loglik if each is not None]
            if known and not max(known) < inf:
                attempts.add(asked, correct=None, aside="log-likelihood is not a number")
            elif len(known) == len(logits) and len(logits) > 1:
                self._add_options(row, asked, known, attempts)
            else:
                self._add_text(row, asked, logits, attempts)

    def _score(self, row: Mapping[str, Any]) -> bool | None:
        names = METRICS if self.metric is None else (self.metric,)
        words = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
        given = (str(row[name]).strip().lower() for name in names if name in row)
        return next((words[each] for each in given if each in words), None)

    def _add_options(
        self, row: Mapping[str, Any], asked: Asked, loglik: Sequence[float], attempts: Attempts
    ) -> None:
        truth = str(row.get("truth", "")).strip()
        inside = truth.isdecimal() and len(truth) < 9 and int(truth) < len(loglik)
        best = loglik.index(max(loglik))
        score = self._score(row)
        correct = score if score is not None or not inside else best == int(truth)
        aside = why_uninformative(loglik)
        if aside is None and correct is None:
            aside = "gold is not an option"
        flags = [i == int(truth) for i in range(len(loglik))] if inside else None
        attempts.add(
            asked,
            correct=correct,
            aside=aside,
            answer=str(best),
            gold=truth or None,
            listed=Listed(loglik, flags),
        )

    def _add_text(
        self, row: Mapping[str, Any], asked: Asked, logits: Sequence[object], attempts: Attempts
    ) -> None:
        answer = str(logits[0]).strip() if logits else ""
        truth = str(row.get("truth", "")).strip() or None
        attempts.add(
            asked,
            correct=self._score(row),
            aside=None if answer else "unparsed",
            answer=answer or None,
            gold=truth,
        )


def _number(value: object) -> float | None:
    """A log-likelihood: a number, its text, or the text of a tuple with a flag; else None."""
    if isinstance(value, list) and value:
        value = value[0]
    found = NUMBER.match(str(value).strip())
    if found is None:
        return None
    try:
        return float(found[1])
    except ValueError:
        return None
