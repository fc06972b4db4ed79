"""The tagger's own answers, against all tag sequences, one by one."""

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.predicted_queries import (
    PredictedSequence,
    PredictedSpan,
    PredictedTag,
)
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.spans import Span, spans

TAGS = ["B-PER", "I-PER", "B-LOC", "I-LOC", "O"]
GOLD = [["B-PER", "I-PER", "O", "I-PER"], [], ["O"], ["B-LOC", "B-PER", "I-PER", "B-MISC", "O"]]
SCHEMES = {
    "IOB2": TAGS,
    "IO": ["I-PER", "I-LOC", "O"],
    "BIOES": ["B-X", "I-X", "E-X", "S-X", "O"],
    "BILUO": ["O", "U-X", "L-X", "I-X", "B-X"],
}
QUERIES = [PredictedTag(), PredictedTag("sequence"), PredictedSpan(), PredictedSequence()]


@pytest.fixture(scope="module")
def chain():
    return random_chain([len(each) for each in GOLD], TAGS, seed=3)


def test_tags(chain):
    pairs = cb.ask(chain, GOLD, PredictedTag())
    codes = chain.marginals.argmax(axis=1)
    said = named(chain, codes)
    true = [tag for each in GOLD for tag in each]
    np.testing.assert_array_equal(pairs.q, chain.marginals.max(axis=1))
    assert pairs.y.tolist() == [a == b for a, b in zip(said, true, strict=True)]
    assert pairs.group.tolist() == [0] * 4 + [2] + [3] * 5
    assert PredictedTag().keys(chain)["tag"].tolist() == said


def test_tags_are_the_top_labels(chain):
    tags = [tag for each in GOLD for tag in each]
    wanted = cb.ask(chain.labels().including(tags), tags, cb.TopLabel())
    found = cb.ask(chain, GOLD, "PredictedTag")
    np.testing.assert_array_equal(found.q, wanted.q)
    np.testing.assert_array_equal(found.y, wanted.y)


def test_tags_of_the_best_sequence():
    """The best sequence may have a tag that is not the most probable one of its word."""
    differing = 0
    for seed in range(20):
        chain = random_chain((4,), ["D", "N", "V"], seed=seed)
        paths, p = all_sequences(chain, 0)
        best = paths[p.argmax()]
        pairs = cb.ask(chain, [named(chain, best)], PredictedTag(by="sequence"))
        wanted = [p[paths[:, t] == code].sum() for t, code in enumerate(best)]
        np.testing.assert_allclose(pairs.q, wanted, rtol=1e-12)
        assert pairs.y.all()
        by_word = cb.ask(chain, [named(chain, best)], PredictedTag())
        assert (by_word.q >= pairs.q).all()
        differing += not by_word.y.all()
    assert differing >= 2


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_equal_enumeration(scheme):
    found = 0
    for seed in range(8):
        chain = random_chain((5, 0, 3), SCHEMES[scheme], seed=seed)
        places = PredictedSpan().where(chain)
        assert list(zip(places.sentence, *places[1:4], strict=True)) == [
            (k, *span) for k, tags in enumerate(chain.mode) for span in spans(tags)
        ]
        for k in (0, 2):
            paths, p = all_sequences(chain, k)
            there = [set(spans(named(chain, path))) for path in paths]
            at = np.flatnonzero(places.sentence == k)
            for row in at:
                span = Span(*(each[row] for each in places[1:4]))
                wanted = sum(x for x, its in zip(p, there, strict=True) if span in its)
                assert places.q[row] == pytest.approx(wanted, rel=1e-11)
        found += places.q.size
    assert found > 10


def test_spans_have_the_probability_of_has_span():
    chain = random_chain([30] * 5, TAGS, seed=2, scale=2.0)
    places = PredictedSpan().where(chain)
    for type in ("PER", "LOC"):
        every = HasSpan(type, floor=0).where(chain)
        q = {tuple(map(int, place)): x for *place, x in zip(*every, strict=True)}
        mine = PredictedSpan(type).where(chain)
        assert set(mine.type) == {type}
        assert mine.q.tolist() == [q[k, a, b] for k, a, b in zip(*mine[:3], strict=True)]
        np.testing.assert_array_equal(places.q[places.type == type], mine.q)


def test_spans_below_the_floor_of_has_span_are_asked_about():
    """A best sequence of many words has little probability, and so may its spans."""
    scores = np.tile([-50.0, 0.01, 0.0], (30, 1))  # I-X is only just better at each word
    chain = Chain.from_scores([scores], np.zeros((3, 3)), tags=["B-X", "I-X", "O"])
    places = PredictedSpan("X").where(chain)
    assert places.q.size == 1
    assert 0 < places.q[0] < 0.001


def test_answers_about_spans(chain):
    query = PredictedSpan()
    places = query.where(chain)
    pairs = cb.ask(chain, GOLD, query)
    wanted = [
        Span(int(a), int(b), str(type)) in spans(GOLD[k])
        for k, a, b, type in zip(*places[:4], strict=True)
    ]
    assert pairs.y.tolist() == wanted
    np.testing.assert_array_equal(pairs.q, places.q)
    np.testing.assert_array_equal(pairs.group, places.sentence)
    right = cb.corpora.span_f1(GOLD, chain.mode)
    assert (pairs.y.sum(), len(pairs)) == (right.right, right.predicted)


def test_sequences(chain):
    pairs = cb.ask(chain, [chain.mode[0], *GOLD[1:]], PredictedSequence())
    assert pairs.group.tolist() == [0, 2, 3]  # the empty sentence is left out
    assert pairs.y.tolist() == [1, chain.mode[2] == ["O"], 0]
    wanted = [all_sequences(chain, k)[1].max() for k in (0, 2, 3)]
    np.testing.assert_allclose(pairs.q, wanted, rtol=1e-12)
    given = [chain.probability(k, chain.mode[k]) for k in (0, 2, 3)]
    np.testing.assert_allclose(pairs.q, given, rtol=1e-12)
    best = [few[0][1] for few in chain.kbest(1)]
    np.testing.assert_allclose(chain.mode_probabilities, best, rtol=1e-12)


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_every_answer_is_the_expected_truth(query):
    """Σ P(gold) · y over all sequences is q: true beliefs have calibrated predictions."""
    for seed in range(5):
        chain = random_chain((4,), ["B-X", "I-X", "O"], seed=seed, scale=1.5)
        paths, p = all_sequences(chain, 0)
        if query == PredictedSpan() and not spans(chain.mode[0]):
            continue
        asked = [cb.ask(chain, [named(chain, path)], query) for path in paths]
        y = sum(x * pairs.y for x, pairs in zip(p, asked, strict=True))
        np.testing.assert_allclose(y, asked[0].q, rtol=1e-11)


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_questions_do_not_depend_on_gold_or_order(query, chain):
    pairs = cb.ask(chain, GOLD, query)
    blank = cb.ask(chain, [["O"] * len(each) for each in GOLD], query)
    np.testing.assert_array_equal(pairs.q, blank.q)
    unary = np.split(chain.score, chain.start[1:-1])
    ends = {"first": chain.first, "last": chain.last, "tags": TAGS}
    turned = Chain.from_scores(unary[::-1], chain.move, **ends)
    other = cb.ask(turned, GOLD[::-1], query, group=[3, 2, 1, 0])
    for k in range(4):
        one, two = (each.group == k for each in (pairs, other))
        np.testing.assert_array_equal(pairs.q[one], other.q[two])
        np.testing.assert_array_equal(pairs.y[one], other.y[two])


@pytest.mark.parametrize("query", QUERIES, ids=repr)
def test_documents_are_groups(query, chain):
    words = tuple(tuple("w" * len(each)) for each in GOLD)
    corpus = Corpus(words, tuple(map(tuple, GOLD)), ("a", "a", "b", "b"))
    plain, pairs = cb.ask(chain, GOLD, query), cb.ask(chain, corpus, query)
    assert pairs.group.tolist() == ["aabb"[k] for k in plain.group]
    assert pairs.y.tolist() == plain.y.tolist()


@pytest.mark.parametrize("names", [["B-X", "I-X", "O"], ["O", "B-X", "I-X"]])
def test_ties_go_to_the_tag_that_is_listed_first(names):
    """Whatever its name; also if rounding makes equal sums differ."""
    even = Chain.from_scores([np.zeros((3, 3))], np.zeros((3, 3)), tags=names)
    for by in ("word", "sequence"):
        assert PredictedTag(by).keys(even)["tag"].tolist() == [names[0]] * 3
    assert even.mode == [[names[0]] * 3]
    noisy = Chain.from_scores([[[1, 1 + 1e-14, -1]], [[1 + 1e-14, 1, -1]]], np.zeros((3, 3)))
    assert np.ptp(noisy.marginals[0, :2]) > 0
    assert PredictedTag().keys(noisy)["tag"].tolist() == ["0", "0"]


def test_tags_that_encode_no_spans_count_as_outside():
    scores = [np.log([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])]
    chain = Chain.from_scores(scores, np.zeros((3, 3)), tags=["B-X", "O", "pad"])
    pairs = cb.ask(chain, [["B-X", "O"]], PredictedSpan())
    assert pairs.q.tolist() == pytest.approx([0.8])


def test_questions_that_cannot_be_asked(chain):
    with pytest.raises(ParameterError, match=r'by must be "word" or "sequence", but it is \'tag\''):
        PredictedTag("tag")
    for type in ("", 3):
        with pytest.raises(ParameterError, match="type must be the name of a type or None"):
            PredictedSpan(type)
    with pytest.raises(InputError, match=r"no spans of type 'PERS'\. Did you mean 'PER'\?"):
        cb.ask(chain, GOLD, PredictedSpan("PERS"))
    words = Chain.from_scores([np.zeros((2, 2))], np.zeros((2, 2)), tags=["N", "V"])
    with pytest.raises(InputError, match="knows no spans"):
        cb.ask(words, [["N", "N"]], PredictedSpan())
    plain = Chain.from_scores([np.zeros((2, 2))], np.zeros((2, 2)), tags=["O", "I-X"])
    with pytest.raises(InputError, match=r"No most probable sequence has a span, .* HasSpan asks"):
        cb.ask(plain, [["O", "O"]], PredictedSpan())
    with pytest.raises(InputError, match="has a span of type 'X'"):
        cb.ask(plain, [["O", "O"]], PredictedSpan("X"))
    empty = Chain.from_scores([[]], np.zeros((5, 5)), tags=TAGS)
    for query in (PredictedTag(), PredictedTag("sequence"), PredictedSequence()):
        with pytest.raises(InputError, match="No sentence has a word"):
            cb.ask(empty, [[]], query)
    with pytest.raises(InputError, match="has a span, so there is nothing"):
        cb.ask(empty, [[]], PredictedSpan())
    with pytest.raises(InputError, match="4 sentences, but gold has 1"):
        cb.ask(chain, GOLD[:1], PredictedSequence())
    with pytest.raises(ParameterError, match="asks about Chain, not about Labels"):
        cb.ask(cb.Labels([[0.5, 0.5]]), [0], PredictedTag())
