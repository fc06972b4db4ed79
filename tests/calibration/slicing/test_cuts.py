"""Cutting columns into slices."""

import numpy as np
import polars
import pytest

from calibrant.calibration.slicing.cuts import Wanted, as_column, chosen, cut_column
from calibrant.errors import InputError


def cut(values, count=None, weight=None):
    found = cut_column(Wanted("x", count), as_column("x", values), weight)
    return {
        label: np.flatnonzero(found.codes == k).tolist() for k, label in enumerate(found.labels)
    }


def test_categories():
    assert cut(["b", "a", None, "b"]) == {"a": [1], "b": [0, 3], "(missing)": [2]}
    assert cut([True, False, True]) == {"false": [1], "true": [0, 2]}
    assert cut(["b", " ", "b"]) == {"b": [0, 2], "(missing)": [1]}


def test_few_numbers_are_categories_in_their_order():
    assert cut([10, 2, 2, 1.5]) == {"1.5": [3], "2": [1, 2], "10": [0]}
    assert cut(["10", " 2", "2.0", ""]) == {"2": [1, 2], "10": [0], "(missing)": [3]}
    assert cut([1.0, np.nan, 2.0]) == {"1": [0], "2": [2], "(missing)": [1]}


@pytest.mark.parametrize("base", [2**60, 2**63])
def test_large_whole_numbers_are_not_merged(base):
    ids = [base, base + 1, 2**61 + 4096, base]
    expected = {str(base): [0, 3], str(base + 1): [1], str(2**61 + 4096): [2]}
    for given in (ids, [str(each) for each in ids], np.array(ids, np.uint64)):
        assert cut(given) == expected
    assert cut([str(base), None, str(base + 1)])["(missing)"] == [1]


def test_ends_of_large_whole_numbers_differ():
    labels = list(cut([2**60 + k for k in range(100)], 2))
    assert labels == [f"{2**60} to {2**60 + 49}", f"{2**60 + 50} to {2**60 + 99}"]


def test_codes_stay_as_they_are_written():
    assert cut(["007", "7", "7"]) == {"007": [0], "7": [1, 2]}
    assert list(cut([f"{k:02}" for k in range(30)]))[:2] == ["00", "01"]
    huge = [str(10**25), str(10**25 + 1)]
    assert list(cut(huge)) == huge
    assert list(cut(["007", "7", "8", "9"], 2)) == ["7", "8 to 9"]


def test_many_numbers_are_cut_by_quantiles():
    parts = cut(np.arange(100))
    assert list(parts) == ["0 to 24", "25 to 49", "50 to 74", "75 to 99"]
    assert {len(rows) for rows in parts.values()} == {25}
    assert list(cut([str(k) for k in range(100)], 2)) == ["0 to 49", "50 to 99"]


def test_equal_numbers_stay_together():
    assert list(cut([0] * 80 + list(range(1, 21)), 5)) == ["0", "1 to 20"]
    assert list(cut([100] * 80 + list(range(1, 21)), 5)) == ["1 to 20", "100"]


def test_weights_are_rows():
    values, weight = np.arange(30), np.array([1, 4] * 15)
    repeated = np.repeat(values, weight)
    assert list(cut(values, 3, weight.astype(float))) == list(cut(repeated, 3))


def test_ends_have_enough_digits_to_differ():
    labels = list(cut(1 + np.arange(50) / 1e6, 2))
    assert len(set(labels)) == 2
    assert labels[0].split(" to ")[1] != labels[1].split(" to ")[0]


@pytest.mark.parametrize("dtype", [polars.Categorical, polars.String])
def test_types_of_text(dtype):
    series = polars.Series("x", ["b", "a"], dtype=dtype)
    assert cut_column(Wanted("x"), series).labels == ("a", "b")


def test_dates_and_lists_are_categories():
    dates = polars.Series("x", ["2024-01-01", "2024-01-02"]).str.to_date()
    assert cut_column(Wanted("x"), dates).labels == ("2024-01-01", "2024-01-02")
    assert cut_column(Wanted("x"), polars.Series("x", [[1], [2]])).labels == ("[1]", "[2]")
    assert cut([1, "a", 1]) == {"1": [0, 2], "a": [1]}


def test_nothing_but_missing():
    with pytest.raises(InputError, match="same value in all rows"):
        cut([None, None])


def test_names_with_colons_and_stars_are_found_first():
    names = ["a:5", "b*c", "d"]
    assert chosen(["a:5", "b*c", "d:3"], names).singles == (
        Wanted("a:5"),
        Wanted("b*c"),
        Wanted("d", 3),
    )
    choice = chosen(["d*a:5"], names)
    assert str(choice) == "d*a:5"
    assert chosen("d*e", [*names, "e"], crosses=True).crosses == ((Wanted("d"), Wanted("e")),)
