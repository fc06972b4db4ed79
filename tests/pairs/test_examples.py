"""Rows to look at: the most surprising, and random samples."""

import numpy as np
import pytest

from calibrant import LogLoss, Pairs
from calibrant.errors import CalibrantWarning, InputError, ParameterError, UnsupportedError
from calibrant.pairs.examples import every_row, most_surprising, random_sample, seen_in


def made(size=200, seed=0):
    generator = np.random.default_rng(seed)
    q = np.round(generator.random(size), 1)  # many ties, and some 0 and 1
    return Pairs(generator.integers(0, 2, size), q)


def test_surprise_is_the_log_loss():
    pairs = made()
    with np.errstate(all="ignore"), pytest.warns(CalibrantWarning):
        expected = LogLoss().row_losses(pairs)
    np.testing.assert_array_equal(every_row(pairs).surprise, expected)


@pytest.mark.parametrize("count", [0, 1, 7, 1000])
def test_most_surprising_equals_brute_force(count):
    pairs = made()
    rows = pairs.rows_between(0.3, 1)
    loss = every_row(pairs).surprise
    expected = sorted(rows.tolist(), key=lambda row: (-loss[row], row))[:count]
    assert most_surprising(pairs, rows, count).tolist() == expected


def test_rows_of_selected_pairs_are_those_of_the_source():
    pairs = made().with_rows()
    some = pairs.select(above=0.5)
    rows = some.rows_between(0.6, 0.9)
    assert most_surprising(some, rows, 5).tolist() == most_surprising(pairs, rows, 5).tolist()
    np.testing.assert_array_equal(seen_in(some, rows[::-1]).q, pairs.q[rows[::-1]])


def test_rows_drawn_twice_are_seen_once():
    pairs = made(20).with_rows().resample(seed=1)
    seen = every_row(pairs)
    assert seen.row.tolist() == sorted(set(pairs.origin.tolist()))
    np.testing.assert_array_equal(seen.q, made(20).q[seen.row])


def test_draws_are_seen_with_the_share_of_all_draws():
    yes, draws = np.arange(0, 11), 10
    seen = every_row(Pairs.from_draws(yes % 2, yes, draws))
    assert seen.q.tolist() == [each / 10 for each in range(11)]
    assert seen.y.tolist() == (yes % 2).tolist()


@pytest.mark.parametrize("weight", [None, [3, 1, 1, 2]])
def test_means_are_those_of_the_pairs(weight):
    y, yes = [1, 0, 1, 0], [3, 7, 2, 1]
    drawn = Pairs.from_draws(y, yes, 10, weight=weight)
    plain = Pairs(y, np.divide(yes, 10), weight=weight)
    for seen in (every_row(drawn), every_row(plain), every_row(plain.with_rows())):
        assert (seen.weight is None) == (weight is None)
        assert seen.mean == pytest.approx(plain.mean(plain.q))
        assert seen.frequency == pytest.approx(plain.mean(plain.y))
    some = seen_in(plain, [3, 0])
    assert some.frequency == pytest.approx(0.5 if weight is None else 0.6)


def test_single_precision_and_booleans_are_converted():
    seen = every_row(Pairs(np.array([True, False]), np.array([0.25, 0.5], np.float32)))
    assert seen.y.tolist() == [1, 0]
    assert seen.q.dtype == np.float64


def test_a_random_sample_depends_on_the_seed_only():
    rows = np.arange(0, 300, 3)
    sample = random_sample(rows, 10, seed=4)
    assert sample.tolist() == random_sample(rows[::-1], 10, seed=4).tolist()
    assert sample.tolist() != random_sample(rows, 10, seed=5).tolist()
    assert sample.tolist() == sorted(set(sample.tolist()))
    assert set(sample) <= set(random_sample(rows, 20, seed=4)) <= set(rows)
    assert random_sample([], 3).size == 0
    assert random_sample(rows, 1000).tolist() == rows.tolist()


def test_every_row_is_drawn_about_equally_often():
    drawn = np.concatenate([random_sample(range(10), 3, seed) for seed in range(2000)])
    often = np.bincount(drawn)  # binomial: mean 600, standard deviation 20.5
    assert abs(often - 600).max() < 5 * 20.5


def test_other_rows_are_refused():
    pairs = Pairs([0, 1], [0.2, 0.7])
    with pytest.raises(InputError, match="row 2 is not"):
        most_surprising(pairs, [0, 2], 1)
    with pytest.raises(InputError, match="row -1"):
        seen_in(pairs, [-1])
    with pytest.raises(ParameterError, match="whole numbers"):
        seen_in(pairs, [0.5])
    with pytest.raises(ParameterError, match="count"):
        most_surprising(pairs, [0], -1)
    with pytest.raises(UnsupportedError, match="Compressed"):
        most_surprising(pairs.compress(), [0], 1)
