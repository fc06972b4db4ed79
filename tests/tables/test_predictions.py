import polars
import pytest

import calibrant as cb
from calibrant.tables.predictions import (
    every,
    predictions_from_file,
    predictions_from_frame,
    several_predictions_from_file,
)
from calibrant.tables.text_columns import shown_columns

FRAME = polars.DataFrame(
    {
        "gold": [0, 1, 1],
        "prob": [0.2, 0.7, 0.9],
        "other": [0.3, 0.6, 0.8],
        "text": ["a b", "c d", "e f"],
        "begin": [0, 2, 0],
        "end": [1, 3, 1],
        "size": ["3", "4", "5"],
        "query": ["same"] * 3,
        "tags": [["x"], ["y"], []],
    }
)


@pytest.fixture(params=["parquet", "ndjson"])
def path(request, tmp_path):
    found = tmp_path / f"preds.{request.param}"
    getattr(FRAME, f"write_{request.param}")(found)
    return found


def test_columns_beside_pairs(path):
    read = predictions_from_file(path, {}, ["text", "size"])
    assert read.columns.columns == ["text", "size"]
    assert read.pairs == cb.read(path)
    assert read.roles.q == "prob"


def test_all_columns(path):
    assert predictions_from_file(path, {}, every).columns.columns == FRAME.columns


@pytest.mark.parametrize("convert", [polars.DataFrame.clone, polars.DataFrame.to_pandas])
def test_frames(convert):
    frame = FRAME.drop("tags")
    read = predictions_from_frame(convert(frame), {}, ["text"])
    assert read.columns["text"].to_list() == frame["text"].to_list()
    assert read.pairs == cb.read(frame)
    assert read.place(2) == "row 2"


def test_several_models_of_one_file(path):
    one, other = several_predictions_from_file(path, [{"q": "prob"}, {"q": "other"}])
    assert one.columns is other.columns
    assert other.pairs == cb.read(path, q="other")


def test_missing_columns(path):
    with pytest.raises(cb.errors.FileError, match=r"has no column 'txt'. Did you mean text\?"):
        predictions_from_file(path, {}, ["txt"])
    with pytest.raises(cb.errors.InputError, match=r"The frame has no column 'zzz'. Its columns"):
        predictions_from_frame(FRAME, {}, ["zzz"])


def test_columns_of_text_and_the_places_in_them():
    read = predictions_from_frame(FRAME, {}, every)
    assert shown_columns(read, None).columns == ["text", "tags", "begin", "end"]
    assert shown_columns(read, ["size", "text"]).columns == ["size", "text", "begin", "end"]
    assert shown_columns(read, ["size"]).columns == ["size"]
    assert shown_columns(read, ()).columns == []
