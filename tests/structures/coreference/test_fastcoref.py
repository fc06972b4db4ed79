import numpy as np
import pytest
from clusterings import all_clusterings
from scipy.special import expit, softmax

import calibrant as cb
from calibrant.errors import InputError

MASKED = -10000.0


def coref_logit(count, seed=0, padded=0):
    """As fastcoref makes it: masked on and above the diagonal, 0 for no antecedent, last."""
    size = count + padded
    scores = np.random.default_rng([seed, count]).normal(size=(size, size)).astype(np.float32) * 3
    masked = np.where(np.tril(np.ones((size, size)), -1) > 0, scores, MASKED)
    masked[count:] = MASKED
    return np.concatenate([masked, np.zeros((size, 1))], axis=1).astype(np.float32)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_probabilities_are_the_softmax_of_rows(count):
    logits = coref_logit(count)
    links = cb.Links.from_scores([logits])
    expected = softmax(logits.astype(np.float64), axis=1)
    found = links.antecedents(0)
    np.testing.assert_allclose(np.tril(found, -1), np.tril(expected[:, :count], -1), atol=1e-12)
    np.testing.assert_allclose(np.diag(found), expected[:, -1], atol=1e-12)


def test_pairs_of_mentions_by_enumeration():
    links = cb.Links.from_scores([coref_logit(5, seed=2)])
    entities, p = all_clusterings(links.antecedents(0))
    for i in range(5):
        for j in range(i):
            share = p[entities[:, i] == entities[:, j]].sum()
            assert links.pair_probabilities(0)[i, j] == pytest.approx(share, abs=1e-12)


def test_the_last_column_and_the_diagonal_are_the_same():
    logits = coref_logit(6, seed=1)
    square = logits[:, :6].copy()
    np.fill_diagonal(square, logits[:, 6])
    one, other = cb.Links.from_scores([logits]), cb.Links.from_scores([square])
    np.testing.assert_array_equal(one.probability, other.probability)


def test_padding_of_a_batch_is_refused():
    """The trap: each row of padding would be a mention that is certainly new."""
    logits = coref_logit(4, padded=3)
    with pytest.raises(InputError, match="only masked antecedents, like the rows that pad a batch"):
        cb.Links.from_scores([logits])
    cut = logits[:4, [*range(4), -1]]  # as the message says
    np.testing.assert_array_equal(cut, coref_logit(4, padded=3)[:4, [0, 1, 2, 3, 7]])
    assert len(cb.Links.from_scores([cut]).antecedents(0)) == 4


def test_sigmoids_are_not_a_distribution_over_antecedents():
    """maverick: two antecedents may both be certain, so rows do not sum to 1."""
    scores = np.random.default_rng(0).normal(size=(4, 4)) * 3
    links = np.tril(expit(scores), -1)
    np.fill_diagonal(links, 1 - links.max(axis=1))
    with pytest.raises(InputError, match="a sigmoid of its own, as in maverick"):
        cb.Links.from_probabilities([links])


def test_other_shapes_are_refused():
    with pytest.raises(InputError, match=r"must be square.* \(3, 5\)"):
        cb.Links.from_scores([np.zeros((3, 5))])
