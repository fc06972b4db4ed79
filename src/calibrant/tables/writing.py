"""Pairs as files that `read` reads back."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.checks.files import check_writable, replacing
from calibrant.errors import FileError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.tables.showing import shown
from calibrant.tables.sources import SUFFIXES, suffix_format

if TYPE_CHECKING:
    import polars


def frame_of_pairs(asked: Mapping[str, Pairs]) -> "polars.DataFrame":
    """The pairs of queries: columns y, q and group, and `query` where there are several queries.

    >>> frame_of_pairs({"TagIs(tag='V')": Pairs([1, 0], [0.75, 0.25])}).columns
    ['y', 'q']
    """
    import polars

    frames = []
    for query, pairs in asked.items():
        if pairs.held is not None or pairs.weight is not None:
            raise UnsupportedError("Pairs with weights or from draws cannot be written.")
        named = {"query": [query] * len(pairs)} if len(asked) > 1 else {}
        columns = {**named, "y": pairs.y.astype("int8"), "q": pairs.q}
        if pairs.group is not None:
            columns["group"] = pairs.group
        frames.append(polars.DataFrame(columns))
    return polars.concat(frames)


def check_table(path: str | Path) -> str:
    """The format that the ending of a name stands for; refuse names that cannot be written."""
    found = suffix_format(path)
    if found is None or (found == "parquet" and Path(path).suffix.lower() == ".gz"):
        raise FileError(
            f"{path} cannot be written: its name must end in one of {', '.join(SUFFIXES)}. All "
            "but Parquet may be followed by .gz."
        )
    check_writable(path)
    return found


def write_pairs(asked: Mapping[str, Pairs], path: str | Path) -> None:
    """Write pairs in the format that the ending of the name stands for, whole or not at all."""
    format, frame = check_table(path), frame_of_pairs(asked)
    with replacing(path) as temporary:
        if format == "parquet":
            frame.write_parquet(temporary)
            return
        data = table_text(frame, format).encode()
        packed = Path(path).suffix.lower() == ".gz"
        temporary.write_bytes(gzip.compress(data, mtime=0) if packed else data)


def table_text(frame: "polars.DataFrame", format: str) -> str:
    """A frame as "csv", "tsv" or "jsonl"."""
    if format == "jsonl":
        return frame.write_ndjson()
    if format == "csv":
        return frame.write_csv()
    _refuse_tabs(frame)
    return frame.write_csv(separator="\t", quote_style="never")  # quotes mean nothing in TSV


def _refuse_tabs(frame: "polars.DataFrame") -> None:
    """TSV has no way to write tabs and ends of lines within a value."""
    import polars

    for column in frame.select(polars.col(polars.String)):
        bad = column.str.contains(r"[\t\r\n]").fill_null(False)
        if bad.any():
            raise UnsupportedError(
                f"TSV cannot hold tabs or line breaks, but column {column.name} has "
                f"{shown(column.filter(bad)[0])}. Write CSV, JSON lines or Parquet."
            )
