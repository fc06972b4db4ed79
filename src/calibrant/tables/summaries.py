"""Summaries as files: sums of pairs over cells and groups, without text.

A summary is a Parquet file with a row for each cell and group: the number of pairs, how many of
them are positive, and the means of q, q² and q·y. Its metadata says how it was made.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.checks.files import check_writable, replacing
from calibrant.errors import FileError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.rows import Moments, Rows
from calibrant.pairs.summary_size import FINEST, MOST_FOLDS, check_folds
from calibrant.tables.damage import readable
from calibrant.tables.sources import Source
from calibrant.version import __version__

if TYPE_CHECKING:
    import polars

KEY = "calibrant.summary"  # of the metadata
NUMBERS = ("n", "positive", "q", "square", "cross")
ROUNDING = 1e-9  # of means


def write_summary(pairs: Pairs, path: str | Path, made: str) -> Pairs:
    """Write compressed pairs, and return them; `made` says from what they were made.

    Groups with text as labels are folded, so that no text is written.
    """
    import polars

    check_summary(path)
    if not pairs.counted:
        raise UnsupportedError("Pairs with importance weights cannot be written as a summary.")
    if pairs.group is not None and pairs.folds is None and pairs.group.dtype.kind not in "biu":
        pairs = pairs.compress(folds=MOST_FOLDS)
    if pairs.moments is None:
        pairs = pairs.compress(FINEST)
    assert pairs.moments is not None and pairs.weight is not None
    n = np.rint(pairs.weight).astype(np.int64)
    columns = {
        "n": n,
        "positive": np.rint(pairs.y * n).astype(np.int64),
        "q": pairs.q,
        "square": pairs.moments.square,
        "cross": pairs.moments.cross,
    }
    if pairs.group is not None:
        columns["group"] = pairs.group
    about = {"calibrant": __version__, "made": made} | {
        "folds": pairs.folds,
        "folded_from": pairs.folded_from,
    }
    with replacing(path) as temporary:
        polars.DataFrame(columns).write_parquet(temporary, metadata={KEY: json.dumps(about)})
    return pairs


def check_summary(path: str | Path) -> None:
    """Refuse paths to which no summary can be written."""
    if Path(path).suffix.lower() not in (".parquet", ".pq"):
        raise FileError(f"{path} cannot be written: a summary is Parquet, so end it in .parquet.")
    check_writable(path)


def is_summary(path: str | Path) -> bool:
    """Whether a file is a summary; a damaged file is none, and whoever reads it says so."""
    if not Path(path).is_file() or not _starts_as_parquet(path):
        return False
    try:
        return KEY in _metadata(path)
    except FileError:
        return False


def read_summary(path: str | Path) -> Pairs:
    """The pairs of a summary; refuses one that was changed by other means."""
    import polars

    about = _about(path)
    with readable(Source(str(path), b"", "parquet")):
        frame = polars.read_parquet(path)
    missing = [name for name in NUMBERS if name not in frame.columns]
    if missing:
        raise FileError(f"{path} is a summary without the column {missing[0]}: make it again.")
    _check(frame, path)
    n = frame["n"].to_numpy().astype(np.float64)
    rows = Rows(
        y=frame["positive"].to_numpy() / n,
        q=frame["q"].to_numpy(),
        weight=n,
        moments=Moments(frame["square"].to_numpy(), frame["cross"].to_numpy()),
    )
    if "group" in frame.columns:
        rows = rows._replace(
            group=frame["group"].to_numpy(),
            folds=check_folds(about["folds"]),
            folded_from=about["folded_from"],
        )
    return Pairs._of(rows)


def made_from(path: str | Path) -> str:
    """What a summary was made from."""
    return str(_about(path)["made"])


def _about(path: str | Path) -> Mapping[str, Any]:
    try:
        about = json.loads(_metadata(path)[KEY])
        return {name: about[name] for name in ("calibrant", "made", "folds", "folded_from")}
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(
            f"{path} is a summary whose metadata are damaged: make it again."
        ) from error


def _starts_as_parquet(path: str | Path) -> bool:
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


def _metadata(path: str | Path) -> Mapping[str, str]:
    import polars

    with readable(Source(str(path), b"", "parquet")):
        return polars.read_parquet_metadata(path)


def _check(frame: "polars.DataFrame", path: str | Path) -> None:
    """Check that each row can be the mean of pairs."""
    import polars

    n, positive, q, square, cross = (polars.col(name) for name in NUMBERS)
    rate = positive / n
    rules = {
        "n must be at least 1": n >= 1,
        "positive must lie between 0 and n": (positive >= 0) & (positive <= n),
        "q must lie in [0, 1]": q.is_finite() & (q >= 0) & (q <= 1),
        "square must lie between q² and q": _between(square, q * q, q),
        "cross must lie between 0 and q and positive / n": _between(
            cross, polars.lit(0.0), polars.min_horizontal(q, rate)
        ),
    }
    if "group" in frame.columns:
        rules["group must not be missing"] = polars.col("group").is_not_null()
    for rule, holds in rules.items():
        bad = frame.select(bad=~holds.fill_null(False))["bad"]
        if bad.any():
            row = int(bad.arg_max() or 0) + 1
            raise FileError(f"{path}, row {row}: {rule} in a summary. Make it again.")


def _between(value: "polars.Expr", low: "polars.Expr", high: "polars.Expr") -> "polars.Expr":
    return value.is_finite() & (value >= low - ROUNDING) & (value <= high + ROUNDING)
