"""Runs of HELM: `per_instance_stats.json` with `scenario_state.json` and `run_spec.json` beside it.

The files lie in the folder of a run, or are named RUN__per_instance_stats.json and so on. A
log-probability of exactly 0 everywhere is a placeholder of the client, not certainty.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibrant.checks.files import file_name
from calibrant.errors import FileError, ParameterError, option
from calibrant.results.wording import counted
from calibrant.structures.evals.attempts import Asked, Attempts
from calibrant.structures.evals.reading.json_files import json_document
from calibrant.structures.evals.tokens import token_confidences

STATS = "per_instance_stats.json"
METRICS = ("exact_match", "quasi_exact_match", "prefix_exact_match")


@dataclass
class Helm:
    """What to take from runs of HELM, and what was found there."""

    metric: str | None = None  # default: the first of METRICS
    notes: list[str] = field(default_factory=list)

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one run."""
        rows = json_document(path)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise FileError(f"{file_name(path)}: a list of instances was expected.")
        model, task = _run(path)
        said = _completions(path)
        placeholders = perturbed = 0
        for number, row in enumerate(rows, start=1):
            place = f"{file_name(path)}, instance {number}"
            if row.get("perturbation"):
                perturbed += 1
                continue
            if "instance_id" not in row or not isinstance(row.get("stats"), list):
                raise FileError(f"{place}: no instance_id or no stats.")
            trial = int(row.get("train_trial_index") or 0)
            asked = Asked(model, task, str(row["instance_id"]))
            answer = said.get((asked.question, trial), Said())
            correct = self._correct(row, place)
            confidence = token_confidences(answer.tokens, answer.text)
            placeholders += bool(answer.tokens) and not confidence
            attempts.add(
                asked,
                epoch=trial + 1,
                correct=correct,
                answer=answer.text or None,
                gold=answer.gold,
                confidence=confidence,
            )
        if perturbed:
            self.notes.append(f"not read: {counted(perturbed, 'perturbed instance')}")
        if placeholders:
            self.notes.append(
                "log-probabilities that are exactly 0 (placeholders) or missing in "
                f"{counted(placeholders, 'answer')}"
            )

    def _correct(self, row: Mapping[str, Any], place: str) -> bool | None:
        stats = {
            each["name"]["name"]: each.get("mean")
            for each in row["stats"]
            if isinstance(each, dict) and isinstance(each.get("name"), dict)
        }
        if self.metric is not None and self.metric not in stats:
            raise ParameterError(
                f"{option('metric', self.metric)} is not in {place}. Its metrics: "
                f"{', '.join(sorted(stats))}."
            )
        for name in METRICS if self.metric is None else (self.metric,):
            if stats.get(name) in (0, 1):
                return bool(stats[name])
        return None


@dataclass(frozen=True)
class Said:
    """The answer to one instance."""

    text: str = ""
    gold: str | None = None
    tokens: tuple[Mapping[str, Any], ...] = ()


def _beside(path: str | Path, name: str) -> Path:
    """A file of the same run."""
    own = Path(path)
    return own.with_name(own.name.removesuffix(STATS) + name)


def _run(path: str | Path) -> tuple[str, str]:
    """Model and task, from the name of the run."""
    spec = _beside(path, "run_spec.json")
    document = json_document(spec) if spec.exists() else {}
    if not isinstance(document, dict):
        document = {}
    adapter = document.get("adapter_spec")
    model = adapter.get("model") if isinstance(adapter, dict) else None
    name = str(document.get("name") or Path(path).name.removesuffix(f"__{STATS}"))
    return str(model or "model"), re.sub(r"[:,]model=[^,]*", "", name)


def _completions(path: str | Path) -> dict[tuple[str, int], Said]:
    """The first completion of each instance and trial."""
    state = _beside(path, "scenario_state.json")
    if not state.exists():
        return {}
    document = json_document(state)
    requests = document.get("request_states") if isinstance(document, dict) else None
    if not isinstance(requests, list):
        raise FileError(f"{file_name(state)}: no request_states.")
    found: dict[tuple[str, int], Said] = {}
    for each in requests:
        instance = each.get("instance") or {}
        if instance.get("perturbation"):
            continue
        key = (str(instance.get("id")), int(each.get("train_trial_index") or 0))
        found.setdefault(key, _said(each, instance))
    return found


def _said(request: Mapping[str, Any], instance: Mapping[str, Any]) -> Said:
    completions = (request.get("result") or {}).get("completions") or [{}]
    first = completions[0]
    tokens = tuple(
        {"token": each.get("text"), "logprob": each.get("logprob")}
        for each in first.get("tokens") or ()
    )
    right = [
        str((each.get("output") or {}).get("text"))
        for each in instance.get("references") or ()
        if "correct" in (each.get("tags") or ())
    ]
    return Said(str(first.get("text", "")).strip(), "; ".join(right) or None, tokens)
