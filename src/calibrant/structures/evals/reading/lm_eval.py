"""Logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, one line per question and filter.

Numbers are texts there, and three confidences exist for a multiple-choice question: of raw
log-likelihoods (`acc`), per character (`acc_norm`) and per byte. Mutual information doubles the
requests: the second half has an empty context and is not an answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from calibrant.checks.files import file_name
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
from calibrant.structures.evals.reading.json_files import UNEXPECTED, json_objects, unexpected
from calibrant.structures.evals.stated import stated_confidence

NAME = re.compile(
    r"(?:(?P<model>.+?)__)?samples_(?P<task>.+?)_\d{4}-\d\d-\d\dT[^/]*\.jsonl(\.gz)?$"
)
METRICS = ("acc", "exact_match", "em", "mc1", "correct")  # 0 or 1 for each answer, by preference
KEYS = {"doc_id", "doc", "target", "resps", "filtered_resps"}


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

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""
        model, task = names_of(path)
        filters: dict[str, int] = {}
        wanted = self.filter
        seen: dict[str, set[str]] = {}
        groups = 0
        file = file_name(path)
        for line, row in json_objects(path):
            place = f"{file}, line {line}"
            if not is_lm_eval(row):
                missing = ", ".join(sorted(KEYS - row.keys()))
                raise FileError(f"{place}: not a line of lm-eval samples (no {missing}).")
            name = str(row.get("filter", "none"))
            filters[name] = filters.get(name, 0) + 1
            wanted = name if wanted is None else wanted
            if name == wanted:
                question = name_of(row)
                same, document = seen.setdefault(question, set()), str(row["doc_id"])
                if document in same:
                    raise FileError(f"{place}: question {document} (doc_id) is there twice.")
                same.add(document)
                if len(same) > 1:  # the same text, asked twice
                    question = f"{question}#{len(same)}"
                group = group_of(row["doc"], self.group)
                groups += group is not None
                asked = Asked(model, task, question, group)
                try:
                    self._add(row, place, asked, attempts)
                except UNEXPECTED as error:
                    raise unexpected(place, error) from error
        if not filters:
            raise FileError(f"{file} is empty.")
        check_group(self.group, groups, file)
        if wanted not in filters:
            raise ParameterError(
                f"{option('filter', str(wanted))} is not in {file_name(path)}. "
                f"Its filters: {', '.join(filters) or 'none'}."
            )
        if len(filters) > 1:
            others = ", ".join(name for name in filters if name != wanted)
            self.notes.append(f"filter {wanted}; not read: {others}")

    def _add(self, row: Mapping[str, Any], place: str, asked: Asked, attempts: Attempts) -> None:
        found = _requests(row, place)
        if not found:
            attempts.add(asked, correct=None, aside="no answer", gold=str(row["target"]))
        elif isinstance(found[0], str):
            self._add_texts(row, found, asked, attempts)
        else:
            self._add_options(row, place, asked, attempts)

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
        self, row: Mapping[str, Any], place: str, asked: Asked, attempts: Attempts
    ) -> None:
        loglik = _numbers(row["filtered_resps"], place)
        if not loglik:
            attempts.add(asked, correct=None, aside="no answer")
            return
        requests = _arguments(row)
        if len(requests) == len(loglik) and len(loglik) % 2 == 0:
            half = len(loglik) // 2
            if requests[0][0] != "" and not any(context for context, _ in requests[half:]):
                loglik, requests = loglik[:half], requests[:half]  # mutual information
        if not sum(loglik) < inf:  # NaN is not below it either; −inf is fine
            attempts.add(asked, correct=None, aside="log-likelihood is not a number")
            return
        texts = [text.lstrip() for _, text in requests] if len(requests) == len(loglik) else None
        gold = _gold(row, texts, len(loglik))
        best = loglik.index(max(loglik))
        score = self._score(row)
        correct = score if gold is None else best in gold  # another metric may choose another
        if gold is None and score is not None and len(loglik) == 2:
            gold = {best if score else 1 - best}
        aside = why_uninformative(loglik)
        if aside is None and correct is None:
            aside = "gold is not an option"
        named = texts is not None and len(set(texts)) == len(texts)
        attempts.add(
            asked,
            correct=correct,
            aside=aside,
            answer=texts[best] if named and texts is not None else str(best),
            gold=_shown_gold(row, texts if named else None, gold),
            listed=Listed(
                tuple(loglik),  # the garbage collector does not look at tuples of numbers again
                None if gold is None else tuple([i in gold for i in range(len(loglik))]),
                tuple(texts) if named and texts is not None else None,
            ),
        )

    def _add_texts(
        self,
        row: Mapping[str, Any],
        repeats: Sequence[Any],
        asked: Asked,
        attempts: Attempts,
    ) -> None:
        """Add generated answers: each repeat is an attempt of its own."""
        score, target = self._score(row), str(row["target"])
        kept = row["filtered_resps"][0] if row["filtered_resps"] else None
        wanted = asks_for_confidence(_prompt(row))
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


def name_of(row: Mapping[str, Any]) -> str:
    """What identifies a question: the hash of its text, which logs of several models share."""
    return str(row.get("doc_hash") or row["doc_id"])


def names_of(path: str | Path) -> tuple[str, str]:
    """Model and task, from the name of the file and of its folder."""
    found = NAME.match(Path(path).name)
    if found is None:
        return "model", Path(path).name.split(".")[0]
    folder = Path(path).resolve().parent.name
    return found["model"] or (folder if "__" in folder else "model"), found["task"]


def _requests(row: Mapping[str, Any], place: str) -> list[Any]:
    """The responses: texts of all repeats, or one pair of texts for each option."""
    responses = row["resps"]
    if not isinstance(responses, list) or not set(map(type, responses)) <= {list}:
        raise FileError(f"{place}, resps: a list of lists was expected.")
    if responses and responses[0] and isinstance(responses[0][0], str):
        if not set(map(type, responses[0])) <= {str}:
            raise FileError(f"{place}, resps: texts were expected.")
        return list(responses[0])
    return responses


def _numbers(responses: Sequence[Any], place: str) -> list[float]:
    """The log-likelihoods of the options, each a text in a list with a flag."""
    if set(map(type, responses)) <= {list}:
        try:
            return [float(value) for value, _ in responses]
        except (TypeError, ValueError):
            pass  # other lists, or not numbers
    return [_number(each, place) for each in responses]


def _number(response: object, place: str) -> float:
    """The log-likelihood of an option: a text, in a list with a flag."""
    value = response[0] if isinstance(response, list) and response else response
    while isinstance(value, list) and value:
        value = value[0]
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise FileError(
            f"{place}, filtered_resps: {printable(repr(value))[:60]} is not a log-likelihood."
        ) from error


def _arguments(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Context and continuation of each request; none if the log has none."""
    given = row.get("arguments")
    found: list[Any] = []
    if isinstance(given, dict):
        found = [(each.get("arg_0"), each.get("arg_1")) for each in given.values()]
    elif isinstance(given, list):
        found = [each[:2] for each in given if isinstance(each, list) and len(each) > 1]
    return [(a, b) for a, b in found if isinstance(a, str) and isinstance(b, str)]


def _prompt(row: Mapping[str, Any]) -> object:
    """What the model was asked first."""
    given = row.get("arguments")
    first = next(iter(given.values()), None) if isinstance(given, dict) else None
    return first.get("arg_0") if isinstance(first, dict) else None


def _gold(row: Mapping[str, Any], texts: list[str] | None, count: int) -> set[int] | None:
    """The correct options: a number, several numbers, or the text of an option."""
    target = row["target"]
    if isinstance(target, str) and target.startswith("["):
        try:
            target = json.loads(target)
        except ValueError:
            return None
    if isinstance(target, str) and texts is not None and texts.count(target.strip()) == 1:
        return {texts.index(target.strip())}
    numbers = target if isinstance(target, list) else [target]
    found = {int(each) for each in numbers if str(each).removeprefix("-").isdecimal()}
    inside = {each for each in found if 0 <= each < count}
    return inside if inside and len(inside) == len(numbers) else None


def _shown_gold(row: Mapping[str, Any], texts: list[str] | None, gold: set[int] | None) -> str:
    if gold is None or texts is None:
        return str(row["target"])
    return "; ".join(texts[i] for i in sorted(gold))
