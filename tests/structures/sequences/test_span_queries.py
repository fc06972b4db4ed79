import numpy as np
import pytest
from enumeration import random_chain

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.spans import Span, spans

TAGS = ["B-PER", "I-PER", "B-LOC", "I-LOC", "O"]
GOLD = [["B-PER", "I-PER", "O", "I-PER"], [], ["O"], ["B-LOC", "B-PER", "I-PER", "B-MISC", "O"]]


@pytest.fixture(scope="module")
def chain():
    return random_chain([len(each) for each in GOLD], TAGS, seed=3)


def test_answers(chain):
    query = HasSpan("PER", floor=0.01)
    places = query.where(chain)
    pairs = cb.ask(chain, GOLD, query)
    np.testing.assert_array_equal(pairs.q, places.q)
    np.testing.assert_array_equal(pairs.group, places.sentence)
    for y, k, a, b in zip(pairs.y, *places[:3], strict=True):
        assert y == (Span(a, b, "PER") in spans(GOLD[k]))
    assert pairs.y.sum() == 3  # those of the gold are all likely enough here
    assert (places.q >= 0.01).all()
    assert set(places.sentence) == {0, 2, 3}


def test_questions_do_not_depend_on_gold(chain):
    blank = [["O"] * len(each) for each in GOLD]
    for floor in (0, 0.001, 0.1):
        one, other = (cb.ask(chain, gold, HasSpan("LOC", floor)) for gold in (GOLD, blank))
        np.testing.assert_array_equal(one.q, other.q)
        np.testing.assert_array_equal(one.group, other.group)
        assert not other.y.any()


def test_documents_are_groups(chain):
    words = tuple(tuple("w" * len(each)) for each in GOLD)
    corpus = Corpus(words, tuple(map(tuple, GOLD)), ("a", "a", "b", "b"))
    pairs = cb.ask(chain, corpus, "HasSpan('PER')")
    sentence = HasSpan("PER").where(chain).sentence
    assert pairs.group.tolist() == ["a" if k < 2 else "b" for k in sentence]


def test_keys_are_the_places(chain):
    query = HasSpan("PER", floor=0.01)
    places, keys = query.where(chain), query.keys(chain)
    assert list(keys) == ["sentence", "begin", "end"]
    for name, column in keys.items():
        np.testing.assert_array_equal(column, getattr(places, name))


def test_a_calibrated_model_is_calibrated():
    chain = random_chain([8] * 300, TAGS, seed=9)
    gold = [draws[0] for draws in chain.sample(1, seed=10)]
    pairs = cb.ask(chain, gold, HasSpan("PER"))
    assert pairs.mean(pairs.y) == pytest.approx(pairs.mean(pairs.q), abs=0.01)
    assert cb.test(pairs).p_value > 0.01


def test_questions_that_cannot_be_asked(chain):
    with pytest.raises(InputError, match=r"no spans of type 'PERS'\. Did you mean 'PER'\?"):
        cb.ask(chain, GOLD, HasSpan("PERS"))
    with pytest.raises(InputError, match=r"It knows LOC, PER"):
        cb.ask(chain, GOLD, HasSpan("zzz"))
    with pytest.raises(InputError, match="at least 1: lower the floor"):
        cb.ask(chain, GOLD, HasSpan("PER", floor=1))
    for floor in (-0.1, 1.5, "a", float("nan"), None):
        with pytest.raises(ParameterError, match="floor must"):
            HasSpan("PER", floor=floor)
    with pytest.raises(ParameterError, match="type must be the name of a type"):
        HasSpan(3)
    words = Chain.from_scores([np.zeros((2, 2))], np.zeros((2, 2)), tags=["N", "V"])
    with pytest.raises(InputError, match="knows no spans: ask TagIs"):
        HasSpan("PER").where(words)
    both = Chain.from_scores([np.zeros((2, 3))], np.zeros((3, 3)), tags=["B-X", "E-X", "L-X"])
    with pytest.raises(InputError, match="of one scheme, but the model has 'E-X' and 'L-X'"):
        HasSpan("X").where(both)
    empty = Chain.from_scores([[]], np.zeros((5, 5)), tags=TAGS)
    with pytest.raises(InputError, match="No sentence has a word"):
        HasSpan("PER").where(empty)
