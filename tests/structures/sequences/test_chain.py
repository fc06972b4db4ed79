from itertools import pairwise, product

import numpy as np
import pytest

from calibrant.errors import InputError, ParameterError
from calibrant.structures.sequences.chain import Chain

TAGS = ("D", "N", "V")


def random_chain(lengths=(4, 1, 5), seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    unary = [rng.normal(size=(n, 3)) * scale for n in lengths]
    move, first, last = (rng.normal(size=shape) * scale for shape in ((3, 3), 3, 3))
    return Chain.from_scores(unary, move, first=first, last=last, tags=TAGS)


def every(chain, index):
    """All sequences of a sentence with their probabilities."""
    score = chain.score[chain.start[index] : chain.start[index + 1]]
    paths = list(product(range(3), repeat=score.shape[0]))
    value = np.empty(len(paths))
    for k, y in enumerate(paths):
        moves = sum(chain.move[a, b] for a, b in pairwise(y))
        value[k] = chain.first[y[0]] + chain.last[y[-1]] + score[range(len(y)), y].sum() + moves
    p = np.exp(value - value.max())
    return paths, p / p.sum()


def named(path):
    return [TAGS[code] for code in path]


def test_everything_equals_enumeration():
    chain = random_chain()
    row, together = 0, np.zeros((3, 3))
    for k, length in enumerate(chain.lengths):
        paths, p = every(chain, k)
        single = np.zeros((length, 3))
        for y, mass in zip(paths, p, strict=True):
            single[range(length), y] += mass
            np.add.at(together, (y[:-1], y[1:]), mass)
        np.testing.assert_allclose(chain.marginals[row : row + length], single, atol=1e-12)
        order = np.argsort(-p, kind="stable")
        assert chain.mode[k] == named(paths[order[0]])
        for (found, share), at in zip(chain.kbest(4)[k], order, strict=False):
            assert found == named(paths[at])
            assert share == pytest.approx(p[at])
            assert chain.probability(k, found) == pytest.approx(p[at])
        row += length
    np.testing.assert_allclose(chain.expected_pairs, together, atol=1e-12)


def test_probabilities_of_parts_of_a_sentence():
    chain = random_chain((5,), seed=3)
    paths, p = every(chain, 0)
    for begin in range(4):
        for part in product(range(3), repeat=2):
            wanted = sum(
                mass for y, mass in zip(paths, p, strict=True) if y[begin : begin + 2] == part
            )
            assert chain.probability(0, named(part), begin) == pytest.approx(wanted)
    token = chain.probability(0, ["N"], begin=2)
    assert token == pytest.approx(chain.marginals[2, 1])


def test_samples_are_reproducible_and_tend_to_the_marginals():
    chain = random_chain((4,), seed=5)
    drawn = chain.sample(20_000, seed=1)[0]
    assert drawn == chain.sample(20_000, seed=1)[0]
    for t in range(4):
        share = np.mean([row[t] == "V" for row in drawn])
        assert share == pytest.approx(chain.marginals[t, 2], abs=0.02)


def test_sentences_without_tokens():
    chain = Chain.from_scores([[], np.zeros((2, 3)), np.zeros((0, 3))], np.zeros((3, 3)), tags=TAGS)
    assert chain.lengths.tolist() == [0, 2, 0]
    assert chain.mode == [[], ["D", "D"], []]
    assert chain.log_partition == pytest.approx([0, np.log(9), 0])
    assert chain.kbest(2)[0] == [([], 1.0)]
    assert chain.probability(0, []) == 1
    assert chain.sample(2)[2] == [[], []]


def test_potentials_of_five_hundred():
    chain = random_chain((6,), seed=2, scale=250.0)
    paths, p = every(chain, 0)
    assert np.abs(chain.score).max() > 400
    assert chain.mode[0] == named(paths[int(np.argmax(p))])
    np.testing.assert_allclose(chain.marginals.sum(axis=1), 1, atol=1e-12)


BAD = [
    (([np.zeros((2, 2))], np.zeros((3, 3))), {}, r"unary\[0\] must have a row for each token"),
    (([np.zeros((2, 3))], np.zeros((3, 2))), {}, "move must be a square matrix"),
    (([np.zeros((2, 3))], np.full((3, 3), np.nan)), {}, r"move must hold finite .* move\[0, 0\]"),
    (([np.full((2, 3), np.inf)], np.zeros((3, 3))), {}, r"unary\[0\] must hold finite scores"),
    (
        ([np.full((2, 3), -np.inf)], np.zeros((3, 3))),
        {},
        "No tag sequence is possible for sentence 0",
    ),
    (([], np.zeros((3, 3))), {}, "at least one sentence"),
    (
        ([np.zeros((2, 3))], np.zeros((3, 3))),
        {"tags": ["a", "b"]},
        "each of the 3 tags of move, but there are 2 names",
    ),
    (
        ([np.zeros((2, 3))], np.zeros((3, 3))),
        {"tags": ["a", "b", "a"]},
        "must be distinct, but 'a' occurs",
    ),
    (([np.zeros((2, 3))], np.zeros((3, 3))), {"first": [0.0]}, "first must have 3 scores"),
    (
        ([[[0.0], [0.0, 1.0]]], np.zeros((3, 3))),
        {},
        r"All items of unary\[0\] must have the same length",
    ),
    (([[["a", "b", "c"]]], np.zeros((3, 3))), {}, "must hold numbers"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD)
def test_bad_scores(arguments, options, message):
    with pytest.raises(InputError, match=message):
        Chain.from_scores(*arguments, **options)


def test_questions_that_cannot_be_asked():
    chain = random_chain((3,))
    with pytest.raises(InputError, match=r"no tag 'NN' among 3. Did you mean 'N'\?"):
        chain.probability(0, ["NN"], begin=0)
    with pytest.raises(InputError, match="pass begin for the tags of a part"):
        chain.probability(0, ["N"])
    with pytest.raises(InputError, match="there cannot be 2 tags from token 2 on"):
        chain.probability(0, ["N", "N"], begin=2)
    with pytest.raises(ParameterError, match="sentence must be"):
        chain.probability(1, ["N"])
    with pytest.raises(ParameterError, match="count must be"):
        chain.kbest(0)
