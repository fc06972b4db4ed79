"""CSV and TSV: quotes, lines, long fields."""

import csv

import pytest

from calibrant.errors import FileError
from calibrant.tables.delimited import Delimited
from calibrant.tables.sources import Source


def table(text, format="csv"):
    return Delimited(Source(f"p.{format}", text.encode(), format))


def test_both_ways_of_reading_agree():
    plain = table("y,q,t\n1,0.5,a\n0,,b\n1\n")
    quoted = table('y,q,t\n1,0.5,"a"\n0,,b\n1\n')
    for rows in (None, 2):
        one, other = (each.frame(["q", "y"], rows) for each in (plain, quoted))
        assert other.columns == ["q", "y"]
        values = [[text or None for text in other[name]] for name in ("q", "y")]
        assert [one[name].to_list() for name in ("q", "y")] == values
        assert one.height == (rows or 3)


def test_places_are_lines_where_rows_end():
    found = table('y,q\n1,"a\nb"\n0,.5\n')
    assert [found.place(index) for index in (0, 1)] == ["line 3", "line 4"]


@pytest.mark.parametrize("quote", ["", '"'])
def test_rows_with_too_many_fields(quote):
    found = table(f"y,q\n{quote}1{quote},2\n1,2,3\n")
    with pytest.raises(FileError, match=r"p.csv, line 3: 3 fields, but the first line names 2"):
        found.frame(["y", "q"])


def test_long_fields_leave_the_limit_of_others_alone():
    before = csv.field_size_limit()
    assert table("y," + "q" * 200_000 + "\n").names() == ["y", "q" * 200_000]
    with pytest.raises(FileError, match="line 2: a quote opens in this row but never closes"):
        table('y,q\n1,"' + "a" * 200_000).frame(["y"])
    assert csv.field_size_limit() == before


def test_hints_about_the_first_line():
    assert "separated by semicolons" in table("y;q\n").header_hint(["y;q"])
    assert "looks like data" in table("").header_hint(["0", "1e-3"])
    assert "is blank" in table("").header_hint([])
    assert table("").header_hint(["y", "1"]) == ""


def test_a_quote_means_nothing_in_tsv():
    assert table('y\tq\n"1\t.5\n', "tsv").frame(["y"])["y"].to_list() == ['"1']
