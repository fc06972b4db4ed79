"""Frames of several libraries."""

import polars as pl
import pytest

import calibrant as cb
from calibrant.errors import InputError

FRAME = pl.DataFrame(
    {
        "gold": ["Paris", "Rome", "Oslo"],
        "correct": [True, False, True],
        "prediction": [1, 0, 1],
        "confidence": [0.9, 0.2, 0.7],
    }
)


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow"])
def test_contents_decide_between_columns(kind):
    frame = {
        "polars": lambda: FRAME,
        "lazy": FRAME.lazy,
        "pandas": FRAME.to_pandas,
        "pyarrow": FRAME.to_arrow,
    }[kind]()
    assert cb.read(frame) == cb.Pairs([1, 0, 1], [0.9, 0.2, 0.7])


def test_two_that_fit_are_asked_about():
    frame = FRAME.with_columns(score=pl.col("confidence"))
    with pytest.raises(
        InputError, match=r"The frame: .* It could be confidence or score.*q=COLUMN"
    ):
        cb.read(frame)
    assert cb.read(frame, q="score").q.tolist() == [0.9, 0.2, 0.7]


def test_draws():
    frame = pl.DataFrame({"y": [1, 0], "yes": [3, 1], "draws": [5, 4]})
    assert cb.read(frame) == cb.Pairs.from_draws([1, 0], [3, 1], [5, 4])
    assert cb.read(frame, yes="yes", draws=5) == cb.Pairs.from_draws([1, 0], [3, 1], 5)


def test_what_is_not_a_frame():
    with pytest.raises(InputError, match="A path or a data frame was expected, not int"):
        cb.read(3)


def test_columns_of_one_name():
    table = FRAME.to_pandas()
    table.columns = ["confidence"] * len(table.columns)
    for frame in (table, FRAME.to_arrow().rename_columns(list(table.columns))):
        with pytest.raises(InputError, match="several columns of one name"):
            cb.read(frame)
        with pytest.raises(InputError, match="several columns of one name"):
            cb.score(frame)
