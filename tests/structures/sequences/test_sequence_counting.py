"""The number of tags, neighbours and spans of sentences, against enumeration and samples."""

from itertools import pairwise

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain
from hypothesis import given
from hypothesis import strategies as st

import calibrant as cb
from calibrant.errors import InputError, UnsupportedError
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.spans import spans

IOB2 = ["O", "B-X", "I-X", "B-Y", "I-Y"]
BIOES = ["E-X", "O", "S-X", "B-X", "I-X"]
NUMBERS = {
    cb.HasSpan("X"): lambda tags: sum(span.type == "X" for span in spans(tags)),
    cb.TagIs("I-X"): lambda tags: tags.count("I-X"),
    cb.TagPair("B-X", "I-X"): lambda tags: list(pairwise(tags)).count(("B-X", "I-X")),
    cb.TagPair("O", "O"): lambda tags: list(pairwise(tags)).count(("O", "O")),
}


def by_enumeration(chain, sentence, number):
    found = np.zeros(int(chain.lengths[sentence]) + 1)
    for path, chance in zip(*all_sequences(chain, sentence), strict=True):
        found[number(named(chain, path))] += chance
    return found


@pytest.mark.parametrize("query", NUMBERS, ids=repr)
@pytest.mark.parametrize("tags", [IOB2, BIOES, ["I-X", "B-X", "O"], ["O", "I-X", "B-X", "NN"]])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_distributions_are_those_of_all_sequences(query, tags, scale):
    if scale > 1:
        chain = random_chain([5, 1], tags, seed=7, scale=scale, forbidden=[("O", "I-X")])
    else:
        chain = random_chain([1, 0, 2, 6], tags, seed=7)
    found = query.tallies(chain)
    spoken = isinstance(query, cb.HasSpan)  # tags of no span count as O
    names = {tag: "O" if spoken and tag == "NN" else tag for tag in tags}

    def number(tags):
        return NUMBERS[query]([names[tag] for tag in tags])

    for k in range(len(chain)):
        mine, true = found.distribution(k), by_enumeration(chain, k, number)
        np.testing.assert_allclose(mine, true[: mine.size], rtol=1e-9, atol=1e-300)
        assert true[mine.size :].sum() < 1e-30
        assert found.best[k] == number(chain.mode[k])
    assert np.isnan(found.gold).all()


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_expected_numbers_are_sums_of_marginals(seed, length):
    chain = random_chain([length], IOB2, seed=seed, scale=3.0)
    tags = cb.TagIs("B-X").tallies(chain)
    assert tags.expected[0] == pytest.approx(chain.marginals[:, 1].sum(), rel=1e-9)
    names = cb.HasSpan("X").tallies(chain)
    every = cb.HasSpan("X", floor=0).where(chain).q.sum()
    assert names.expected[0] == pytest.approx(every, rel=1e-9)
    pairs = cb.TagPair("O", "B-X").tallies(chain)
    expected = chain.pair_marginals("O", "B-X").sum()
    assert pairs.expected[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_long_sentences_agree_with_samples():
    chain = random_chain([60], IOB2, seed=2)
    exact = cb.HasSpan("X").tallies(chain).distribution(0)
    drawn = cb.HowMany(NUMBERS[cb.HasSpan("X")], samples=4000, seed=3).tallies(chain)
    wide = np.zeros(exact.size)
    wide[: drawn.distribution(0).size] = drawn.distribution(0)
    assert np.abs(np.cumsum(wide - exact)).max() < 1.63 / 4000**0.5  # Kolmogorov, 99 %


def test_gold_best_groups_and_columns():
    gold = Corpus((("a", "b"), ("c",)), (("B-X", "I-X"), ("B-X",)), ("one", "two"))
    chain = random_chain([2, 1], IOB2, seed=1)
    found = cb.HasSpan("X").tallies(chain, gold, by={"month": ["May", "June"]})
    assert found.gold.tolist() == [1, 1]
    assert found.group.tolist() == ["one", "two"]
    assert found.asked.tolist() == [2, 1]
    assert list(found.by["month"]) == ["May", "June"]
    assert cb.TagPair("B-X", "I-X").tallies(chain, gold).asked.tolist() == [1, 0]
    assert cb.HasSpan("X").tallies(chain, group=[5, 5]).group.tolist() == [5, 5]
    partly = cb.TagIs("B-X").tallies(chain, [None, ["B-X"]])
    assert partly.labelled.tolist() == [False, True]
    assert partly.group is None


def test_bad_input():
    chain = random_chain([2, 1], IOB2, seed=1)
    with pytest.raises(InputError, match="Sentence 1 has 1 words, but its gold has 2 tags"):
        cb.HasSpan("X").tallies(chain, [None, ["O", "O"]])
    with pytest.raises(InputError, match="no spans of type 'Z'"):
        cb.HasSpan("Z").tallies(chain)
    with pytest.raises(InputError, match="Sentence 0 of gold must be a list of tags, but it is No"):
        cb.ask(chain, [None, ["O"]], cb.TagIs("O"))
    with pytest.raises(UnsupportedError, match="asks about the model's own answers"):
        cb.PredictedSpan().tallies(chain)
