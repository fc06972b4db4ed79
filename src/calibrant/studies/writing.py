"""Write the folder of a study as a whole, so that old and new files never mix."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from calibrant.checks.files import check_writable
from calibrant.checks.folders import replacing_folder
from calibrant.errors import FileError
from calibrant.plots import save_figure
from calibrant.results.tabular import csv_table, markdown_table
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Draft, Section, Study

RESULTS, REPORT = "results.json", "report.md"
NAMED = 3  # maximum number of files to name in a message


def run_study(folder: str | Path, progress: Progress, look: Callable[[], Draft]) -> Study:
    """Run a study and write its results to a folder.

    A folder that cannot be written is refused before the study begins. The folder is replaced only
    once everything is written: a study that is killed leaves it unchanged.
    """
    check_folder(folder)
    begin = time.perf_counter()
    draft = look()
    seconds = round(time.perf_counter() - begin, 1)
    names = write_study(folder, draft, seconds)
    progress.say(f"{len(names)} files in {folder}, {seconds} s")
    return Study(draft.sections, draft.findings, [Path(folder, name) for name in names])


def check_folder(folder: str | Path) -> None:
    """Refuse a folder that a study cannot replace, or that contains other files."""
    place = Path(os.path.realpath(folder))
    if place == Path.cwd():
        raise FileError(
            f"{folder} is the current folder, which a study cannot replace: name a folder in it."
        )
    if place.exists() and not place.is_dir():
        raise FileError(f"{folder} is a file, but a study writes a folder.")
    if not place.exists():
        check_writable(place)
        return
    check_writable(place.with_name(f".{place.name}.new"))
    others = sorted({each.name for each in place.iterdir()} - _written_before(place))
    if others:
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        raise FileError(
            f"{folder} must be a new folder or the folder of an earlier study, because it is "
            f"replaced as a whole, but it contains {', '.join(others[:NAMED])}{more}."
        )


def _written_before(place: Path) -> set[str]:
    """The files of a study that were written to this folder."""
    try:
        found = json.loads((place / RESULTS).read_text(encoding="utf-8"))
        return {RESULTS, *map(str, found["files"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def write_study(folder: str | Path, draft: Draft, seconds: float) -> list[str]:
    """Write tables, figures and the report; return the names of the files."""
    facts = {**draft.facts, "seconds": seconds}
    with replacing_folder(folder) as fresh:
        texts = {f"{each.name}.csv": _csv(each) for each in draft.sections}
        texts[REPORT] = _markdown(draft, facts)
        pictures = [
            f"{drawn.name}.{ending}" for drawn in draft.figures for ending in ("svg", "png")
        ]
        names = [*texts, RESULTS, *pictures]
        texts[RESULTS] = _json(draft, facts, names)
        for name, text in texts.items():
            (fresh / name).write_text(text, encoding="utf-8")
        for drawn in draft.figures:
            for ending in ("svg", "png"):
                save_figure(drawn.axes, fresh / f"{drawn.name}.{ending}")
    return names


def _csv(section: Section[Any]) -> str:
    records = section.records()
    columns = list(dict.fromkeys(key for record in records for key in record))
    cells = [
        ["" if record.get(key) is None else str(record[key]) for key in columns]
        for record in records
    ]
    return csv_table(columns, cells) + "\n"


def _json(draft: Draft, facts: dict[str, Any], names: list[str]) -> str:
    tables = {section.name: section.records() for section in draft.sections}
    found = {**facts, "files": names, "findings": list(draft.findings), "tables": tables}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _markdown(draft: Draft, facts: dict[str, Any]) -> str:
    parts = [f"# {draft.title}"]
    parts.append("\n".join(f"- {sentence}" for sentence in draft.findings))
    parts += [f"![{each.words}]({each.name}.png)\n\n*{each.words}*" for each in draft.figures]
    for section in draft.sections:
        if section.in_report:
            header, rows = section.table()
            parts += [f"## {section.title}", section.text, markdown_table(header, rows)]
    parts.append("\n".join(f"- {name}: {value}" for name, value in facts.items()))
    return "\n\n".join(part for part in parts if part) + "\n"
