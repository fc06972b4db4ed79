"""Which format a log has, and reading of files and folders."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol

from calibrant.checks.files import file_name, read_bytes
from calibrant.errors import CalibrantError, FileError, UnknownName
from calibrant.results.wording import counted
from calibrant.structures.evals.attempts import Attempts
from calibrant.structures.evals.evals import Evals
from calibrant.structures.evals.reading.every_eval import EveryEval, is_every_eval
from calibrant.structures.evals.reading.helm import STATS, Helm
from calibrant.structures.evals.reading.inspect_log import Inspect
from calibrant.structures.evals.reading.json_files import json_document, parsed
from calibrant.structures.evals.reading.lm_eval import NAME, LmEval, is_lm_eval
from calibrant.structures.evals.reading.responses import Responses, is_response
from calibrant.structures.evals.reading.tables import Table
from calibrant.tables.sources import suffix_format

FORMATS = {
    "lm-eval": "samples of lm-evaluation-harness",
    "inspect": "logs of Inspect",
    "helm": "runs of HELM",
    "every-eval": "samples of Every Eval Ever",
    "responses": "responses of OpenAI-style servers",
    "table": "a table with a row for each attempt",
}
LINES = {"lm-eval": is_lm_eval, "every-eval": is_every_eval, "responses": is_response}
HIDDEN = "."  # files whose name begins so are not logs
Told = Callable[[int, int], None]  # called with the number of files read, and of all


class Reader(Protocol):
    """Adds the attempts of a file, and notes what deserves attention."""

    notes: list[str]

    def read(self, path: str | Path, attempts: Attempts) -> None:
        """Add the attempts of one file."""


@dataclass
class Choices:
    """What the caller chose: formats, columns and filters."""

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    filter: str | None = None
    metric: str | None = None
    group: str | None = None
    gold: str | Path | None = None


def read_logs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    choices: Choices,
    tell: Told = lambda done, all: None,
) -> Evals:
    """Read all attempts of these files and folders."""
    if choices.format is not None and choices.format not in FORMATS:
        raise UnknownName("format of logs", choices.format, FORMATS)
    single = [paths] if isinstance(paths, str | PathLike) else list(paths)
    files = [file for each in single for file in _files(Path(fspath(each)))]
    readers: dict[str, Reader] = {
        "lm-eval": LmEval(choices.filter, choices.metric, choices.group),
        "inspect": Inspect(choices.metric, choices.group),
        "helm": Helm(choices.metric),
        "every-eval": EveryEval(choices.group),
        "responses": Responses(choices.gold),
        "table": Table(choices.columns),
    }
    attempts, found = Attempts(), dict.fromkeys(FORMATS, 0)
    for done, file in enumerate(files, start=1):
        format = choices.format or recognised(file)
        found[format] += 1
        readers[format].read(file, attempts)
        tell(done, len(files))
    if not len(attempts):
        raise FileError(f"{', '.join(map(file_name, files))}: no attempts.")
    kinds = [f"{counted(many, 'file')}: {FORMATS[name]}" for name, many in found.items() if many]
    notes = Counter(note for reader in readers.values() for note in reader.notes)
    return Evals.of(attempts, [*kinds, *(_times(each, many) for each, many in notes.items())])


def _times(note: str, many: int) -> str:
    return note if many == 1 else f"{many} × {note}"


def _files(path: Path) -> list[Path]:
    """The logs of a folder, or the file itself."""
    if not path.is_dir():
        return [path]
    runs = path.glob(f"*/{STATS}")  # a folder of runs of HELM
    inside = sorted([*(each for each in path.iterdir() if each.is_file()), *runs])
    logs = [each for each in inside if not each.name.startswith(HIDDEN) and _is_log(each)]
    if not logs:
        raise FileError(f"{path} contains no logs that can be read ({', '.join(FORMATS)}).")
    formats = {recognised(each) for each in logs}
    if len(formats) > 1:
        raise FileError(
            f"{path} contains logs of several formats ({', '.join(sorted(formats))}): "
            "name the files of one of them."
        )
    return logs


def _is_log(path: Path) -> bool:
    try:
        recognised(path)
    except CalibrantError:
        return False
    return True


def recognised(path: Path) -> str:
    """The format of a file, by its name and its first line."""
    if NAME.match(path.name):
        return "lm-eval"
    if path.suffix == ".eval":
        return "inspect"
    if path.name.endswith(STATS):
        return "helm"
    if path.suffix == ".json":
        document = json_document(path)
        if isinstance(document, dict) and "eval" in document and "samples" in document:
            return "inspect"
    kind = suffix_format(path)
    if kind == "jsonl":
        first = read_bytes(path).lstrip().split(b"\n", 1)[0]
        row = parsed(first, f"{file_name(path)}, line 1")
        found = [name for name, fits in LINES.items() if isinstance(row, dict) and fits(row)]
        return found[0] if found else "table"
    if kind is not None:
        return "table"
    raise FileError(
        f"{file_name(path)}: not a log that can be read. Known: "
        + ", ".join(f"{name} ({what})" for name, what in FORMATS.items())
        + "."
    )
