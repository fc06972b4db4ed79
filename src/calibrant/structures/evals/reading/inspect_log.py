"""Logs of Inspect: `.eval` archives and `.json` documents.

Epochs are attempts. A score is C (correct), I (incorrect), P (partial), N (no answer), a number, or
a dictionary such as {"correct": 1, "confidence": 0.8}.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from calibrant.checks.files import file_name
from calibrant.errors import FileError, ParameterError, option
from calibrant.structures.evals.attempts import Asked, Attempts
from calibrant.structures.evals.reading.fields import asks_for_confidence, check_group, group_of
from calibrant.structures.evals.reading.json_files import (
    UNEXPECTED,
    FieldError,
    as_object,
    as_objects,
    json_document,
    parsed,
    unexpected,
)
from calibrant.structures.evals.reading.zip_files import opened
from calibrant.structures.evals.stated import stated_confidence
from calibrant.structures.evals.tokens import token_confidences

RIGHT = ("correct", "is_correct", "accuracy", "score")  # keys of a score that is a dictionary
SURE = ("confidence", "probability", "stated_confidence")
LETTERS = {"C": True, "I": False}
GRADED = "graded, not right or wrong"
VERSION = 2  # of the format; newer ones may mean something else


@dataclass
class Inspect:
    """What to take from logs of Inspect, and what was found there."""

    metric: str | None = None  # the scorer (default: the first)
    group: str | None = None  # a field of the metadata
    notes: list[str] = field(default_factory=list)
    seen: dict[tuple[str, str, str, int], str] = field(default_factory=dict)
    scorer: str | None = None  # the one that this log is read for

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one log."""
        if Path(path).suffix == ".json":
            document = json_document(path)
            _check(document, path)
            samples = enumerate(document.get("samples") or [], start=1)
            self._add_all(document, ((f"sample {i}", each) for i, each in samples), path, attempts)
            return
        with opened(path) as archive:
            header = parsed(archive.read("header.json"), f"{file_name(path)}, header.json")
            _check(header, path)
            names = [name for name in archive.names() if name.startswith("samples/")]
            found = ((n, parsed(archive.read(n), f"{file_name(path)}, {n}")) for n in names)
            self._add_all(header, found, path, attempts)

    def _add_all(
        self,
        header: Mapping[str, Any],
        samples: Iterator[tuple[str, Any]],
        path: str | Path,
        attempts: Attempts,
    ) -> None:
        run = header["eval"]
        model, task = str(run.get("model", "model")), str(run.get("task", "task"))
        if header.get("status") != "success":
            self.notes.append(f"{file_name(path)}: the run ended with {header.get('status')}")
        self.scorer, kept = self.metric, []
        places: dict[tuple[str, int], str] = {}
        for name, sample in samples:
            place = f"{file_name(path)}, {name}"
            try:
                kept.append(self._kept(sample, place))
            except UNEXPECTED as error:
                raise unexpected(place, error) from error
            number = (kept[-1]["id"], kept[-1]["epoch"])
            if number in places:
                raise FileError(
                    f"{place}: id {number[0]!r}, epoch {number[1]} is there twice, first in "
                    f"{places[number]}."
                )
            places[number] = name
        grouped = [each for each in kept if group_of(each["metadata"], self.group) is not None]
        check_group(self.group, len(grouped), file_name(path))
        graded = any(judged(each["score"])[1] == GRADED for each in kept)
        for sample in kept:
            group = group_of(sample["metadata"], self.group)
            asked = Asked(model, task, sample["id"], group)
            self._add(sample, asked, str(run.get("task_id", path)), graded, attempts)

    def _kept(self, sample: object, place: str) -> dict[str, Any]:
        """What is needed of a sample: messages and events take most of the memory."""
        if not isinstance(sample, dict) or "id" not in sample:
            raise FileError(f"{place}: not a sample of Inspect (no id).")
        text, logprobs = _output(sample)
        found = {name: sample.get(name) for name in ("input", "target", "metadata", "error")}
        found |= {"id": str(sample["id"]), "epoch": _number(sample.get("epoch"))}
        return found | {"text": text, "logprobs": logprobs, "score": self._score(sample, place)}

    def _add(
        self, sample: Mapping[str, Any], asked: Asked, run: str, graded: bool, attempts: Attempts
    ) -> None:
        text, score = sample["text"], sample["score"]
        correct, aside = judged(score)
        if graded and correct is not None and is_number(score):
            correct, aside = None, GRADED  # 0 and 1 of 10 are not wrong and right
        if sample["error"]:
            correct, aside = None, "errored"
        answer = score.get("answer") if isinstance(score.get("answer"), str) else text
        epoch, again = self._epoch(sample, asked, run, correct)
        confidence = token_confidences(sample["logprobs"], answer)
        stated = _stated(score, text, str(sample["input"]))
        attempts.add(
            asked,
            epoch=epoch,
            correct=correct,
            aside="in another log of the same run" if again else aside,
            answer=answer or None,
            gold=_gold(sample["target"]),
            confidence=confidence if stated is None else confidence | {"stated": stated},
        )

    def _epoch(
        self, sample: Mapping[str, Any], asked: Asked, run: str, correct: bool | None
    ) -> tuple[int, bool]:
        """The number of the attempt, and whether a retry has it already.

        A retry has the same task id. Other runs of the same task are further attempts.
        """
        epoch = sample["epoch"]
        key = (asked.model, asked.task, asked.question)
        while (known := self.seen.get((*key, epoch))) not in (None, run):
            epoch += 1
        if correct is None:
            return epoch, False
        self.seen[(*key, epoch)] = run
        return epoch, known == run

    def _score(self, sample: Mapping[str, Any], place: str) -> Mapping[str, Any]:
        scores = as_object(sample.get("scores"), "scores")
        if not scores:
            return {}
        if self.scorer is None:  # one for the whole log, so that scorers are not mixed
            self.scorer = next(iter(scores))
            if len(scores) > 1:
                others = ", ".join(name for name in scores if name != self.scorer)
                self.notes.append(f"scorer {self.scorer}; not read: {others}")
        name = self.scorer
        if name not in scores and self.metric is None:
            return {}
        if name not in scores:
            raise ParameterError(
                f"{option('metric', name)} is not a scorer of {place}. "
                f"Its scorers: {', '.join(scores)}."
            )
        found = scores[name]
        return found if isinstance(found, dict) else {"value": found}


def judged(score: Mapping[str, Any]) -> tuple[bool | None, str | None]:
    """Whether a score means right or wrong, and why it means neither."""
    value = score.get("value")
    if isinstance(value, dict):
        value = next((value[key] for key in RIGHT if key in value), None)
    if isinstance(value, str):
        if value in LETTERS:
            return LETTERS[value], None
        reasons = {"P": "partially correct", "N": "no answer"}
        number = value.strip().removesuffix(".0")
        if number in ("0", "1"):
            return number == "1", None
        return None, reasons.get(value, GRADED)
    if isinstance(value, bool):
        return value, None
    if isinstance(value, int | float) and not isnan(value):
        return (value == 1, None) if value in (0, 1) else (None, GRADED)
    return None, "unscored"


def is_number(score: Mapping[str, Any]) -> bool:
    """Whether a score is a number, which may be one of a scale."""
    value = score.get("value")
    return not isinstance(value, bool | dict) and str(value).replace(".", "", 1).isdecimal()


def _stated(score: Mapping[str, Any], text: str, asked: str) -> float | None:
    """The confidence in a field of the score, or in the answer if the question asks for it."""
    for fields in (score.get("value"), score.get("metadata")):
        if isinstance(fields, dict):
            for key in SURE:
                if key in fields:
                    return stated_confidence(fields[key], alone=True)
    return stated_confidence(text) if asks_for_confidence(asked) else None


def _output(sample: Mapping[str, Any]) -> tuple[str, list[Mapping[str, Any]]]:
    """The text of the answer and the log-probabilities of its tokens."""
    output = as_object(sample.get("output"), "output")
    first = (as_objects(output.get("choices"), "output.choices") or [{}])[0]
    content = as_object(first.get("message"), "output.choices[0].message").get("content", "")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    logprobs = as_object(first.get("logprobs"), "output.choices[0].logprobs")
    return str(content or ""), as_objects(logprobs.get("content"), "logprobs.content")


def _number(epoch: object) -> int:
    """The number of an attempt; 1 if it has none."""
    if epoch is not None and type(epoch) is not int:
        raise FieldError("epoch", "a whole number", epoch)
    return epoch or 1


def _gold(target: object) -> str | None:
    if isinstance(target, list):
        return "; ".join(map(str, target))
    return None if target is None else str(target)


def _check(header: object, path: str | Path) -> None:
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise FileError(f"{file_name(path)}: not a log of Inspect (no eval in its header).")
    version = header.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise FileError(
            f"{file_name(path)}: version {version!r} of Inspect's format is not known "
            f"(at most {VERSION})."
        )
