"""Tables as text, Markdown, LaTeX, CSV and HTML."""

import pytest

from calibrant.errors import UnknownName
from calibrant.results.tabular import (
    Tabular,
    count_text,
    csv_table,
    html_table,
    latex_table,
    markdown_table,
    render_table,
    text_table,
    without_empty_columns,
)
from calibrant.results.wording import counted, joined

HEADER, ROWS = ["name", "x_1"], [["a&b", "1"], ["<c>", "22"]]


def test_tables_in_every_format():
    assert text_table(HEADER, ROWS) == "name  x_1\na&b     1\n<c>    22"
    assert markdown_table(HEADER, ROWS).splitlines()[1] == "| --- | ---: |"
    assert r"a\&b & 1 \\" in latex_table(HEADER, ROWS)
    assert r"x\_1" in latex_table(HEADER, ROWS)
    assert csv_table(["a,b"], [['say "x"']]) == '"a,b"\n"say ""x"""'
    assert "&lt;c&gt;" in html_table(HEADER, ROWS, note="n")
    assert "<caption>n</caption>" in html_table(HEADER, ROWS, note="n")
    assert "<caption>" not in html_table(HEADER, ROWS)


def test_cells_that_would_break_a_table_are_escaped():
    assert markdown_table(["a|b"], [["c|d"]]).splitlines()[0] == r"| a\|b |"
    latex = latex_table(["a\\b"], [["~^{x}"]])
    assert r"a\textbackslash{}b" in latex
    assert r"\textasciitilde{}\textasciicircum{}\{x\}" in latex


def test_formats_by_name():
    assert render_table("csv", HEADER, ROWS) == csv_table(HEADER, ROWS)
    with pytest.raises(UnknownName, match="There is no format 'html'"):
        render_table("html", HEADER, ROWS)


def test_empty_columns_go():
    rows = [["a", "", "1", ""], ["b", "", "", ""]]
    header, kept = without_empty_columns(["n", "x", "y", "z"], rows, always=["z"])
    assert header == ["n", "y", "z"]
    assert kept == [["a", "1", ""], ["b", "", ""]]


def test_numbers_and_names_in_sentences():
    assert [count_text(n) for n in (3, 1234567.0, 2.5, 1e15)] == [
        "3",
        "1234567",
        "2.5",
        "1000000000000000",
    ]
    assert [counted(n, "pair") for n in (0, 1, 1.0, 1.5, 2)] == [
        "0 pairs",
        "1 pair",
        "1 pair",
        "1.5 pairs",
        "2 pairs",
    ]
    assert [joined(list(names)) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]


class Small(Tabular):
    def table(self):
        return HEADER, ROWS


def test_a_result_that_is_a_table():
    assert str(Small()) == text_table(HEADER, ROWS)
    assert Small().render("md") == markdown_table(HEADER, ROWS)
    assert Small()._repr_html_() == html_table(HEADER, ROWS)
