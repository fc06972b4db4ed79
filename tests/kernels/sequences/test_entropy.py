import numpy as np
import pytest
from enumeration import all_sequences, random_chain

from calibrant.structures.sequences.chain import Chain


def test_entropy_is_the_mean_of_minus_log_probability():
    chain = random_chain((30,), list("ABCD"), seed=1)
    draws = 2000
    logs = [np.log(chain.probability(0, tags)) for tags in chain.sample(draws, seed=2)[0]]
    noise = np.std(logs) / np.sqrt(draws)
    assert chain.entropy[0] == pytest.approx(-np.mean(logs), abs=4 * noise)


def test_known_entropies():
    even = Chain.from_scores([np.zeros((7, 3)), [], np.zeros((1, 3))], np.zeros((3, 3)))
    assert even.entropy == pytest.approx([7 * np.log(3), 0, np.log(3)])
    alternating = np.where(np.eye(2) > 0, -np.inf, 0.0)
    sure = Chain.from_scores([np.zeros((9, 2))], alternating, first=[0, -np.inf])
    assert sure.entropy.tolist() == [0.0]
    assert Chain.from_scores([np.zeros((4, 1))], np.zeros((1, 1))).entropy.tolist() == [0.0]


@pytest.mark.parametrize("scale", [0.1, 1.0, 250.0])
def test_ten_thousand_tokens(scale):
    """Without moves the entropy is the sum of those of the tokens."""
    rng = np.random.default_rng(3)
    score = (rng.normal(size=(10_000, 4)) * scale).clip(-500, 500)
    chain = Chain.from_scores([score], np.zeros((4, 4)))
    p = np.exp(score - score.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    wanted = -(p * np.log(np.where(p > 0, p, 1))).sum()
    assert chain.entropy[0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_parts_between_certain_tags_add_up(scale):
    """Ten thousand tokens, every fifth of which is certain, with scores up to 500."""
    rng = np.random.default_rng(4)
    move = rng.uniform(-500, 500, size=(3, 3)) * scale
    move[0, 1] = move[2, 2] = -np.inf
    score = rng.uniform(-500, 500, size=(100, 3)) * scale
    score[::5, 1:] = -np.inf
    part = np.tile(score, (100, 1))
    parts = [part[a : a + 6] for a in range(0, 100, 5)]
    chain = Chain.from_scores([part, *parts], move)
    wanted = []
    for k in range(1, 21):
        p = all_sequences(chain, k)[1]
        wanted.append(-(p * np.log(np.where(p > 0, p, 1))).sum())
    np.testing.assert_allclose(chain.entropy[1:], wanted, atol=1e-12)
    # the last tokens, which no certain tag follows, are left out of both
    whole = Chain.from_scores([part[:-4]], move).entropy[0]
    assert whole == pytest.approx(100 * sum(wanted) - wanted[-1], rel=1e-9, abs=1e-9)
