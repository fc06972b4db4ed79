"""The number of entities, singletons and coreferent pairs, against enumeration."""

import numpy as np
import pytest
from clusterings import all_clusterings, random_links
from scipy.stats import binom

import calibrant as cb
from calibrant.errors import InputError

SAMPLES = 20_000
NUMBERS = {
    cb.NewEntity(): lambda sizes: sizes.size,
    cb.NewEntity(samples=SAMPLES): lambda sizes: sizes.size,
    cb.Singleton(samples=SAMPLES): lambda sizes: (sizes == 1).sum(),
    cb.SameEntity(samples=SAMPLES, seed=4): lambda sizes: (sizes * (sizes - 1) // 2).sum(),
}


def by_enumeration(links, document, number):
    found = np.zeros(50)
    for entity, chance in zip(*all_clusterings(links.antecedents(document)), strict=True):
        found[number(np.unique(entity, return_counts=True)[1])] += chance
    return found


@pytest.mark.parametrize("query", NUMBERS, ids=repr)
def test_distributions_are_those_of_all_clusterings(query):
    links = random_links([1, 5, 6], seed=2, scale=1.5)
    found = query.tallies(links)
    bound = 1e-12 if query.samples is None else 4 * 0.5 / SAMPLES**0.5
    for k in range(len(links)):
        true = by_enumeration(links, k, NUMBERS[query])
        mine = found.distribution(k)
        np.testing.assert_allclose(mine, true[: mine.size], atol=bound)
        assert true[mine.size :].sum() < bound
        sizes = np.unique(links.entities[k], return_counts=True)[1]
        assert found.best[k] == NUMBERS[query](sizes)


def test_equal_chances_are_binomial():
    matrix = np.tril(np.full((30, 30), 0.3 / np.maximum(np.arange(30), 1)[:, None]), -1)
    np.fill_diagonal(matrix, 0.7)
    matrix[0, 0] = 1.0
    links = cb.Links.from_probabilities([matrix])
    expected = binom(29, 0.7).pmf(np.arange(30))
    np.testing.assert_allclose(links.entity_counts(0)[1:], expected, rtol=1e-9)
    assert links.entity_counts(0)[0] == 0


def test_documents_without_mentions_have_no_entity():
    links = random_links([0, 2], seed=2)
    for query in NUMBERS:
        assert query.tallies(links).distribution(0).tolist() == [1.0]


def test_expected_numbers():
    links = random_links([7, 40], seed=5)
    found = cb.NewEntity().tallies(links)
    np.testing.assert_allclose(found.expected, links.expected_entities, rtol=1e-12)
    new = [links.new_probabilities(k) for k in range(2)]
    np.testing.assert_allclose(found.variance, [(q * (1 - q)).sum() for q in new], rtol=1e-9)
    np.testing.assert_allclose(found.asked, [7, 40])


def test_sizes_of_entities():
    links = random_links([5, 6], seed=3)
    entities, chances = all_clusterings(links.antecedents(1))
    true = np.zeros((6, 7))
    for entity, chance in zip(entities, chances, strict=True):
        true[np.arange(6), np.bincount(entity, minlength=6)[entity]] += chance
    np.testing.assert_allclose(links.expected_sizes(1), true @ np.arange(7), rtol=1e-9)
    found = links.size_chances(1, samples=SAMPLES, seed=1)
    np.testing.assert_allclose(found, true, atol=4 * 0.5 / SAMPLES**0.5)
    np.testing.assert_allclose(found[:, 1], links.singleton_probabilities(1), atol=0.015)


def test_gold_and_groups():
    links = random_links([3, 2], seed=1)
    found = cb.NewEntity().tallies(links, [["a", None, "a"], None], group=["x", "y"])
    assert found.gold.tolist()[0] == 2  # a mention of no entity is an entity of its own
    assert found.labelled.tolist() == [True, False]
    assert found.group.tolist() == ["x", "y"]
    assert cb.Singleton(samples=50).tallies(links, [[1, 2, 1], [3, 3]]).gold.tolist() == [1, 0]
    assert cb.SameEntity(samples=50).tallies(links, [[1, 1, 1], [3, 4]]).gold.tolist() == [3, 0]
    with pytest.raises(InputError, match="Document 1 of gold must be a list of the entities"):
        cb.ask(links, [["a", None, "a"], None], cb.NewEntity())
