"""Summaries as files."""

import json

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import FileError, UnsupportedError
from calibrant.tables.summaries import KEY, is_summary, read_summary, write_summary


def made(seed=0, labels="numbers", n=4000):
    rng = np.random.default_rng(seed)
    q = rng.random(n)
    group = rng.integers(0, 60, n)
    if labels == "text":
        group = np.array([f"secret {k}" for k in group])
    return cb.Pairs((rng.random(n) < q).astype(int), q, group=None if labels is None else group)


@pytest.mark.parametrize("labels", [None, "numbers", "text"])
def test_what_is_written_is_read(labels, tmp_path):
    path = tmp_path / "a.parquet"
    written = write_summary(made(labels=labels).compress(bits=8), path, "a test")
    assert is_summary(path)
    found = cb.read(path)
    assert found.folds == written.folds
    for name in ("q", "weight", "group"):
        assert np.array_equal(getattr(found, name), getattr(written, name))
    np.testing.assert_allclose(found.y, written.y, rtol=1e-15)
    assert [each.name for each in tmp_path.iterdir()] == ["a.parquet"]


def test_no_text_is_written(tmp_path):
    path = tmp_path / "a.parquet"
    write_summary(made(labels="text"), path, "a test")
    assert b"secret" not in path.read_bytes()
    assert set(polars.read_parquet(path).dtypes) == {polars.Int64, polars.Float64}


def test_plain_pairs_are_compressed_first(tmp_path):
    write_summary(made(), tmp_path / "a.parquet", "a test")
    assert read_summary(tmp_path / "a.parquet") == made().compress(bits=10)


def test_summaries_add_with_each_other_and_with_rows(tmp_path):
    whole, half = made(n=6000), tmp_path / "half.parquet"
    rows = np.arange(3000)
    write_summary(whole.take(rows).compress(bits=10), half, "the first half")
    rest = whole.take(rows + 3000)
    polars.DataFrame({"y": rest.y, "q": rest.q, "group": rest.group}).write_parquet(
        tmp_path / "rest.parquet"
    )
    found, expected = cb.scan([half, tmp_path / "rest.parquet"]), whole.compress(bits=10)
    for name in ("q", "y", "weight", "group"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-15)
    write_summary(rest.compress(bits=10, folds=64), tmp_path / "other.parquet", "the rest")
    folded = cb.scan([half, tmp_path / "other.parquet"])
    assert folded.folds == 64
    assert folded.n == whole.n


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "row 1: n must be at least 1"),
        ({"positive": 10**6}, "row 1: positive must lie between 0 and n"),
        ({"q": 1.5}, r"row 1: q must lie in \[0, 1\]"),
        ({"square": 0.99}, "row 1: square must lie between q² and q"),
        ({"cross": -1.0}, "row 1: cross must lie between"),
        ({"q": None}, r"row 1: q must lie in \[0, 1\]"),
    ],
)
def test_edited_summaries_are_refused(change, message, tmp_path):
    path = tmp_path / "a.parquet"
    write_summary(made(), path, "a test")
    about = polars.read_parquet_metadata(path)[KEY]
    frame = polars.read_parquet(path)
    first = polars.int_range(polars.len()) == 0
    for name, value in change.items():
        new = polars.when(first).then(polars.lit(value)).otherwise(polars.col(name))
        frame = frame.with_columns(new.alias(name))
    frame.write_parquet(path, metadata={KEY: about})
    with pytest.raises(FileError, match=message):
        cb.read(path)


@pytest.mark.parametrize("about", ["", "[]", "{}", json.dumps({"calibrant": "1"})])
def test_damaged_metadata_are_refused(about, tmp_path):
    path = tmp_path / "a.parquet"
    polars.DataFrame({"n": [1]}).write_parquet(path, metadata={KEY: about})
    with pytest.raises(FileError, match="metadata are damaged: make it again"):
        cb.read(path)


def test_missing_columns_and_wrong_names_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    write_summary(made(), path, "a test")
    about = polars.read_parquet_metadata(path)[KEY]
    polars.read_parquet(path).drop("cross").write_parquet(path, metadata={KEY: about})
    with pytest.raises(FileError, match="a summary without the column cross: make it again"):
        cb.read(path)
    with pytest.raises(FileError, match=r"a summary is Parquet, so end it in .parquet"):
        write_summary(made(), tmp_path / "a.csv", "a test")


def test_importance_weights_are_refused(tmp_path):
    pairs = cb.Pairs([0, 1], [0.25, 0.75], weight=[0.5, 1.5])
    with pytest.raises(UnsupportedError, match="importance weights cannot be written"):
        write_summary(pairs, tmp_path / "a.parquet", "a test")
