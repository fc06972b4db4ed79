"""Logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, one line per question and filter.

Numbers are texts there, and three confidences exist for a multiple-choice question: of raw
log-likelihoods (`acc`), per character (`acc_norm`) and per byte. Mutual information doubles the
requests: the second half has an empty context and is not an answer.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from calibrant.checks.files import byte_lines, file_name
from calibrant.errors import FileError, ParameterError, option, printable
from calibrant.structures.evals.answers import normalise
from calibrant.structures.evals.attempts import Asked, Attempts, Listed
from calibrant.structures.evals.options import why_uninformative
from calibrant.structures.evals.reading.fields import (
    asks_for_confidence,
    check_group,
    group_of,
    is_score,
)
from calibrant.structures.evals.reading.json_files import UNEXPECTED, Place, unexpected
from calibrant.structures.evals.reading.lm_eval_lines import (
    KEYS,
    Choice,
    Sample,
    gold_of,
    logliks_of,
    options_among,
    prompt_of,
    requests_of,
    responses_of,
    sample_of,
)
from calibrant.structures.evals.stated import stated_confidence

NAME = re.compile(
    r"(?:(?P<model>.+?)__)?samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[^/]*\.jsonl(\.gz)?$"
)
METRICS = ("acc", "exact_match", "em", "mc1", "correct")  # 0 or 1 for each answer, by preference


def is_lm_eval(row: Mapping[str, Any]) -> bool:
    """Whether this is a line of such a log."""
    return row.keys() >= KEYS


@dataclass
class LmEval:
    """What to take from the logs of lm-evaluation-harness, and what was found there."""

    filter: str | None = None  # default: the first filter of a file
    metric: str | None = None  # default: the first of METRICS
    group: str | None = None  # a field of the question (default: category, subject and the like)
    notes: list[str] = field(default_factory=list)
    unknown: str | None = None  # the first gold answer of this log that is not an option

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""
        model, task = names_of(path)
        filters: dict[str, int] = {}
        wanted = self.filter
        questions = Questions()
        groups = 0
        place = Place(file_name(path))
        self.unknown = None
        for number, line in enumerate(byte_lines(path), start=1):
            if line.isspace():
                continue
            place.line = number
            sample = sample_of(line, place)
            name = str(sample.filter)
            filters[name] = filters.get(name, 0) + 1
            wanted = name if wanted is None else wanted
            if name == wanted:
                question = questions.add(sample, place)
                group = group_of(sample.doc, self.group)
                groups += group is not None
                asked = Asked(model, task, question, group)
                try:
                    self._add(sample, line, place, asked, attempts)
                except UNEXPECTED as error:
                    raise unexpected(place, error) from error
        if not filters:
            raise FileError(f"{place.file} is empty.")
        if self.unknown is not None:
            self.notes.append(f"gold is not an option, first in {self.unknown}")
        check_group(self.group, groups, place.file)
        if wanted not in filters:
            raise ParameterError(
                f"{option('filter', str(wanted))} is not in {place.file}. "
                f"Its filters: {', '.join(filters) or 'none'}."
            )
        if len(filters) > 1:
            others = ", ".join(name for name in filters if name != wanted)
            self.notes.append(f"filter {wanted}; not read: {others}")

    def _add(
        self, sample: Sample, line: bytes, place: Place, asked: Asked, attempts: Attempts
    ) -> None:
        if isinstance(sample, Choice):
            self._add_options(sample, line, place, asked, attempts)
            return
        found = responses_of(sample, place)
        if not found:
            attempts.add(asked, correct=None, aside="no answer", gold=str(sample.target))
        elif isinstance(found[0], str):
            self._add_texts(sample, sample.metrics(line, place), found, asked, attempts)
        else:
            self._add_options(sample, line, place, asked, attempts)

    def _score(self, row: Mapping[str, Any]) -> bool | None:
        """What the log itself says of the answer: right, wrong, or nothing."""
        if self.metric is not None and self.metric not in row:
            known = sorted(name for name in row if name not in KEYS and is_score(row[name]))
            raise ParameterError(
                f"{option('metric', self.metric)} is not in the log. Its metrics: "
                f"{', '.join(known) or 'none'}."
            )
        for name in METRICS if self.metric is None else (self.metric,):
            value = row.get(name)
            if value in (0, 1, True, False):
                return bool(value)
        own = (row[name] for name in row if name.endswith("_acc") and self.metric is None)
        return next((bool(value) for value in own if value in (0, 1)), None)

    def _score_of_repeat(self, row: Mapping[str, Any], repeat: int) -> bool | None:
        """The same for one of several repeats, where the log has scores for each of them."""
        given = row.get("scores_per_repeat")
        if not isinstance(given, dict):
            return None
        known = {name: each for name, each in given.items() if isinstance(each, list)}
        scores = {name: each[repeat] for name, each in known.items() if repeat < len(each)}
        return self._score(scores) if self.metric is None or self.metric in scores else None

    def _add_options(
        self, sample: Sample, line: bytes, place: Place, asked: Asked, attempts: Attempts
    ) -> None:
        loglik, requests = logliks_of(sample, place), requests_of(sample)
        if not loglik:
            attempts.add(asked, correct=None, aside="no answer")
            return
        count = options_among(requests, len(loglik))
        texts = None
        if len(requests) == len(loglik):
            texts = [each.arg_1.lstrip() for each in requests[:count]]
        loglik = loglik[:count]
        if not sum(loglik) < inf:  # NaN is not below it either; −inf is fine
            attempts.add(asked, correct=None, aside="log-likelihood is not a number")
            return
        best = loglik.index(max(loglik))
        gold = gold_of(sample.target, texts, count)
        correct: bool | None = best in gold  # another metric may choose another
        if not gold or self.metric is not None:
            score = self._score(sample.metrics(line, place))
            if not gold:
                correct = score
                gold = [best if score else 1 - best] if score is not None and count == 2 else ()
        aside = why_uninformative(loglik)
        if aside is None and correct is None:
            aside = "gold is not an option"
            self.unknown = (
                self.unknown or f"{place}, target: {printable(str(sample.target))[:40]!r}"
            )
        if texts is not None and len(set(texts)) < count:
            texts = None  # they do not tell the options apart
        attempts.add(
            asked,
            correct=correct,
            aside=aside,
            answer=str(best) if texts is None else texts[best],
            gold=_shown_gold(sample.target, texts, gold),
            listed=Listed(loglik, [i in gold for i in range(count)] if gold else None, texts),
        )

    def _add_texts(
        self,
        sample: Sample,
        row: Mapping[str, Any],
        repeats: Sequence[Any],
        asked: Asked,
        attempts: Attempts,
    ) -> None:
        """Add generated answers: each repeat is an attempt of its own."""
        score, target = self._score(row), str(sample.target)
        kept = sample.filtered_resps[0] if sample.filtered_resps else None
        wanted = asks_for_confidence(prompt_of(sample))
        for epoch, text in enumerate(repeats, start=1):
            alone = len(repeats) == 1
            correct = self._score_of_repeat(row, epoch - 1)
            if correct is None and (alone or text == kept):
                correct = score
            if correct is None and "exact_match" in row:
                correct = normalise(text) == normalise(target)
            answer = kept if alone and isinstance(kept, str) else text
            empty = not str(answer).strip() or answer == "[invalid]"
            attempts.add(
                asked,
                epoch=epoch,
                correct=correct,
                aside="unparsed" if empty else None,
                answer=None if empty else answer,
                gold=target,
                confidence={"stated": stated_confidence(text) if wanted else None},
            )


@dataclass(slots=True)
class Questions:
    """The names of the questions of a file; those that share a text are numbered."""

    first: dict[str, Any] = field(default_factory=dict)  # the document that has the text
    all: dict[str, set[str]] = field(default_factory=dict)  # of texts that several have

    def add(self, sample: Sample, place: Place) -> str:
        """The name of one more question; a document must not be there twice."""
        name, document = sample.name, sample.doc_id
        if name not in self.first:
            self.first[name] = document
            return name
        same = self.all.setdefault(name, {str(self.first[name])})
        if str(document) in same:
            raise FileError(f"{place}: question {document} (doc_id) is there twice.")
        same.add(str(document))
        return f"{name}#{len(same)}"


def names_of(path: str | Path) -> tuple[str, str]:
    """Model and task, from the name of the file and of its folder."""
    found = NAME.match(Path(path).name)
    if found is None:
        return "model", Path(path).name.split(".")[0]
    folder = Path(path).resolve().parent.name
    return found["model"] or (folder if "__" in folder else "model"), found["task"]


def _shown_gold(target: object, texts: Sequence[str] | None, gold: Sequence[int]) -> str:
    return str(target) if texts is None or not gold else "; ".join([texts[i] for i in gold])
