"""Files of pairs: CSV, TSV, JSON lines and Parquet, plain or gzipped.

A row that breaks a rule is reported with file, line, column and value, and nothing is scored.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from calibrant.checks.arrays import advice, label_advice
from calibrant.errors import FileError, InputError
from calibrant.pairs import Pairs
from calibrant.tables.columns import Given, choose_columns
from calibrant.tables.sources import Source, open_source

if TYPE_CHECKING:
    import polars

RULES = {
    "y": "0 or 1",
    "q": "a number in [0, 1]",
    "weight": "a positive number",
    "group": "a label",
    "yes": "a whole number of at least 0",
    "draws": "a whole number of at least 2",
}
Note = Callable[[str], None]


def pairs_from_file(
    path: str | Path,
    given: Given,
    format: str | None = None,
    note: Note | None = None,
) -> Pairs:
    """Read pairs; `note` is told which columns were used."""
    source = open_source(path, format)
    names = _names(source)
    try:
        columns = choose_columns(names, given, source.name)
    except InputError as error:
        raise FileError(f"{error}{_header_hint(source, names)}") from error
    if note is not None:
        note(f"{source.name}: {columns}")
    frame = _frame(source, list(columns.roles().values()))
    if frame.height == 0:
        raise FileError(f"{source.name} has column names but no rows.")
    values = {
        role: _checked(frame[name], role, name, source) for role, name in columns.roles().items()
    }
    if columns.yes is not None:
        _check_counts(values["yes"], values.get("draws", columns.draws), columns.yes, source)
    return columns.pairs({role: series.to_numpy() for role, series in values.items()})


def _check_counts(
    yes: "polars.Series", draws: "polars.Series | str | int | None", name: str, source: Source
) -> None:
    """No row has more yes than draws."""
    bad = yes > draws
    if bad.any():
        index = int(bad.arg_max() or 0)
        raise FileError(
            f"{source.name}, {_place(source, index)}, column {name}: yes must not exceed draws, "
            f"but it is {yes[index]:g} ({int(bad.sum())} of {yes.len()} rows are bad)."
        )


def _header_hint(source: Source, names: list[str]) -> str:
    if source.format == "csv" and len(names) == 1 and ";" in names[0]:
        return " The columns seem to be parted by semicolons: write commas or tabs."
    if source.format in ("csv", "tsv") and all(_is_number(name) for name in names):
        return " The first line looks like data: add a line of column names."
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _names(source: Source) -> list[str]:
    import polars

    try:
        if source.format == "parquet":
            return list(polars.read_parquet_schema(io.BytesIO(source.data)))
        if source.format == "jsonl":
            return list(dict.fromkeys(key for _, row in _json_rows(source) for key in row))
        return next(_reader(source))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise FileError(f"{source.name} is not a readable {source.format} file: {error}") from error


def _json_rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, value in _json_lines(source):
        if not isinstance(value, dict):
            raise FileError(f"{source.name}, line {line}: an object {{...}} was expected.")
        yield line, value


def _json_lines(source: Source) -> Iterator[tuple[int, Any]]:
    for line, text in enumerate(_text(source), start=1):
        if text.strip():
            try:
                yield line, json.loads(text)
            except ValueError as error:
                raise FileError(f"{source.name}, line {line}: not JSON: {error}.") from error


def _text(source: Source) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BytesIO(source.data), encoding="utf-8-sig", errors="replace", newline=""
    )


def _separator(source: Source) -> str:
    return "\t" if source.format == "tsv" else ","


def _reader(source: Source) -> Any:  # noqa: ANN401 - csv gives its type no name
    """Rows as Python reads them: a quote opens a CSV field only at its start, in TSV never."""
    if source.format == "tsv":
        return csv.reader(_text(source), delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(_text(source), strict=True)


def column_from_file(path: str | Path, name: str, format: str | None = None) -> NDArray[Any]:
    """One column of a file, as labels."""
    source = open_source(path, format)
    names = _names(source)
    if name not in names:
        raise FileError(
            f"{source.name} has no column {name!r}. Its columns are: {', '.join(names)}."
        )
    found: NDArray[Any] = _frame(source, [name])[name].to_numpy()
    return found.astype(str) if found.dtype.kind == "O" else found


def _frame(source: Source, wanted: list[str]) -> "polars.DataFrame":
    import polars

    if source.format == "parquet":
        return polars.read_parquet(io.BytesIO(source.data), columns=wanted)
    if source.format == "jsonl":
        return _json_frame(source, wanted)
    if source.format == "csv" and b'"' in source.data:
        return _quoted_frame(source, wanted)
    try:
        return polars.read_csv(
            io.BytesIO(source.data),
            separator=_separator(source),
            columns=wanted,
            infer_schema=False,
            encoding="utf8-lossy",
            quote_char=None,
        )
    except polars.exceptions.PolarsError as error:
        _refuse_ragged(source)
        raise FileError(f"{source.name} is not a readable {source.format} file: {error}") from error


def _quoted_frame(source: Source, wanted: list[str]) -> "polars.DataFrame":
    """Read CSV with quotes row by row: faster readers lose rows to a stray quote in a text."""
    import polars

    reader = _reader(source)
    places = {name: k for k, name in reversed(list(enumerate(next(reader)))) if name in wanted}
    values: dict[str, list[str | None]] = {name: [] for name in wanted}
    try:
        for row in reader:
            for name, place in places.items():
                values[name].append(row[place] if place < len(row) else None)
        _refuse_ragged(source)
    except csv.Error as error:
        raise FileError(f"{source.name}, line {reader.line_num}: {error}.") from error
    return polars.DataFrame(values, schema=dict.fromkeys(wanted, polars.String))


def _json_frame(source: Source, wanted: list[str]) -> "polars.DataFrame":
    import polars

    rows: dict[str, list[Any]] = {name: [] for name in wanted}
    for line, value in _json_rows(source):
        for name in wanted:
            rows[name].append(_scalar(value.get(name), source, line, name))
    return polars.DataFrame(
        {name: polars.Series(name, values, dtype=polars.String) for name, values in rows.items()}
    )


def _scalar(value: object, source: Source, line: int, name: str) -> str | None:
    if isinstance(value, list | dict):
        raise FileError(
            f"{source.name}, line {line}, column {name}: {value!r} is not a single value."
        )
    return None if value is None else str(value)


def _refuse_ragged(source: Source) -> None:
    reader = _reader(source)
    expected = len(next(reader))
    for row in reader:
        if len(row) > expected:
            raise FileError(
                f"{source.name}, line {reader.line_num}: {len(row)} fields, but the first line "
                f"names {expected} columns."
            )


def _checked(series: "polars.Series", role: str, name: str, source: Source) -> "polars.Series":
    """The column as numbers (or labels), or an error that names the first bad row."""
    import polars

    if role == "group":
        bad = series.is_null()
        if series.dtype == polars.String:
            bad = bad | (series == "")
            garbled = series.str.contains("\ufffd", literal=True).fill_null(False)
            if garbled.any():
                index = int(garbled.arg_max() or 0)
                raise FileError(
                    f"{source.name}, {_place(source, index)}, column {name}: the label is not "
                    "UTF-8, so different labels might look the same: save the file in UTF-8."
                )
        elif not (series.dtype.is_integer() or series.dtype == polars.Categorical):
            raise FileError(
                f"{source.name}, column {name}: group must hold integers or strings, but the "
                f"column holds {series.dtype} values."
            )
        result = series
    else:
        result = _numbers(series, role, source.name)
        fine = {
            "y": (result == 0) | (result == 1),
            "q": (result >= 0) & (result <= 1) & result.is_not_nan(),
            "weight": (result > 0) & result.is_finite(),
            "yes": (result >= 0) & (result == result.floor()),
            "draws": (result >= 2) & (result == result.floor()),
        }[role]
        bad = ~fine.fill_null(False)
    if not bad.any():
        return result.cast(polars.Int8) if role == "y" else result
    index = int(bad.arg_max() or 0)
    found = series[index]
    shown = "is missing" if found is None or found == "" else f"is {found!r}"
    many = int(bad.sum())
    others = f" ({many} of {series.len()} rows are bad)" if many > 1 else ""
    raise FileError(
        f"{source.name}, {_place(source, index)}, column {name}: {role} must be {RULES[role]}, "
        f"but it {shown}{others}.{_hint(role, result)}"
    )


def _hint(role: str, numbers: "polars.Series") -> str:
    """What the column may hold instead, where all of it is numbers."""
    if role not in ("y", "q") or not numbers.is_finite().fill_null(False).all():
        return ""
    if role == "y":
        return label_advice(set(numbers.unique()))
    return " " + advice(float(numbers.to_numpy().min()), float(numbers.to_numpy().max()))


def _numbers(series: "polars.Series", role: str, place: str) -> "polars.Series":
    import polars

    if series.dtype == polars.String:
        text = series.str.strip_chars()
        if role == "y":
            lower = text.str.to_lowercase()
            text = lower.replace({"true": "1", "false": "0"})
        return text.cast(polars.Float64, strict=False)
    if series.dtype == polars.Boolean or series.dtype.is_integer():
        return series.cast(polars.Float64)
    if series.dtype.is_float():
        return series
    if series.dtype.is_decimal():
        return series.cast(polars.Float64)
    raise FileError(
        f"{place}, column {series.name}: {role} must be {RULES[role]}, but the column holds "
        f"{series.dtype} values."
    )


def _place(source: Source, index: int) -> str:
    """The line of a row; the row, for Parquet."""
    if source.format == "parquet":
        return f"row {index + 1}"
    if source.format == "jsonl":
        return f"line {next(line for k, (line, _) in enumerate(_json_lines(source)) if k == index)}"
    reader = _reader(source)
    for _ in range(index + 2):  # the header is a row too
        next(reader, None)
    return f"line {reader.line_num}"
