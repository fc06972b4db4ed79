import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.errors import InputError
from calibrant.structures.exact_match import span_f1
from calibrant.structures.sequences.reading.corpus import Corpus

MARKED = ("O", "B-A", "I-A", "B-B", "I-B")
pairs_of_tags = st.lists(
    st.lists(st.tuples(st.sampled_from(MARKED), st.sampled_from(MARKED)), min_size=1), min_size=1
)


def starts(tags, k):
    """Whether a span begins here, from the tag and the one before it alone."""
    before = tags[k - 1] if k else "O"
    return tags[k] != "O" and (tags[k][0] == "B" or before[2:] != tags[k][2:])


def is_span(tags, begin, end, kind):
    inside = all(tags[k][2:] == kind for k in range(begin, end))
    whole = not any(starts(tags, k) for k in range(begin + 1, end))
    goes_on = end < len(tags) and tags[end][2:] == kind and not starts(tags, end)
    return inside and starts(tags, begin) and whole and not goes_on


def count(sentences, kind, *which):
    """Count by trying every begin, end and type."""
    return sum(
        all(is_span([pair[w] for pair in each], begin, end, kind) for w in which)
        for each in sentences
        for begin in range(len(each))
        for end in range(begin + 1, len(each) + 1)
    )


@given(pairs_of_tags)
def test_counts_by_brute_force(sentences):
    result = span_f1(*([[p[w] for p in each] for each in sentences] for w in (0, 1)))
    for kind in "AB":
        expected = [count(sentences, kind, *which) for which in ((0,), (1,), (0, 1))]
        one = result.types.get(kind)
        assert ([one.gold, one.predicted, one.right] if one else [0, 0, 0]) == expected
    for name in ("gold", "predicted", "right"):
        assert getattr(result, name) == sum(getattr(x, name) for x in result.types.values())


def test_by_hand():
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O", "B-PER"]]
    said = [["B-PER", "I-PER", "O", "B-PER"], ["B-LOC", "I-LOC", "O"]]
    result = span_f1(gold, said)
    assert (result.gold, result.predicted, result.right) == (4, 3, 1)
    assert (result.precision, result.recall) == (1 / 3, 1 / 4)
    assert result.f1 == pytest.approx(2 / 7)  # 2 · 1/3 · 1/4 / (1/3 + 1/4)
    person = result.types["PER"]
    assert (person.precision, person.recall, person.f1) == (1 / 2, 1 / 2, 1 / 2)
    assert (result.types["LOC"].right, result.types["LOC"].f1) == (0, 0.0)
    assert list(result.types) == ["LOC", "PER"]


def test_schemes_do_not_matter():
    result = span_f1([["B-A", "I-A", "O"]], [["I-A", "I-A", "O"]])
    assert (result.precision, result.recall, result.f1) == (1, 1, 1)


def test_a_share_of_nothing_is_zero():
    nothing = span_f1([["O"]], [["O"]])
    assert (nothing.precision, nothing.recall, nothing.f1, dict(nothing.types)) == (0, 0, 0, {})
    assert span_f1([["O"]], [["B-A"]]).precision == 0
    assert span_f1([["B-A"]], [["O"]]).recall == 0


def test_corpora_and_tables():
    corpus = Corpus((("Ada",),), (("B-PER",),))
    result = span_f1(corpus, corpus)
    assert result.f1 == 1
    assert result.render("csv").splitlines()[1] == "all,1.000,1.000,1.000,1,1,1"


@pytest.mark.parametrize(
    ("gold", "said", "message"),
    [
        ([["O"]], [["O"], ["O"]], "the same sentences, but there are 1 and 2"),
        ([["O"], ["O"]], [["O"], ["O", "O"]], r"sentence 1 \(from 0\) has 1 and 2 tags"),
        (["O", "B-A"], ["O", "B-A"], "gold must be a list of sentences, each a list of tags"),
        ([["O"]], "O", "predicted must be a list of sentences"),
        ([["NN"]], [["NN"]], "tag 0 is 'NN'"),
    ],
)
def test_bad_input(gold, said, message):
    with pytest.raises(InputError, match=message):
        span_f1(gold, said)
