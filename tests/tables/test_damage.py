"""Errors of polars, Parquet files that are damaged."""

import os

import polars as pl
import pytest

from calibrant.errors import FileError, command_line
from calibrant.tables.damage import readable
from calibrant.tables.parquet import Parquet
from calibrant.tables.sources import Source

SOURCE = Source("p.parquet", b"PAR1", "parquet")


class PanicException(BaseException):
    """As polars raises where Rust panics."""


@pytest.mark.parametrize(
    "error",
    [PanicException("index 3\nmore"), pl.exceptions.ComputeError("index 3"), OSError("index 3")],
)
def test_errors_become_one_line(error):
    message = r"^p\.parquet is not a readable parquet file: .*index 3"
    with pytest.raises(FileError, match=message), readable(SOURCE):
        raise error


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, ZeroDivisionError, FileError])
def test_other_ends_pass(stop):
    with pytest.raises(stop), readable(SOURCE):
        raise stop


def test_what_is_written_on_stderr_is_kept_back_only_with_an_error(capfd):
    with command_line(), readable(SOURCE):
        os.write(2, b"a note")
    assert capfd.readouterr().err == "a note"
    with pytest.raises(FileError), command_line(), readable(SOURCE):
        os.write(2, b"a panic") and fail()
    assert capfd.readouterr().err == ""


def fail():
    raise PanicException("index 3")


def test_parquet(tmp_path):
    pl.DataFrame({"y": [1, 0], "q": [0.5, 0.25]}).write_parquet(tmp_path / "p.parquet")
    found = Parquet(Source("p.parquet", (tmp_path / "p.parquet").read_bytes(), "parquet"))
    assert found.names() == ["y", "q"]
    assert found.frame(["q"], 1)["q"].to_list() == [0.5]
    assert found.place(1) == "row 2"
