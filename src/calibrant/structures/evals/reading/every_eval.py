"""Samples of Every Eval Ever: one line per answer. The format has no field for a confidence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibrant.checks.files import file_name
from calibrant.errors import FileError, printable
from calibrant.structures.evals.attempts import Asked, Attempts
from calibrant.structures.evals.reading.fields import asks_for_confidence, check_group, group_of
from calibrant.structures.evals.reading.json_files import json_objects
from calibrant.structures.evals.stated import stated_confidence

VERSION = re.compile(r"(?:instance_level_eval_)?(\d{1,4})\.(\d{1,4})(?:\.\w+)?")
NEWEST = (0, 3)  # version of the format; newer ones may mean something else
KEYS = {"sample_id", "evaluation", "input", "output"}


def is_every_eval(row: Mapping[str, Any]) -> bool:
    """Whether this is a line of such a file."""
    return row.keys() >= KEYS


@dataclass
class EveryEval:
    """What to take from samples of Every Eval Ever, and what was found there."""

    group: str | None = None  # a field of the metadata
    notes: list[str] = field(default_factory=list)

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""
        epochs: dict[tuple[str, str, str], int] = {}
        groups = 0
        for line, row in json_objects(path):
            place = f"{file_name(path)}, line {line}"
            if not is_every_eval(row):
                missing = ", ".join(sorted(KEYS - row.keys()))
                raise FileError(f"{place}: no {missing}.")
            _check_version(row.get("schema_version"), place)
            asked = Asked(
                str(row.get("model_id") or row.get("model") or "model"),
                str(row.get("evaluation_name") or "task"),
                str(row["sample_id"]),
                group_of(row.get("metadata"), self.group),
            )
            groups += asked.group is not None
            epoch = epochs[asked[:3]] = epochs.get(asked[:3], 0) + 1
            self._add(row, asked, epoch, attempts)
        check_group(self.group, groups, file_name(path))

    def _add(self, row: Mapping[str, Any], asked: Asked, epoch: int, attempts: Attempts) -> None:
        judged, given, said = (_fields(row[name]) for name in ("evaluation", "input", "output"))
        right = judged.get("is_correct")
        raw = said.get("raw")
        texts = [raw] if isinstance(raw, str) else list(raw or [])
        text = str(texts[0]) if texts else ""
        gold = given.get("reference")
        attempts.add(
            asked,
            epoch=epoch,
            correct=right if isinstance(right, bool) else None,
            aside=None if text.strip() else "unparsed",
            answer=text or None,
            gold="; ".join(map(str, gold if isinstance(gold, list) else [gold])) if gold else None,
            confidence={
                "stated": stated_confidence(text) if asks_for_confidence(given.get("raw")) else None
            },
        )


def _check_version(version: object, place: str) -> None:
    """Refuse a version that is not known; old files name none."""
    if version is None:
        return
    found = VERSION.fullmatch(str(version))
    if found is None or (int(found[1]), int(found[2])) > NEWEST:
        newest = ".".join(map(str, NEWEST))
        raise FileError(
            f"{place}, schema_version: {printable(str(version))[:40]!r} is not known (at most "
            f"{newest})."
        )


def _fields(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
