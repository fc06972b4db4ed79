from itertools import product

import pytest

from calibrant.spans import Span, spans


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("", []),
        ("O O", []),
        ("B-X", [(0, 1, "X")]),
        ("B-X I-X O I-X", [(0, 2, "X"), (3, 4, "X")]),
        ("B-X B-X I-X", [(0, 1, "X"), (1, 3, "X")]),
        ("I-X I-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),
        ("B-X I-Y I-X", [(0, 1, "X"), (1, 2, "Y"), (2, 3, "X")]),
        ("B-geo-loc I-geo-loc", [(0, 2, "geo-loc")]),
        ("B I X-Y B- o", []),
    ],
)
def test_readings(tags, wanted):
    assert spans(tags.split()) == [Span(*each) for each in wanted]


def test_rules_of_conlleval_word_by_word():
    """A span begins and ends as the rules say, for all sequences of five tags."""
    for tags in product(["B-X", "I-X", "B-Y", "I-Y", "O"], repeat=5):
        begins = [
            t for t, tag in enumerate(tags)
            if tag[0] == "B" or (tag[0] == "I" and (t == 0 or tags[t - 1][1:] != tag[1:]))
        ]  # fmt: skip
        found = spans(tags)
        assert [each.begin for each in found] == begins
        for begin, end, type in found:
            assert all(tag == f"I-{type}" for tag in tags[begin + 1 : end])
            assert end == 5 or tags[end] != f"I-{type}"
