"""Write pairs to files that `read` can read back."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant.checks.files import check_writable, replacing
from calibrant.errors import FileError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.tables.showing import shown
from calibrant.tables.sources import SUFFIXES, suffix_format

if TYPE_CHECKING:
    import polars


def frame_of_pairs(pairs: Pairs, keys: Mapping[str, Any] | None = None) -> "polars.DataFrame":
    """Make a frame of pairs: columns that identify each pair, then y, q and group.

    >>> frame_of_pairs(Pairs([1, 0], [0.75, 0.25]), {"query": "TagIs(tag='V')"}).columns
    ['query', 'y', 'q']
    """
    import polars

    if pairs.held is not None or pairs.weight is not None:
        raise UnsupportedError("Pairs with weights or from draws cannot be written.")
    columns = {"y": pairs.y.astype("int8"), "q": pairs.q}
    if pairs.group is not None:
        columns["group"] = pairs.group
    frame = polars.DataFrame(columns)
    told = [
        polars.lit(each).alias(name) if isinstance(each, str) else polars.Series(name, each)
        for name, each in (keys or {}).items()
    ]
    return frame.select(*told, *frame.columns)


def check_table(path: str | Path) -> str:
    """Return the format for a file extension; refuse paths that cannot be written."""
    found = suffix_format(path)
    if found is None or (found == "parquet" and Path(path).suffix.lower() == ".gz"):
        raise FileError(
            f"{path} cannot be written: its name must end in one of {', '.join(SUFFIXES)}; text "
            "formats may also end in .gz."
        )
    check_writable(path)
    return found


def write_pairs(pairs: Pairs, path: str | Path, keys: Mapping[str, Any] | None = None) -> None:
    """Write pairs in the format of the file extension; an error leaves no partial file."""
    check_table(path)
    write_frame(frame_of_pairs(pairs, keys), path)


def write_frame(frame: "polars.DataFrame", path: str | Path) -> None:
    """Write a table in the format of the file extension.

    CSV and TSV have no lists, so columns of lists are left out there.
    """
    import polars

    format = check_table(path)
    if format in ("csv", "tsv"):
        frame = frame.select(~polars.selectors.by_dtype(polars.List))
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
    return frame.write_csv(separator="\t", quote_style="never")  # quotes are not special in TSV


def _refuse_tabs(frame: "polars.DataFrame") -> None:
    """Refuse values with tabs or line breaks, which TSV cannot represent."""
    import polars

    for column in frame.select(polars.col(polars.String)):
        bad = column.str.contains(r"[\t\r\n]").fill_null(False)
        if bad.any():
            raise UnsupportedError(
                f"TSV cannot hold tabs or line breaks, but column {column.name} has "
                f"{shown(column.filter(bad)[0])}. Write CSV, JSON lines or Parquet."
            )
