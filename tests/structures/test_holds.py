from functools import partial

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.holds import Holds
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import TagIs
from calibrant.structures.spans import Span, spans

TAGS = ["B-X", "I-X", "O"]
GOLD = [["B-X", "I-X", "O", "O"], ["O"], [], ["O", "I-X", "I-X", "B-X", "O"]]
SAMPLES = 4000


@pytest.fixture(scope="module")
def chain():
    return random_chain([len(each) for each in GOLD], TAGS, seed=4)


def second_is_inside(tags):
    return len(tags) > 1 and tags[1] == "I-X"


def span_in_the_middle(tags):
    return Span(1, 3, "X") in spans(tags)


def has_two_spans(tags):
    return len(spans(tags)) >= 2


def shares(chain, predicate, samples=SAMPLES):
    """The share of draws of each sentence for which the predicate holds."""
    pairs = cb.ask(chain, GOLD, Holds(predicate, samples=samples, seed=5))
    weight = np.bincount(pairs.codes, pairs.weight)
    np.testing.assert_allclose(weight, 1)
    return np.bincount(pairs.codes, pairs.weight * pairs.predicted)


def test_sampled_tends_to_exact(chain):
    tags = cb.ask(chain, GOLD, TagIs("I-X"))
    found = shares(chain, second_is_inside)
    assert found[[0, 3]] == pytest.approx(tags.q[[1, 6]], abs=4 * 0.5 / SAMPLES**0.5)
    assert found[[1, 2]].tolist() == [0, 0]
    places = HasSpan("X", floor=0).where(chain)
    middle = (places.begin == 1) & (places.end == 3)
    found = shares(chain, span_in_the_middle)
    assert found[[0, 3]] == pytest.approx(places.q[middle], abs=4 * 0.5 / SAMPLES**0.5)
    for k, share in enumerate(shares(chain, has_two_spans)):
        exact = sum(
            mass
            for path, mass in zip(*all_sequences(chain, k), strict=True)
            if has_two_spans(named(chain, path))
        )
        assert share == pytest.approx(exact, abs=4 * 0.5 / SAMPLES**0.5)


def test_pairs_know_their_draws_and_groups(chain):
    pairs = cb.ask(chain, GOLD, Holds(has_two_spans, samples=8))
    assert pairs.held is not None
    assert (pairs.n, pairs.groups) == (4, 4)
    assert pairs.y[np.searchsorted(pairs.group, [0, 1, 2, 3])].tolist() == [0, 0, 0, 1]
    words = tuple(tuple("w" * len(each)) for each in GOLD)
    corpus = Corpus(words, tuple(map(tuple, GOLD)), ("a", "a", "b", "b"))
    assert cb.ask(chain, corpus, Holds(has_two_spans)).groups == 2
    assert cb.ask(chain, corpus, Holds(has_two_spans), group=[0, 1, 2, 2]).groups == 3
    same = [cb.ask(chain, GOLD, Holds(has_two_spans, seed=2)) for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != cb.ask(chain, GOLD, Holds(has_two_spans, seed=3))


def test_predicates_are_given_lists_of_tags(chain):
    kinds = set()

    def note(tags):
        kinds.add(type(tags))
        return np.bool_(True)

    cb.ask(chain, tuple(map(tuple, GOLD)), Holds(note, samples=2))
    assert kinds == {list}


def test_printed_forms():
    assert repr(Holds(has_two_spans)) == "Holds(has_two_spans)"
    assert (
        repr(Holds(has_two_spans, samples=7, seed=1)) == "Holds(has_two_spans, samples=7, seed=1)"
    )
    assert Holds(has_two_spans).spelled() == "Holds(has_two_spans, samples=100, seed=0)"
    assert repr(Holds(partial(has_two_spans))) == "Holds(partial)"
    assert Holds(has_two_spans) == Holds(has_two_spans)


class Coins:
    """A posterior of another kind: whole numbers, drawn."""

    def __len__(self):
        return 2

    def sample(self, count=1, seed=0):
        return np.random.default_rng(seed).integers(0, 2, (2, count)).tolist()


def test_any_posterior_that_draws_structures():
    pairs = Holds(lambda coin: coin == 1, samples=1000).pairs(Coins(), [[1], [0]])
    assert pairs.n == 2
    with pytest.raises(InputError, match="one structure for each of the 2 items, but it has 1"):
        Holds(bool).pairs(Coins(), [[1]])


def test_what_cannot_be_asked(chain):
    with pytest.raises(InputError, match=r"must return True or False, .* sentence 0, .*returned 2"):
        cb.ask(chain, GOLD, Holds(lambda tags: 2))
    with pytest.raises(InputError, match="returned None"):
        cb.ask(chain, GOLD, Holds(lambda tags: None))
    with pytest.raises(IndexError) as caught:
        cb.ask(chain, GOLD, Holds(lambda tags: tags[0] == "O"))
    assert caught.value.__notes__ == ["Holds(<lambda>) failed on sentence 2: []"]
    with pytest.raises(ParameterError, match="samples must be a whole number of at least 2"):
        Holds(has_two_spans, samples=1)
    with pytest.raises(ParameterError, match="predicate must be a function"):
        Holds("PER")
    with pytest.raises(ParameterError, match="asks about whole structures"):
        cb.ask(cb.Labels([[0.5, 0.5]]), [0], Holds(has_two_spans))
    with pytest.raises(InputError, match="4 sentences, but gold has 1"):
        cb.ask(chain, GOLD[:1], Holds(has_two_spans))
    single = Chain.from_scores([np.zeros((1, 3))], np.zeros((3, 3)), tags=TAGS)
    with pytest.raises(InputError, match="one label for the only sentence"):
        cb.ask(single, [["O"]], Holds(has_two_spans), group=[1, 2])
