import numpy as np
import pytest
from clusterings import all_clusterings, random_links

import calibrant as cb
from calibrant import Links
from calibrant.errors import InputError, ParameterError
from calibrant.kernels.coreference.links import count_pairs
from calibrant.structures.coreference.links import clusters_of


@pytest.fixture(scope="module", params=range(1, 9))
def known(request):
    links = random_links((request.param,), seed=4, scale=1.5)
    return links, *all_clusterings(links.antecedents(0))


def test_enumeration_is_a_distribution(known):
    assert known[2].sum() == pytest.approx(1)


def test_pairs_equal_enumeration(known):
    links, entity, p = known
    same = np.einsum("v,vij->ij", p, entity[:, :, None] == entity[:, None, :])
    np.testing.assert_allclose(links.pair_probabilities(0), same, atol=1e-12)
    below = np.tril_indices(entity.shape[1], -1)
    np.testing.assert_allclose(links.pair_rows(0), same[below], atol=1e-12)


def test_singletons_and_new_entities_equal_enumeration(known):
    links, entity, p = known
    new = p @ (entity == np.arange(entity.shape[1]))
    np.testing.assert_allclose(links.new_probabilities(0), new, atol=1e-12)
    assert links.expected_entities == pytest.approx([new.sum()])
    alone = p @ ((entity[:, :, None] == entity[:, None, :]).sum(axis=2) == 1)
    np.testing.assert_allclose(links.singleton_probabilities(0), alone, atol=1e-12)


def test_many_mentions_follow_the_recursion():
    links = random_links((23, 1, 58), seed=1)
    for k, count in enumerate(links.lengths):
        matrix, same = links.antecedents(k), np.eye(count)
        for j in range(count):
            same[j, :j] = same[:j, j] = matrix[j, :j] @ same[:j, :j]
        np.testing.assert_allclose(links.pair_probabilities(k), same, atol=1e-12)


def test_the_mode_takes_the_best_antecedents():
    matrix = [
        [1, 0, 0, 0, 0],
        [0.3, 0.7, 0, 0, 0],
        [0.4, 0.4, 0.2, 0, 0],
        [0.5, 0, 0, 0.5, 0],
        [0, 0, 0.9, 0, 0.1],
    ]
    links = Links.from_probabilities([matrix, [], [[1]]])
    assert links.mode == [[[0], [1, 2, 4], [3]], [], [[0]]]
    assert len(links) == 3
    assert str(links) == "Links(3 documents, 6 mentions)"


def test_samples_are_reproducible_clusterings():
    links = random_links((6, 0, 3), seed=2)
    drawn = links.sample(50, seed=1)
    assert drawn == links.sample(50, seed=1) != links.sample(50, seed=2)
    assert [len(each) for each in drawn] == [50] * 3
    assert all(sorted(m for entity in c for m in entity) == list(range(6)) for c in drawn[0])
    assert drawn[1] == [[]] * 50


def test_sampled_tends_to_exact_at_the_root_rate():
    links = random_links((40,), seed=3)
    exact = links.pair_rows(0)
    below = np.tril_indices(40, -1)
    for count in (100, 1_600, 25_600):
        (entity,) = links.sample_entities(count, seed=5)
        together = np.zeros((40, 40), np.int64)
        count_pairs(entity, together)
        assert (together[below] == [(entity[j] == entity[i]).sum() for j, i in zip(*below)]).all()  # noqa: B905
        error = np.sqrt(np.mean((together[below] / count - exact) ** 2))
        expected = np.sqrt(np.mean(exact * (1 - exact)) / count)
        assert 0.5 * expected < error < 2 * expected


def test_scores_and_probabilities_agree():
    scores = np.array([[0.0, 9, 9], [1, 2, 9], [-np.inf, 3, 1]])
    links = Links.from_scores([scores])
    again = Links.from_probabilities([links.antecedents(0)])
    np.testing.assert_allclose(again.probability, links.probability)
    assert links.antecedents(0)[2, 0] == 0
    assert links.new_probabilities(0)[1] == pytest.approx(1 / (1 + np.exp(-1)))


def test_huge_scores():
    links = random_links((30,), seed=7, scale=500.0)
    same = links.pair_probabilities(0)
    assert ((same >= 0) & (same <= 1 + 1e-12)).all()


def test_clusters_are_in_the_order_of_their_first_mentions():
    assert clusters_of(np.array([5, 3, 5, 1])) == [[0, 2], [1], [3]]


BAD = [
    ([], "at least one document"),
    ([[[1, 0], [0.5, 0.4]]], r"Each row of matrices\[0\] must sum to 1, but row 1 sums to 0.9"),
    ([[[1, 0, 0], [0.5, 0.5, 0]]], r"matrices\[0\] must be square.*\(2, 3\)"),
    ([[[1]], [[0.5, 0.5], [0, 1]]], r"above the diagonal, but matrices\[1\]\[0, 1\] is 0.5"),
    ([[[1, 0], [1.5, -0.5]]], r"probabilities, but matrices\[0\]\[1, 0\] is 1.5 .*from_scores"),
    ([[[np.nan]]], "matrices.*nan"),
]


@pytest.mark.parametrize(("matrices", "message"), BAD)
def test_bad_probabilities(matrices, message):
    with pytest.raises(InputError, match=message):
        Links.from_probabilities(matrices)


def test_what_cannot_be():
    with pytest.raises(InputError, match="Mention 1 of document 0 has no choice"):
        Links.from_scores([[[0, 0], [-np.inf, -np.inf]]])
    links = random_links((3,))
    with pytest.raises(ParameterError, match="document must be"):
        links.pair_probabilities(1)
    with pytest.raises(ParameterError, match="count must be"):
        links.sample(0)
    with pytest.raises(InputError, match="mentions have no classes"):
        cb.score_classes(links, [])


def test_posteriors_are_joined():
    one, other = random_links((3, 0), seed=1), random_links((4,), seed=2)
    both = Links.joined([one, other])
    assert both.lengths.tolist() == [3, 0, 4]
    np.testing.assert_array_equal(both.antecedents(0), one.antecedents(0))
    np.testing.assert_array_equal(both.antecedents(2), other.antecedents(0))
    with pytest.raises(InputError, match="at least one posterior"):
        Links.joined([])
