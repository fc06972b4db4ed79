"""Columns of files as numbers and labels."""

import math

import polars as pl
import pytest

from calibrant.errors import FileError
from calibrant.tables.checking import Column


def checked(values, role, dtype=None):
    series = pl.Series("c", values, dtype=dtype)
    return Column(series, role, "c", "p.csv", lambda index: f"line {index + 2}").checked()


def test_what_passes():
    assert checked(["1", " true ", "FALSE", "0.0"], "y").to_list() == [1, 1, 0, 0]
    assert checked([True, False], "y").to_list() == [1, 0]
    assert checked(["0", "1e-300", " 1 "], "q").to_list() == [0, 1e-300, 1]
    assert checked(["3", "0"], "yes").to_list() == [3, 0]
    assert checked(["0.5"], "weight").to_list() == [0.5]
    assert checked(["a", " "], "group").to_list() == ["a", " "]
    assert checked([1, 2], "group").to_list() == [1, 2]


BAD = {
    "y": ["2", "yes", "nan", "", None, "0.5"],
    "q": ["1.0000001", "-0.1", "nan", "inf", "x", "", "0,5", None],
    "weight": ["0", "-1", "inf", "nan", "x", ""],
    "yes": ["-1", "0.5", "nan", "inf", "1e300", "²", ""],
    "draws": ["1", "2.5", "nan", "inf", "-inf", "9007199254740992", ""],
    "group": ["", None, "a\ufffd"],
}


@pytest.mark.parametrize(("role", "value"), [(r, v) for r, values in BAD.items() for v in values])
def test_what_is_refused(role, value):
    good = "a" if role == "group" else "1" if role != "draws" else "2"
    with pytest.raises(FileError, match=r"^p\.csv, line 3, column c: "):
        checked([good, value, good], role, pl.String)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_floats_that_are_not_finite(value):
    for role in ("q", "weight", "yes", "draws"):
        with pytest.raises(FileError, match=rf"column c: {role} must be .* but it is {value}"):
            checked([value], role)


def test_long_values_are_shortened():
    with pytest.raises(FileError) as error:
        checked(["9" * 5000], "q")
    assert len(str(error.value)) < 200


def test_counts_and_hints():
    with pytest.raises(FileError, match=r"is '1.5' \(2 of 3 rows are bad\)\. If these are logits"):
        checked(["0.5", "1.5", "-2"], "q")
    with pytest.raises(FileError, match="is missing"):
        checked(["0.5", " "], "q")
    with pytest.raises(FileError, match="the column holds List"):
        checked([[1]], "q")
