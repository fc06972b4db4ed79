"""What a study found: tables that are written as JSON, CSV and Markdown."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrant.checks.files import write_text
from calibrant.results.estimate import Estimate
from calibrant.results.tabular import Tabular, csv_table, markdown_table

Cell = str | int | float | Estimate | None


@dataclass(frozen=True, eq=False, repr=False)
class Section(Tabular):
    """One table of a study: a name for its file, a title, and cells that are numbers or words.

    An estimate is shown as its value and interval; in files of numbers it becomes columns.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    text: str = ""

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        return list(self.header), [[_shown(cell) for cell in row] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row, estimates taken apart."""
        return [
            {key: value for name, cell in zip(self.header, row, strict=True)
             for key, value in _numbers(name, cell).items()}
            for row in self.rows
        ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Study:
    """All that a study found, and the files it wrote."""

    sections: Sequence[Section]
    findings: Sequence[str]
    files: Sequence[Path]


def _shown(cell: Cell) -> str:
    if isinstance(cell, Estimate):
        return f"{cell.text('value')} {cell.interval}".strip()
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return "" if cell is None else str(cell)


def _numbers(name: str, cell: Cell) -> dict[str, Any]:
    if not isinstance(cell, Estimate):
        return {name: cell}
    fields = {"": "value", " low": "low", " high": "high", " plug-in": "plugin"}
    return {name + ending: getattr(cell, field) for ending, field in fields.items()}


def write_report(
    out: Path,
    title: str,
    sections: Sequence[Section],
    figures: Mapping[str, Path],
    facts: Mapping[str, Any],
    findings: Sequence[str],
) -> list[Path]:
    """Write results.json, one CSV per table, and report.md with tables and figures."""
    files = []
    for section in sections:
        records = section.records()
        columns = list(dict.fromkeys(key for record in records for key in record))
        cells = [
            ["" if record.get(key) is None else str(record[key]) for key in columns]
            for record in records
        ]
        path = out / f"{section.name}.csv"
        write_text(path, csv_table(columns, cells) + "\n")
        files.append(path)
    tables = {section.name: section.records() for section in sections}
    found = {**facts, "findings": list(findings), "tables": tables}
    write_text(out / "results.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    write_text(out / "report.md", _markdown(title, sections, figures, facts, findings))
    return [*files, out / "results.json", out / "report.md"]


def _markdown(
    title: str,
    sections: Sequence[Section],
    figures: Mapping[str, Path],
    facts: Mapping[str, Any],
    findings: Sequence[str],
) -> str:
    parts = [f"# {title}"]
    parts.append("\n".join(f"- {sentence}" for sentence in findings))
    parts += [f"![{words}]({path.name})\n\n*{words}*" for words, path in figures.items()]
    for section in sections:
        header, rows = section.table()
        rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
        parts += [f"## {section.title}", section.text, markdown_table(header, rows)]
    parts.append("\n".join(f"- {name}: {value}" for name, value in facts.items()))
    return "\n\n".join(part for part in parts if part) + "\n"
