"""Every kernel against all sequences of a sentence, one by one."""

from itertools import pairwise, product

import numpy as np
import pytest

from calibrant.kernels.sequences.chain import best_few, best_paths, marginals, sample_paths

SHAPES = [(1, 1), (1, 3), (2, 2), (4, 3), (6, 4)]


def potentials(length, tags, scale, seed=0, forbidden=0.0):
    rng = np.random.default_rng([seed, length, tags])
    shapes = ((length, tags), (tags, tags), tags, tags)
    found = [rng.normal(size=shape) * scale for shape in shapes]
    if forbidden:
        found[1][rng.random((tags, tags)) < forbidden] = -np.inf
    return found


def enumerate_all(score, move, first, last):
    """All sequences with their scores, the best first; ties keep the order of tags."""
    length, tags = score.shape
    every = list(product(range(tags), repeat=length))
    value = np.empty(len(every))
    for k, y in enumerate(every):
        moves = sum(move[a, b] for a, b in pairwise(y))
        value[k] = first[y[0]] + last[y[-1]] + score[range(length), y].sum() + moves
    return np.array(every).reshape(len(every), length), value


def wanted(score, move, first, last):
    every, value = enumerate_all(score, move, first, last)
    top = value.max()
    p = np.exp(value - top)
    total = top + np.log(p.sum())
    p /= p.sum()
    length, tags = score.shape
    single, pair = np.zeros((length, tags)), np.zeros((tags, tags))
    for y, mass in zip(every, p, strict=True):
        single[range(length), y] += mass
        np.add.at(pair, (y[:-1], y[1:]), mass)
    return total, single, pair


def run(sentences):
    """The kernel on a batch of sentences that share everything but their scores."""
    _, move, first, last = sentences[0]
    score = np.concatenate([each[0] for each in sentences])
    start = np.concatenate([[0], np.cumsum([each[0].shape[0] for each in sentences])])
    single, pair = np.zeros_like(score), np.zeros_like(move)
    total = np.zeros(len(sentences))
    chosen = np.arange(len(sentences))
    marginals(start, score, move, first, last, chosen, single, pair, total)
    return total, single, pair


@pytest.mark.parametrize("scale", [1.0, 30.0, 500.0])
@pytest.mark.parametrize(("length", "tags"), SHAPES)
def test_marginals_equal_enumeration(length, tags, scale):
    sentence = potentials(length, tags, scale)
    total, single, pair = run([sentence])
    expected = wanted(*sentence)
    assert total[0] == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(single, expected[1], atol=1e-10)
    np.testing.assert_allclose(pair, expected[2], atol=1e-10)


def test_forbidden_moves():
    for seed in range(20):
        sentence = potentials(5, 3, 2.0, seed, forbidden=0.3)
        every = enumerate_all(*sentence)[1]
        total, single, pair = run([sentence])
        if every.max() == -np.inf:
            assert total[0] == -np.inf
            continue
        expected = wanted(*sentence)
        assert total[0] == pytest.approx(expected[0], rel=1e-12)
        np.testing.assert_allclose(single, expected[1], atol=1e-12)
        np.testing.assert_allclose(pair, expected[2], atol=1e-12)


def test_sentences_of_unequal_length_in_one_batch():
    rng = np.random.default_rng(1)
    _, move, first, last = potentials(1, 3, 1.0)
    sentences = [(rng.normal(size=(n, 3)), move, first, last) for n in (3, 1, 0, 6)]
    total, single, pair = run(sentences)
    together, row = np.zeros((3, 3)), 0
    for k, sentence in enumerate(sentences):
        length = sentence[0].shape[0]
        if length == 0:
            assert total[k] == 0
            continue
        expected = wanted(*sentence)
        assert total[k] == pytest.approx(expected[0])
        np.testing.assert_allclose(single[row : row + length], expected[1], atol=1e-12)
        together += expected[2]
        row += length
    np.testing.assert_allclose(pair, together, atol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 500.0])
def test_ten_thousand_tokens(scale):
    score, move, first, last = potentials(10_000, 4, scale)
    total, single, pair = run([(score, move, first, last)])
    assert np.isfinite(total[0])
    np.testing.assert_allclose(single.sum(axis=1), 1, atol=1e-9)
    assert pair.sum() == pytest.approx(9999)


@pytest.mark.parametrize("scale", [1.0, 500.0])
@pytest.mark.parametrize(("length", "tags"), SHAPES)
def test_the_best_are_the_first_of_all(length, tags, scale):
    sentence = potentials(length, tags, scale)
    every, value = enumerate_all(*sentence)
    order = np.argsort(-value, kind="stable")
    count = 7
    path, found = np.zeros((count, length), np.int64), np.zeros(count)
    many = best_few(*sentence, count, path, found)
    assert many == min(count, every.shape[0])
    np.testing.assert_allclose(found[:many], value[order[:many]], rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(path[:many], every[order[:many]])
    one, top = np.zeros(length, np.int64), np.zeros(1)
    best_paths(np.array([0, length]), *sentence, one, top)
    np.testing.assert_array_equal(one, every[order[0]])
    assert top[0] == pytest.approx(value.max())


@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_samples_tend_to_the_marginals(scale):
    sentence = potentials(5, 3, scale)
    draws = 40_000
    path = np.zeros((draws, 5), np.int64)
    assert sample_paths(*sentence, np.random.default_rng(2).random((draws, 5)), path)
    _, single, _ = wanted(*sentence)
    for t in range(5):
        share = np.bincount(path[:, t], minlength=3) / draws
        noise = np.sqrt(single[t] * (1 - single[t]) / draws)
        assert (np.abs(share - single[t]) <= 5 * noise + 1e-9).all()


def test_nothing_is_drawn_where_nothing_is_possible():
    score, move, first, last = potentials(3, 2, 1.0)
    path = np.zeros((1, 3), np.int64)
    assert not sample_paths(score, np.full_like(move, -np.inf), first, last, np.ones((1, 3)), path)
