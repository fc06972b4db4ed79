"""JSON lines."""

import pytest

from calibrant.errors import FileError
from calibrant.tables.jsonl import JsonLines
from calibrant.tables.sources import Source


def table(text):
    return JsonLines(Source("p.jsonl", text.encode("utf-8", "surrogatepass"), "jsonl"))


def test_names_come_from_all_lines():
    assert table('{"y":1}\n\n{"q":0.5,"y":0}').names() == ["y", "q"]


def test_values_become_texts():
    found = table('{"y":true,"q":null}\n{"y":"1"}\n{"y":1e-3,"q":0.1}\n')
    frame = found.frame(["y", "q"])
    assert frame["y"].to_list() == ["True", "1", "0.001"]
    assert frame["q"].to_list() == [None, None, "0.1"]
    assert found.frame(["y"], 1).height == 1


def test_blank_lines_count():
    assert table('\n{"y":1}\n\n\n{"y":0}\n').place(1) == "line 5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"y":1', r"line 1: not JSON: .*"),
        ("[1]", r"line 1: an object \{\.\.\.\} was expected"),
        ('{"y":{"a":1}}', r"line 1, column y: \{'a': 1\} is not a single value"),
        (
            '{"y":' + "[" * 50 + "]" * 50 + "}",
            r"line 1, column y: \[\[\[.*\.\.\..*\]\]\] is not a single",
        ),
        ('{"y":' + "[" * 10**5 + "]" * 10**5 + "}", "line 1: lists or objects are nested too deep"),
        ('{"y":"\\udc80"}', r"line 1, column y: '\\udc80' holds half a character"),
    ],
)
def test_bad_lines(text, message):
    found = table(text)
    with pytest.raises(FileError, match=r"^p\.jsonl, " + message):
        found.frame(found.names())


def test_long_integers_are_kept_as_they_are():
    digits = "7" * 5000
    assert table(f'{{"y":{digits}}}').frame(["y"])["y"].to_list() == [digits]
