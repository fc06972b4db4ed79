import polars
from hypothesis import given
from hypothesis import strategies as st

from calibrant.pages.texts import Span, as_text, marked_pieces, pieces

SPANS = st.lists(
    st.one_of(st.none(), st.builds(Span, st.integers(-2, 40), st.integers(-2, 40))), max_size=2
)
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=40)


@given(PLAIN, SPANS)
def test_pieces_are_the_text(text, spans):
    found = pieces(text, spans, 100)
    assert "".join(part for part, _ in found) == text
    for part, mark in found:
        if mark:
            span = spans[mark - 1]
            assert part == text[span.begin : span.end]


@given(PLAIN, st.integers(5, 30))
def test_long_texts_say_what_is_missing(text, longest):
    found = "".join(part for part, _ in pieces(text, [], longest))
    if len(text) <= longest:
        assert found == text
    else:
        assert found == f"{text[:longest]}… ({len(text) - longest} more characters)"


def test_what_is_marked_is_kept():
    text = "a" * 5000 + "MARK" + "b" * 5000
    found = pieces(text, [Span(5000, 5004)], 300)
    assert ["MARK", 1] in found
    assert sum(len(part) for part, _ in found) < 400
    assert found[0][0].startswith("(4900 characters) …")


def test_a_parse_is_whole_or_left_out():
    parse = "(S (NP (DT the) (NN dog)) (VP (VB sleeps)))"
    assert marked_pieces({"parse": [parse]}, "parse", 0, 12) == [[parse, 0]]
    left = [[f"({len(parse)} characters left out)", 0]]
    assert marked_pieces({"parse": [parse]}, "parse", 0, 10) == left


def test_spans_that_are_not_there_are_ignored():
    assert pieces("abc", [Span(2, 9), None], 10) == [["abc", 0]]
    assert pieces("abcdef", [Span(0, 4), Span(2, 6)], 10) == [["abcd", 1], ["ef", 0]]


def test_ten_megabytes_are_cut():
    found = pieces("x" * 10_000_000, [], 1000)
    assert len(found) == 1
    assert len(found[0][0]) < 1100


def test_values_of_all_kinds():
    assert as_text(polars.Series([1, 2])) == "1; 2"
    assert as_text([{"a": None}, "b"]) == "a: ; b"
    assert as_text(True) == "True"
