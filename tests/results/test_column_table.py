"""Results that are columns."""

from dataclasses import dataclass

import numpy as np

from calibrant.results.column_table import ColumnTable


@dataclass(frozen=True, repr=False)
class Small(ColumnTable):
    columns_: dict
    signature: str = "small|n=3"

    def columns(self):
        return self.columns_


def rows(**columns):
    return Small({name: np.array(column) for name, column in columns.items()}).table()[1]


def test_whole_numbers_and_fractions():
    assert rows(count=[1, 20], share=[0.25, 1.0]) == [["1", "0.250"], ["20", "1.000"]]


def test_large_values_have_one_decimal_and_unknown_ones_none():
    assert rows(width=[12.345, 0.5], x=[np.nan, 1.0]) == [["12.3", ""], ["0.5", "1.000"]]


def test_narrow_intervals_have_more_decimals():
    low, high = [0.0368, 0.5], [0.0373, 0.5006]
    assert rows(low=low, high=high) == [["0.0368", "0.0373"], ["0.5000", "0.5006"]]


def test_frames_and_printed_forms():
    small = Small({"x": np.array([1, 2])})
    assert small.to_frame()["x"].to_list() == [1, 2]
    assert repr(small) == "<Small small|n=3>\nx\n1\n2"
    assert "<caption>small|n=3</caption>" in small._repr_html_()
