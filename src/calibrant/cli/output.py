"""Write results to stdout or a file in the requested format; never overwrite an input."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibrant.cli.options import note
from calibrant.errors import FileError, UnknownName
from calibrant.results.tabular import RENDERERS, csv_table, render_table

FORMATS = (*RENDERERS, "json")


def chosen_format(format: str | None) -> str:
    """Return the requested format, or text, even in a pipe."""
    if format is None:
        return "text"
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    return format


def check_figure(path: str | None, *inputs: str) -> None:
    """Refuse a figure path that cannot be written, before computing anything."""
    if path is None:
        return
    from calibrant.plots.files import figure_format

    figure_format(path)
    check_output(path, *inputs)


def check_output(path: str, *inputs: str) -> None:
    """Refuse a path that cannot be written or that is one of the inputs."""
    from calibrant.checks.files import check_writable

    for each in inputs:
        if each != "-" and same_file(path, each):
            raise FileError(
                f"{path} would overwrite an input of this command: choose another name."
            )
    check_writable(path)


def same_file(first: str, second: str) -> bool:
    """Whether two paths lead to the same file, following links."""
    one, other = Path(first), Path(second)
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


def render(
    format: str, table: tuple[list[str], list[list[str]]], records: Sequence[Mapping[str, Any]]
) -> str:
    """Format a table; JSON and CSV show the records with all digits."""
    if format == "json":
        return json.dumps([_plain(record) for record in records], indent=1, ensure_ascii=False)
    if format == "csv":
        header = list(records[0]) if records else table[0]
        return csv_table(header, [[_cell(record[name]) for name in header] for record in records])
    return render_table(format, *table)


def show_record(format: str, header: Mapping[str, str], record: Mapping[str, Any]) -> None:
    """Print one record as a table of one row; the header gives a name to each field."""
    row = [_rounded(value) for value in record.values()]
    print(render(format, (list(header.values()), [row]), [record]))


def _rounded(value: Any) -> str:  # noqa: ANN401 - numbers, names or None
    return f"{value:.4f}" if isinstance(value, float) else _cell(value)


def _plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """Replace infinities by None, which JSON writes as null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }


def _cell(value: Any) -> str:  # noqa: ANN401
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if missing else str(value)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show warnings as single lines on stderr."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        note(str(warning.message))
