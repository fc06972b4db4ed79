import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.errors import InputError
from calibrant.structures.spans import Span, are_spans, spans, split_tag, types_of

TAGS = ("O", "B-A", "I-A", "B-B", "I-B")
ENDED = ("O", "B-A", "I-A", "E-A", "S-A", "E-B")


def chunk_ends(before, now):
    """The end of a chunk, by conlleval's conditions on the letters and types of two tags."""
    (mark, kind), (next_mark, next_kind) = before, now
    if mark in "ES" or (mark in "BI" and next_mark in "BSO"):
        return True
    return mark != "O" and kind != next_kind


def chunk_begins(before, now):
    (mark, kind), (next_mark, next_kind) = before, now
    if next_mark in "BS" or (mark in "EOS" and next_mark in "IE"):
        return True
    return next_mark != "O" and kind != next_kind


def conlleval(tags):
    """Its reading: the boundaries between neighbours, one by one."""
    parts = [("O", ""), *[(tag[0], tag[2:]) for tag in tags], ("O", "")]
    pairs = list(itertools.pairwise(parts))
    begins = [k for k, pair in enumerate(pairs) if chunk_begins(*pair)]
    ends = [k for k, pair in enumerate(pairs) if chunk_ends(*pair)]
    return [(b, e, tags[b][2:]) for b, e in zip(begins, ends, strict=True)]


@pytest.mark.parametrize("known", [TAGS, ENDED], ids=["IOB", "IOBES"])
def test_every_short_sentence_is_read_as_conlleval_reads_it(known):
    for length in range(6):
        for tags in itertools.product(known, repeat=length):
            assert spans(tags) == conlleval(tags), tags


def test_letters_that_mean_the_same():
    for tags in itertools.product(ENDED, repeat=4):
        other = [tag.replace("E-", "L-").replace("S-", "U-") for tag in tags]
        assert spans(other) == spans(tags)


def test_whether_tags_are_spans():
    assert are_spans(["O", "B-A"])
    assert are_spans(["S-A"])
    assert not are_spans(["O"])
    assert not are_spans(["NN", "O"])
    assert not are_spans([])


@given(st.lists(st.sampled_from(TAGS)))
def test_spans_lie_in_order_and_hold_their_types(tags):
    found = spans(tags)
    covered = [k for span in found for k in range(span.begin, span.end)]
    assert covered == [k for k, tag in enumerate(tags) if tag != "O"]
    assert all({tags[k][2:] for k in range(s.begin, s.end)} == {s.type} for s in found)


def test_a_sentence_by_hand():
    tags = ["B-geo-loc", "I-geo-loc", "B-geo-loc", "I-geo", "O", "I-geo"]
    assert spans(tags) == [
        Span(0, 2, "geo-loc"),
        Span(2, 3, "geo-loc"),
        Span(3, 4, "geo"),
        Span(5, 6, "geo"),
    ]
    assert spans([]) == spans(["O"]) == []
    assert types_of(["O", *tags, "NN"]) == ("geo", "geo-loc")


@pytest.mark.parametrize(
    ("tag", "advice"),
    [
        ("NN", "If NN is a type, write I-NN; if it is a part of speech, there are no spans"),
        ("M-PER", "If M- is of the scheme BMEWO, write I-PER"),
        ("W-PER", "write S-PER"),
        ("E-", "Write a type after the hyphen, such as E-PER"),
        ("B", "Write a type after the hyphen, such as B-PER"),
        ("I-", "Write a type after the hyphen, such as I-PER"),
        ("b-per", "Its mark, before the hyphen, is 'b'"),
        ("", "a tag of spans must be O, or a type after B-, .*, but tag 1 is ''"),
    ],
)
def test_tags_that_write_no_spans(tag, advice):
    assert split_tag(tag) is None
    with pytest.raises(InputError, match=advice):
        spans(["O", tag])


def test_one_string_is_no_list_of_tags():
    with pytest.raises(InputError, match="they are one string, 'OOO'"):
        spans("OOO")


def test_rules_of_conlleval_word_by_word():
    """A span begins and ends as the rules say, for all sequences of five tags."""
    for tags in itertools.product(["B-X", "I-X", "B-Y", "I-Y", "O"], repeat=5):
        begins = [
            t
            for t, tag in enumerate(tags)
            if tag[0] == "B" or (tag[0] == "I" and (t == 0 or tags[t - 1][1:] != tag[1:]))
        ]
        found = spans(tags)
        assert [each.begin for each in found] == begins
        for begin, end, type in found:
            assert all(tag == f"I-{type}" for tag in tags[begin + 1 : end])
            assert end == 5 or tags[end] != f"I-{type}"
