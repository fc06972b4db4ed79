from typing import NamedTuple

import calibrant as cb
from calibrant.studies.sections import Section


class Inner(NamedTuple):
    p: float


class Row(NamedTuple):
    name: str
    score: object
    nothing: None
    inner: Inner
    shares: dict[str, float]


COLUMNS = {
    "name": "a|b",
    "score": "score",
    "nothing": "none",
    "inner.p": "p",
    "shares": "share, {}",
}
SCORE = cb.score(cb.synthetic.sample(500, seed=1), cb.CalibScore(size=50))
ROW = Row("x|y", SCORE, None, Inner(0.25), {"one": 0.123456, "two": 1.0})


def test_estimates_become_columns_of_numbers():
    section = Section("few", "Few", COLUMNS, [ROW])
    assert section.records() == [
        {
            "a|b": "x|y",
            "score": SCORE.value,
            "score low": SCORE.low,
            "score high": SCORE.high,
            "score plug-in": SCORE.plugin,
            "none": None,
            "p": 0.25,
            "share, one": 0.123456,
            "share, two": 1.0,
        }
    ]


def test_tables_show_estimates_with_their_intervals():
    header, rows = Section("few", "Few", COLUMNS, [ROW]).table()
    assert header == ["a|b", "score", "none", "p", "share, one", "share, two"]
    shown = f"{SCORE.text('value')} {SCORE.interval}"
    assert rows == [["x|y", shown, "", "0.25", "0.1235", "1"]]


def test_a_table_without_rows_has_its_headings():
    section = Section("few", "Few", COLUMNS, [])
    assert section.table() == (list(COLUMNS.values()), [])
    assert section.records() == []


def test_some_columns_are_only_in_the_files():
    section = Section("few", "Few", {"name": "a"}, [ROW], only_files={"score.signature": "how"})
    assert section.table() == (["a"], [["x|y"]])
    assert section.records() == [{"a": "x|y", "how": SCORE.signature}]
