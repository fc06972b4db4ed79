import numpy as np
import pytest

import calibrant as cb
from calibrant.pages.chosen import choose, edges_of, rows_behind
from calibrant.pairs.examples import Seen


@pytest.fixture
def answers():
    rng = np.random.default_rng(3)
    q = np.round(rng.beta(0.4, 0.6, 500), 2)  # with ties, and q of exactly 0 and 1
    return Seen(np.arange(500), (rng.random(500) < 0.4).astype(np.int8), q)


@pytest.mark.parametrize(("low", "high"), [(0, 5), (3, 4), (10, 30), (0, 50)])
def test_the_most_surprising_of_any_cells(answers, low, high):
    """The first rows of single cells suffice for every range of cells."""
    edges = edges_of(np.array([0.013, 0.5, 1.0]))
    chosen = choose(answers, edges, 7, seed=0)
    kept = np.concatenate(chosen.surprising[low:high])
    best = kept[np.lexsort((answers.row[kept], -answers.surprise[kept]))][:7]
    inside = np.flatnonzero((answers.q <= edges[high]) & ((answers.q > edges[low]) | (low == 0)))
    wanted = inside[np.lexsort((inside, -answers.surprise[inside]))][:7]
    np.testing.assert_array_equal(best, wanted)
    assert chosen.rows[low:high].sum() == inside.size
    assert chosen.positive[low:high].sum() == answers.y[inside].sum()
    np.testing.assert_allclose(chosen.total[low:high].sum(), answers.q[inside].sum())


def test_the_random_sample_of_any_cells_is_random(answers):
    """Every row of a range is as likely as any other to be in the sample of the range."""
    edges = edges_of(np.array([1.0]))
    inside = np.flatnonzero((answers.q > edges[5]) & (answers.q <= edges[20]))
    hits = np.zeros(answers.q.size)
    many = 2000
    for seed in range(many):
        chosen = choose(answers, edges, 5, seed)
        kept = np.concatenate(chosen.random[5:20])
        hits[kept[np.argsort(chosen.order[kept])][:5]] += 1
    assert hits.sum() == 5 * many
    assert hits[inside].sum() == 5 * many
    expected = 5 * many / inside.size
    assert np.abs(hits[inside] - expected).max() < 5 * np.sqrt(expected)


def test_weights_are_rows(answers):
    """A weight of 2 counts as the row twice, but the number of rows stays."""
    weight = np.arange(500) % 3 + 1.0
    edges = edges_of(np.array([1.0]))
    chosen = choose(answers._replace(weight=weight), edges, 7, seed=0)
    twice = np.repeat(np.arange(500), weight.astype(int))
    repeated = choose(Seen(twice, answers.y[twice], answers.q[twice]), edges, 7, seed=0)
    np.testing.assert_array_equal(chosen.weight, repeated.rows)
    np.testing.assert_array_equal(chosen.positive, repeated.positive)
    np.testing.assert_allclose(chosen.total, repeated.total)
    assert chosen.rows.sum() == 500


def test_edges_hold_bins_and_even_cells():
    edges = edges_of(np.array([0.123, 0.4]))
    assert {0.0, 0.123, 0.4, 1.0} <= set(edges.tolist())
    assert edges.size == 52  # 0.4 is an edge already


def test_rows_of_pairs():
    pairs = cb.Pairs([0, 1, 1], [0.2, 0.7, 0.9]).with_rows().select(above=0.5)
    found = rows_behind(pairs)
    assert found.row.tolist() == [1, 2]
    assert rows_behind(pairs.compress(5)) is None


def test_draws_show_the_share_of_all_draws():
    found = rows_behind(cb.Pairs.from_draws([0, 1, 1], yes=[2, 7, 10], draws=10))
    assert found.row.tolist() == [0, 1, 2]
    assert found.y.tolist() == [0, 1, 1]
    np.testing.assert_allclose(found.q, [0.2, 0.7, 1.0])
