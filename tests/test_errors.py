"""Words that errors share."""

import pytest

from calibrant.errors import command_line, nearest, option, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 語 \U0001f600", "plain ü 語 \U0001f600"),
        ("\x1b[31m\x07\x9b", "\\x1b[31m\\x07\\x9b"),
        ("a\nb\tc\0", "a\\nb\\tc\\x00"),
        ("\u202eabc\u2028", "\\u202eabc\\u2028"),
        ("\ud800", "\\ud800"),
    ],
)
def test_control_characters_are_escaped(text, shown):
    assert printable(text) == shown


def test_parameters_are_called_as_the_reader_writes_them():
    assert option("no_group") == "no_group"
    with command_line():
        assert option("no_group") == "--no-group"
        assert option("y", "...") == "--y ..."
    assert option("y", "...") == "y=..."


def test_the_nearest_name():
    assert nearest("briar", ["Brier", "ECE"]) == "Brier"
    assert nearest("zzz", ["Brier"]) is None
