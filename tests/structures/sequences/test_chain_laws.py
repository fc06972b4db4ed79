"""Chains of up to 4 tags and 6 tokens against all their sequences."""

from itertools import product

import numpy as np
import pytest
from enumeration import all_sequences, named, random_chain

SHAPES = list(product(range(1, 7), range(1, 5)))
NAMES = "ABCD"


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def known(request):
    length, tags = request.param
    chain = random_chain((length,), list(NAMES[:tags]), seed=6)
    return chain, *all_sequences(chain, 0)


def test_marginals_of_tags_and_of_neighbours(known):
    chain, paths, p = known
    for t, code in product(range(paths.shape[1]), range(len(chain.tags))):
        assert chain.marginals[t, code] == pytest.approx(p[paths[:, t] == code].sum(), abs=1e-12)
    for a, b in product(range(len(chain.tags)), repeat=2):
        both = (paths[:, :-1] == a) & (paths[:, 1:] == b)
        found = chain.pair_marginals(chain.tags[a], chain.tags[b])
        np.testing.assert_allclose(found, p @ both, atol=1e-12)
        assert chain.expected_pairs[a, b] == pytest.approx(p @ both.sum(axis=1), abs=1e-12)


def test_the_best_are_the_first_of_all_sorted(known):
    chain, paths, p = known
    order = np.argsort(-p, kind="stable")
    (best,) = chain.kbest(p.size + 3)
    assert [tags for tags, _ in best] == [named(chain, paths[k]) for k in order]
    np.testing.assert_allclose([share for _, share in best], p[order], rtol=1e-9)
    assert chain.mode[0] == best[0][0]


def test_probability_of_all_parts(known):
    chain, paths, p = known
    length = paths.shape[1]
    for size in range(min(length, 3) + 1):
        for begin in range(length - size + 1):
            for part in product(range(len(chain.tags)), repeat=size):
                same = (paths[:, begin : begin + size] == np.array(part, int)).all(axis=1)
                found = chain.probability(0, named(chain, part), begin)
                assert found == pytest.approx(p[same].sum(), abs=1e-12)
    for k in np.linspace(0, p.size - 1, 20).astype(int):
        assert chain.probability(0, named(chain, paths[k])) == pytest.approx(p[k], abs=1e-12)


def test_entropy(known):
    chain, _, p = known
    assert chain.entropy[0] == pytest.approx(-(p * np.log(p)).sum(), abs=1e-12)


def test_samples_tend_to_every_sequence(known):
    chain, paths, p = known
    draws = 3000
    place = len(chain.tags) ** np.arange(paths.shape[1])[::-1]
    code = {tag: k for k, tag in enumerate(chain.tags)}
    drawn = np.array([[code[tag] for tag in row] for row in chain.sample(draws, seed=3)[0]])
    share = np.bincount(drawn @ place, minlength=p.size) / draws
    assert (np.abs(share - p) <= 6 * np.sqrt(p * (1 - p) / draws) + 3 / draws).all()


@pytest.mark.parametrize("seed", range(10))
def test_forbidden_moves_and_far_scores(seed):
    chain = random_chain((5, 3), list("ABC"), seed, 100.0, forbidden=[("A", "B"), ("C", "C")])
    for k in range(2):
        _, p = all_sequences(chain, k)
        mass = p[p > 0]
        assert chain.entropy[k] == pytest.approx(-(mass * np.log(mass)).sum(), abs=1e-12)
