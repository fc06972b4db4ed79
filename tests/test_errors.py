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
    cases = {
        ("level", ""): ("level", "--level"),
        ("y", "COLUMN"): ("y=COLUMN", "--y COLUMN"),
        ("format", '"csv"'): ('format="csv"', "--from csv"),
        ("repair", "True"): ("repair=True", "--repair"),
        ("group", "False"): ("group=False", "--no-group"),
        ("interval", "None"): ("interval=None", "--interval none"),
        ("fail_above", "0.1"): ("fail_above=0.1", "--fail-above 0.1"),
    }
    for given, (argument, word) in cases.items():
        assert option(*given) == argument
        with command_line():
            assert option(*given) == word


def test_the_nearest_name():
    assert nearest("briar", ["Brier", "ECE"]) == "Brier"
    assert nearest("zzz", ["Brier"]) is None
