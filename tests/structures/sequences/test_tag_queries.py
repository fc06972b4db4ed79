from itertools import pairwise, product

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair

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


def test_every_tag_pools_the_questions_of_each(chain):
    pairs = cb.ask(chain, GOLD, "EveryTag")
    each = [cb.ask(chain, GOLD, TagIs(tag)) for tag in TAGS]
    np.testing.assert_array_equal(pairs.q.reshape(-1, 3).T, [one.q for one in each])
    np.testing.assert_array_equal(pairs.y.reshape(-1, 3).T, [one.y for one in each])
    np.testing.assert_array_equal(pairs.group, np.repeat(each[0].group, 3))
    assert pairs.y.reshape(-1, 3)[6].tolist() == [0, 0, 0]  # X, which the model does not know


CORPUS = Corpus(
    tuple(tuple("w" * len(each)) for each in GOLD),
    tuple(tuple(each) for each in GOLD),
    ("a", "a", "b", "b"),
)


@pytest.mark.parametrize("query", [TagIs("V"), EveryTag(), TagPair("D", "N")], ids=repr)
def test_documents_are_groups_where_the_corpus_has_them(chain, query):
    plain = cb.ask(chain, GOLD, query)
    pairs = cb.ask(chain, CORPUS, query)
    np.testing.assert_array_equal(pairs.q, plain.q)
    assert pairs.group.tolist() == ["aabb"[k] for k in plain.group]
    given = cb.ask(chain, CORPUS, query, group=[7, 8, 9, 9])
    assert given.group.tolist() == [[7, 8, 9, 9][k] for k in plain.group]
    without = Corpus(CORPUS.words, CORPUS.tags)
    assert cb.ask(chain, without, query) == plain


def test_scores_of_every_tag(chain):
    gold = [tag for each in GOLD for tag in each]
    sentence = np.repeat(np.arange(4), chain.lengths)
    labels = chain.labels()
    assert labels.names == TAGS
    with pytest.raises(InputError, match=r"gold\[6\] is 'X'.* pass posterior.including\(gold\)"):
        cb.ask(labels, gold, cb.LabelIs("N"))
    with pytest.raises(InputError, match=r"pass posterior.labels\(\)"):
        cb.score_classes(chain, GOLD)
    found = cb.score_classes(
        labels.including(gold), gold, cb.Brier(), group=sentence, interval=None
    )
    for tag in TAGS:
        wanted = cb.score(cb.ask(chain, GOLD, TagIs(tag)), cb.Brier(), interval=None)
        assert found.scores[tag].value == pytest.approx(wanted.value)


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
    for gold in (None, "DN", {"a": ["N"]}, 3):
        with pytest.raises(InputError, match="gold must be a corpus or a list of the tags"):
            cb.ask(chain, gold, TagIs("N"))
    with pytest.raises(InputError, match=r"Sentence 0 of gold must be a list of tags, .* 'DNVN'"):
        cb.ask(chain, ["DNVN", *GOLD[1:]], EveryTag())
    with pytest.raises(InputError, match="knows no spans"):
        cb.ask(chain, GOLD, HasSpan("N"))
    single = Chain.from_scores([np.zeros((1, 3))], np.zeros((3, 3)), tags=TAGS)
    with pytest.raises(InputError, match="no neighbours"):
        cb.ask(single, [["N"]], TagPair("N", "V"))
