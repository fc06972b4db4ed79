import pytest

from calibrant.errors import FileError
from calibrant.structures.coreference.reading.mention_brackets import bracketed
from calibrant.structures.coreference.reading.rows import Row


def read(*cells):
    rows = [Row(k, "w", cell, "", "", "") for k, cell in enumerate(cells, 1)]
    return [tuple(each) for each in bracketed("made.conll", "x", 7, rows)]


def test_mentions_in_the_order_in_which_they_open():
    assert read("(1|(2)", "-", "1)") == [(7, 0, 3, "1"), (7, 0, 1, "2")]
    assert read("(1(1", "1)", "1)") == [(7, 0, 3, "1"), (7, 0, 2, "1")]  # inner ones close first
    assert read("(1", "(1)", "1)") == [(7, 0, 3, "1"), (7, 1, 2, "1")]
    assert read("(a-b)", "", "_", "*") == [(7, 0, 1, "a-b")]


ODD = ["()", "(", ")", "(0)|", "|", "((0)", "(0))", "(0 1)", "(0)--(1)", "x"]


@pytest.mark.parametrize("cell", ODD)
def test_odd_brackets(cell):
    with pytest.raises(FileError, match=r"^made.conll, line 2, document 'x': brackets of mentions"):
        read("-", cell)


@pytest.mark.parametrize(("cells", "line"), [(("0)(0",), 1), (("(0|1)",), 1), (("(0)", "0)"), 2)])
def test_closed_but_never_opened(cells, line):
    with pytest.raises(FileError, match=f"line {line}, .* closes a mention of entity"):
        read(*cells)


def test_the_innermost_open_mention_is_named():
    with pytest.raises(FileError, match=r"line 2, document 'x': '\(3' opens a mention of entity 3"):
        read("(3", "(3", "-")


def test_thousands_of_brackets_in_a_cell():
    many = 5000
    assert len(read("(1" * many, "1)" * many)) == many
    with pytest.raises(FileError) as caught:
        read("(1" * many + "(")
    assert len(str(caught.value)) < 300
