"""Which format a log has, and reading of files and folders."""

import gc
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol

from calibrant.checks.files import byte_lines, file_name
from calibrant.errors import FileError, ParameterError, UnknownName, option, printable
from calibrant.results.progress import bar
from calibrant.results.wording import counted
from calibrant.structures.evals.attempts import Attempts
from calibrant.structures.evals.evals import Evals
from calibrant.structures.evals.reading.every_eval import EveryEval, is_every_eval
from calibrant.structures.evals.reading.helm import STATS, Helm
from calibrant.structures.evals.reading.inspect_log import Inspect
from calibrant.structures.evals.reading.json_files import (
    UNEXPECTED,
    json_document,
    parsed,
    unexpected,
)
from calibrant.structures.evals.reading.lm_eval import NAME, LmEval, is_lm_eval
from calibrant.structures.evals.reading.responses import Responses, is_response
from calibrant.structures.evals.reading.tables import Table
from calibrant.structures.evals.reading.write_out import NAME as WRITTEN_OUT
from calibrant.structures.evals.reading.write_out import WriteOut
from calibrant.tables.sources import suffix_format

FORMATS = {
    "lm-eval": "samples of lm-evaluation-harness",
    "write-out": "files of old versions of lm-evaluation-harness",
    "inspect": "logs of Inspect",
    "helm": "runs of HELM",
    "every-eval": "samples of Every Eval Ever",
    "responses": "responses of OpenAI-style servers",
    "table": "a table with a row for each attempt",
}
LINES = {"lm-eval": is_lm_eval, "every-eval": is_every_eval, "responses": is_response}
UNPARSED = ("aside", "wrong")
LOGPROBS = ("raw", "processed")  # before or after temperature
USERS = {  # which formats follow a choice
    "filter": ("lm-eval",),
    "metric": ("lm-eval", "write-out", "inspect", "helm"),
    "gold": ("responses",),
    "columns": ("table",),
    "group": ("lm-eval", "inspect", "every-eval", "table"),
}
HIDDEN = "."  # files whose name begins so are not logs
KEY = ["model", "task", "question", "epoch"]  # no two attempts share all of these


class NotALogError(FileError):
    """A file that is of another kind, which folders may contain."""


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
    unparsed: str = "aside"  # or "wrong"
    logprobs: str | None = None  # "raw" or "processed"; None: not stated


def read_logs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    choices: Choices,
    progress: bool = False,
) -> Evals:
    """Read all attempts of these files and folders."""
    if choices.format is not None and choices.format not in FORMATS:
        raise UnknownName("format of logs", choices.format, FORMATS)
    _check_one_of("unparsed", choices.unparsed, UNPARSED)
    _check_one_of("logprobs", choices.logprobs, (*LOGPROBS, None))
    single = [paths] if isinstance(paths, str | PathLike) else list(paths)
    files = [file for each in single for file in _files(Path(fspath(each)))]
    readers: dict[str, Reader] = {
        "lm-eval": LmEval(choices.filter, choices.metric, choices.group),
        "write-out": WriteOut(choices.metric),
        "inspect": Inspect(choices.metric, choices.group),
        "helm": Helm(choices.metric),
        "every-eval": EveryEval(choices.group),
        "responses": Responses(choices.gold),
        "table": Table(_with_group(choices)),
    }
    formats = [choices.format or recognised(file) for file in files]
    found = {name: formats.count(name) for name in FORMATS}
    _check_used(choices, found)
    attempts = Attempts()
    ends: list[int] = []  # where the attempts of each file end
    shown = progress and len(files) > 1
    with without_collector(), bar(shown, len(files), "Reading logs") as tell:
        for done, (file, format) in enumerate(zip(files, formats, strict=True), start=1):
            begin = len(attempts)
            try:
                readers[format].read(file, attempts)
            except UNEXPECTED as error:
                place = f"{file_name(file)}, record {len(attempts) - begin + 1}"
                raise unexpected(place, error) from error
            ends.append(len(attempts))
            tell(done, file.name)
    if not len(attempts):
        raise FileError(f"{', '.join(map(file_name, files)) or 'The list of logs'}: no attempts.")
    kinds = [f"{counted(many, 'file')}: {FORMATS[name]}" for name, many in found.items() if many]
    notes = Counter(note for reader in readers.values() for note in reader.notes)
    told = [*kinds, *(_times(each, many) for each, many in notes.items())]
    settings = {} if choices.logprobs is None else {"logprobs": choices.logprobs}
    evals = Evals.of(attempts, told, settings)
    _check_unique(evals, files, ends)
    return evals.with_unparsed_wrong() if choices.unparsed == "wrong" else evals


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector: rows make many objects and no cycles, and it visits them all."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if wanted:
            gc.enable()


def _check_unique(evals: Evals, files: Sequence[Path], ends: Sequence[int]) -> None:
    """Refuse a log that is read twice, or that repeats an attempt."""
    every = evals.frame.select(KEY).with_row_index("row")
    used = every.filter(evals.frame["aside"].is_null())
    if not used.select(KEY).is_duplicated().any():
        return
    first: dict[tuple[object, ...], int] = {}
    for row, *names in used.iter_rows():
        key = tuple(names)
        if key in first:
            raise _twice(key, (first[key], row), files, ends)
        first[key] = row


def _twice(
    key: tuple[object, ...], rows: tuple[int, int], files: Sequence[Path], ends: Sequence[int]
) -> FileError:
    """The error for an attempt that occurs in two rows."""
    model, task, question, epoch = map(printable, map(str, key))
    places, begins = [bisect_right(ends, row) for row in rows], [0, *ends]
    where = " and ".join(
        f"{file_name(files[place])}, attempt {row - begins[place] + 1}"
        for place, row in zip(places, rows, strict=True)
    )
    advice = (
        "Read one of these logs, or name their models in a column or folder."
        if places[0] != places[1]
        else "Number repeated attempts by epoch, and give each question one group."
    )
    return FileError(
        f"{where}: epoch {epoch} of {model} at question {question[:60]} of {task} occurs twice. "
        f"{advice}"
    )


def _check_one_of(name: str, value: str | None, known: Sequence[str | None]) -> None:
    if value not in known:
        words = " or ".join(each for each in known if each is not None)
        raise ParameterError(f"{option(name)} must be {words}, but it is {value!r}.")


def _with_group(choices: Choices) -> dict[str, str]:
    """The columns of tables; `group` names one of them as well."""
    return dict(choices.columns) | ({} if choices.group is None else {"group": choices.group})


def _check_used(choices: Choices, found: Mapping[str, int]) -> None:
    """Refuse a choice that none of the formats can follow."""
    for name, formats in USERS.items():
        if getattr(choices, name) and not any(found[each] for each in formats):
            read = ", ".join(each for each, many in found.items() if many)
            raise ParameterError(
                f"{option(name)} is for the formats {', '.join(formats)}; these logs are: {read}."
            )


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
    formats = {recognised(each): each.relative_to(path) for each in reversed(logs)}
    if len(formats) > 1:
        some = ", ".join(f"{name} in {printable(str(formats[name]))}" for name in sorted(formats))
        raise FileError(
            f"{path} contains logs of several formats ({some}): name the files of one of them."
        )
    return logs


def _is_log(path: Path) -> bool:
    try:
        recognised(path)
    except NotALogError:
        return False
    return True


def recognised(path: Path) -> str:
    """The format of a file, by its name and its first line."""
    if NAME.match(path.name):
        return "lm-eval"
    if WRITTEN_OUT.match(path.name):
        return "write-out"
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
        first = next((line for line in byte_lines(path) if line.strip()), b"")
        if not first:
            raise FileError(f"{file_name(path)} is empty.")
        row = parsed(first, f"{file_name(path)}, line 1")
        found = [name for name, fits in LINES.items() if isinstance(row, dict) and fits(row)]
        return found[0] if found else "table"
    if kind is not None:
        return "table"
    raise NotALogError(
        f"{file_name(path)}: not a log that can be read. Known: "
        + ", ".join(f"{name} ({what})" for name, what in FORMATS.items())
        + "."
    )
