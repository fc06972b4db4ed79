"""Spans against all sequences of short sentences, and in long ones."""

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain

from calibrant.kernels.sequences.spans import given_spans, spans_of
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.span_queries import HasSpan, span_columns
from calibrant.structures.spans import spans

TWO = ["B-X", "I-X", "B-Y", "I-Y", "O"]
SCHEMES = {
    "BIO of two types": (TWO, ()),
    "no I after O": (TWO, [("O", "I-X"), ("O", "I-Y")]),
    "IO": (["I-X", "O", "I-Y"], ()),
    "one B without I": (["B-X", "O", "I-Y"], ()),
    "nothing outside": (["I-X", "B-X"], ()),
    "inside alone": (["I-X"], ()),
    "BIOES": (["B-X", "I-X", "E-X", "S-X", "O"], ()),
    "BILUO": (["U-X", "L-X", "O", "I-X", "B-X"], [("O", "I-X"), ("O", "L-X")]),
    "ends and singles alone": (["E-X", "S-X", "O", "I-Y"], ()),
    "no inside": (["B-X", "E-X", "O"], ()),
}


def by_enumeration(chain, type):
    """The probability of every span of a type."""
    found = {}
    for k in range(len(chain)):
        for path, mass in zip(*all_sequences(chain, k), strict=True):
            for begin, end, its in spans(named(chain, path)):
                if its == type:
                    found[k, begin, end] = found.get((k, begin, end), 0.0) + mass
    return found


def as_dict(places):
    return {(k, a, b): q for k, a, b, q in zip(*(each.tolist() for each in places), strict=True)}


@pytest.mark.parametrize("scale", [0.5, 3.0, 200.0])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_equal_enumeration(scheme, scale):
    tags, forbidden = SCHEMES[scheme]
    for seed, lengths in enumerate([(1, 0, 2, 3), (4,), (5,), (6,)]):
        chain = random_chain(lengths, tags, seed, scale, forbidden)
        for type in {tag[2:] for tag in tags if "-" in tag}:
            wanted = by_enumeration(chain, type)
            found = as_dict(HasSpan(type, floor=0).where(chain))
            assert len(found) == sum(n * (n + 1) // 2 for n in lengths)
            for place, q in found.items():
                assert q == pytest.approx(wanted.get(place, 0.0), abs=1e-12)
            likely = as_dict(HasSpan(type, floor=0.01).where(chain))
            assert likely == {place: q for place, q in found.items() if q >= 0.01}


@pytest.mark.parametrize("scale", [0.5, 200.0])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_given_spans_have_the_same_probability(scheme, scale):
    tags, forbidden = SCHEMES[scheme]
    chain = random_chain((9,), tags, 3, scale, forbidden)
    parts = chain.score, chain.move, chain.first, chain.last
    for type in {tag[2:] for tag in tags if "-" in tag}:
        marks = span_columns(type, chain.tags)
        begin, end, q = spans_of(*parts, marks, 0.0)
        order = np.random.default_rng(1).permutation(q.size)[:20]  # any spans, in any order
        found = np.empty(order.size)
        given_spans(*parts, marks, begin[order], end[order], found)
        np.testing.assert_array_equal(found, q[order])


@pytest.mark.parametrize("seed", range(10))
def test_tags_that_are_forbidden_here_and_there(seed):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=(5, 5))
    score[:, :4][rng.random((5, 4)) < 0.5] = -np.inf
    move = rng.normal(size=(5, 5))
    chain = Chain.from_scores([score], move, tags=TWO)
    wanted = by_enumeration(chain, "X")
    for place, q in as_dict(HasSpan("X", floor=0).where(chain)).items():
        assert q == pytest.approx(wanted.get(place, 0.0), abs=1e-12)


def test_the_same_model_in_another_scheme():
    """A model that obeys BIOES has the spans of the IOB2 model whose tags are merged."""
    tags = ["B-X", "I-X", "E-X", "S-X", "O"]
    allowed = {"B-X": "IE", "I-X": "IE", "E-X": "BSO", "S-X": "BSO", "O": "BSO"}
    forbidden = [(a, b) for a in tags for b in tags if b[0] not in allowed[a]]
    chain = random_chain((7, 5), tags, 4, 1.0, forbidden)
    inner = [1, 2]
    first, last = chain.first.copy(), chain.last.copy()
    first[inner], last[[0, 1]] = -np.inf, -np.inf
    chain = Chain(chain.start, chain.score, chain.move, first, last, chain.tags)
    places = HasSpan("X", floor=0).where(chain)
    cover = np.zeros(12)
    for k, a, b, q in zip(*places, strict=True):
        cover[chain.start[k] + a : chain.start[k] + b] += q
    np.testing.assert_allclose(cover, chain.marginals[:, :4].sum(axis=1), atol=1e-12)
    begins = np.zeros(12)
    np.add.at(begins, chain.start[places.sentence] + places.begin, places.q)
    np.testing.assert_allclose(begins, chain.marginals[:, [0, 3]].sum(axis=1), atol=1e-12)


def test_the_product_of_marginals_is_another_number():
    chain = random_chain((6,), TWO, seed=1)
    places = HasSpan("X").where(chain)
    p = chain.marginals
    product = [
        p[a, 0] * p[a + 1 : b, 1].prod() * (1 - p[b, 1] if b < 6 else 1)
        for a, b in zip(places.begin, places.end, strict=True)
    ]
    assert np.abs(places.q - product).max() > 0.1


def test_expected_words_in_spans():
    """Spans do not overlap: together they cover each word as often as it is B or I."""
    chain = random_chain((30, 12), TWO, seed=2)
    places = HasSpan("X", floor=0).where(chain)
    cover = np.zeros(42)
    for k, a, b, q in zip(*places, strict=True):
        cover[chain.start[k] + a : chain.start[k] + b] += q
    np.testing.assert_allclose(cover, chain.marginals[:, :2].sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 250.0])
def test_ten_thousand_tokens(scale):
    rng = np.random.default_rng(5)
    score = (rng.normal(size=(10_000, 3)) * scale).clip(-500, 500)
    move = rng.normal(size=(3, 3)) * min(scale, 5.0)
    move[2, 1] = -np.inf
    chain = Chain.from_scores([score], move, tags=["B-X", "I-X", "O"])
    places = HasSpan("X", floor=1e-9).where(chain)
    cover = np.zeros(10_000)
    for _, a, b, q in zip(*places, strict=True):
        cover[a:b] += q
    np.testing.assert_allclose(cover, chain.marginals[:, :2].sum(axis=1), atol=1e-6)


def test_one_span_of_ten_thousand_words():
    score = np.zeros((10_000, 3))
    score[:, 1] = 400.0
    score[0, 0] = 800.0
    chain = Chain.from_scores([score], np.zeros((3, 3)), tags=["B-X", "I-X", "O"])
    places = HasSpan("X").where(chain)
    assert (places.begin.tolist(), places.end.tolist()) == ([0], [10_000])
    assert places.q[0] == pytest.approx(1)
