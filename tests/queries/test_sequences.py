from itertools import pairwise, product

import numpy as np
import pytest

import calibrant as cb
from calibrant import InputError, ParameterError
from calibrant.corpora import Corpus
from calibrant.posteriors import Chain
from calibrant.queries import TagIs, TagPair

TAGS = ("D", "N", "V")
GOLD = [["D", "N", "V", "N"], ["V"], [], ["N", "X", "N"]]


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(4)
    unary = [rng.normal(size=(len(each), 3)) for each in GOLD]
    return Chain.from_scores(unary, rng.normal(size=(3, 3)), tags=TAGS)


def probabilities(chain, index):
    """All sequences of a sentence with their probabilities."""
    score = chain.score[chain.start[index] : chain.start[index + 1]]
    paths = list(product(range(3), repeat=score.shape[0]))
    value = [
        score[range(len(y)), y].sum() + sum(chain.move[a, b] for a, b in pairwise(y)) for y in paths
    ]
    p = np.exp(value - np.max(value))
    return [[TAGS[code] for code in y] for y in paths], p / p.sum()


def test_tags(chain):
    pairs = cb.ask(chain, GOLD, TagIs("N"))
    assert pairs.y.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]  # X, unknown to the model, is not N
    assert pairs.group.tolist() == [0, 0, 0, 0, 1, 3, 3, 3]
    np.testing.assert_allclose(pairs.q, chain.marginals[:, 1])


def test_neighbours_equal_enumeration(chain):
    pairs = cb.ask(chain, GOLD, "TagPair('N', 'V')")
    wanted, y, group = [], [], []
    for k in (0, 3):
        paths, p = probabilities(chain, k)
        for t in range(len(GOLD[k]) - 1):
            wanted.append(
                sum(m for y_, m in zip(paths, p, strict=True) if y_[t : t + 2] == ["N", "V"])
            )
            y.append(GOLD[k][t : t + 2] == ["N", "V"])
            group.append(k)
    np.testing.assert_allclose(pairs.q, wanted, atol=1e-12)
    assert pairs.y.tolist() == y
    assert pairs.group.tolist() == group


def test_documents_as_groups_and_corpora_as_gold(chain):
    words = tuple(tuple("w" * len(each)) for each in GOLD)
    corpus = Corpus(words, tuple(tuple(each) for each in GOLD), ("a", "a", "b", "b"))
    pairs = cb.ask(chain, corpus, TagIs("V"), group=corpus.documents)
    assert pairs.group.tolist() == ["a"] * 5 + ["b"] * 3


def test_questions_that_cannot_be_asked(chain):
    with pytest.raises(InputError, match=r"no tag 'NN' among 3. Did you mean 'N'\?"):
        cb.ask(chain, GOLD, TagIs("NN"))
    with pytest.raises(InputError, match="4 sentences, but gold has 1 sentences"):
        cb.ask(chain, GOLD[:1], TagIs("N"))
    with pytest.raises(InputError, match="Sentence 1 has 1 words, but its gold has 2 tags"):
        cb.ask(chain, [GOLD[0], ["V", "V"], *GOLD[2:]], TagIs("N"))
    with pytest.raises(InputError, match="one label for each of the 4 sentences"):
        cb.ask(chain, GOLD, TagIs("N"), group=[1, 2])
    with pytest.raises(ParameterError, match="TopLabel asks about Labels, not about Chain"):
        cb.ask(chain, GOLD, cb.TopLabel())
    with pytest.raises(ParameterError, match="asks about Chain, not about Labels"):
        cb.ask(cb.Labels([[0.5, 0.5]]), [0], TagIs("N"))
    single = Chain.from_scores([np.zeros((1, 3))], np.zeros((3, 3)), tags=TAGS)
    with pytest.raises(InputError, match="no neighbours"):
        cb.ask(single, [["N"]], TagPair("N", "V"))
