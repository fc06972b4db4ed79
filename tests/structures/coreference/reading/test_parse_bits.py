import pytest

from calibrant.errors import FileError
from calibrant.structures.coreference.reading.parse_bits import Bit, read_bits


def read(*bits):
    return read_bits("made.conll", "x", [Bit(k, *each) for k, each in enumerate(bits, 1)])


def test_a_tree_of_bits():
    tree = read(("DT", "(S(NP*"), ("NN", "*)"), ("VBZ", "(VP*))"))
    assert str(tree) == "(S (NP (DT *) (NN *)) (VP (VBZ *)))"


def test_tags_that_are_brackets_or_missing():
    assert read(("(", "(NP*"), ("", "*"), (")", "*)")).tags == ("-LRB-", "X", "-RRB-")


@pytest.mark.parametrize(
    ("bits", "message"),
    [
        ([("NN", "(NP*)"), ("NN", "(NP*)")], "line 2, document 'x': a sentence must have one tree"),
        ([("NN", "(NP*"), ("NN", "*))")], "line 2, document 'x': a bracket is closed that was not"),
        ([("NN", "(NP*")], "line 1, document 'x': the bracket opened here is never closed"),
        ([("NN", "((*))")], r"line 1, document 'x': parse bits must look like .* is '\(\(\*\)\)'"),
        ([("NN", "(S" * 500 + "*" + ")" * 500)], "line 1, .* must not be nested deeper than 400"),
    ],
)
def test_bad_bits(bits, message):
    with pytest.raises(FileError, match=message):
        read(*bits)


def test_long_cells_are_quoted_in_part():
    with pytest.raises(FileError) as caught:
        read(("NN", "(" * 10_000))
    assert len(str(caught.value)) < 300
