import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.structures.trees.unary import close_chains, returns

# 0 → 1 → 2 and back from 2 to 0; 3 has no unary rule
PARENT, CHILD = np.array([0, 1, 2]), np.array([1, 2, 0])
P = np.array([0.5, 0.4, 0.3])
CHAINS = close_chains(4, PARENT, CHILD, P)


def matrix():
    found = np.zeros((3, 3))
    found[PARENT, CHILD] = P
    return found


def test_sums_are_the_series_of_powers():
    total = sum(np.linalg.matrix_power(matrix(), k) for k in range(60))
    np.testing.assert_allclose(CHAINS.total, total, rtol=1e-12)


def test_the_best_chain_has_no_cycle():
    expected = [[1, 0.5, 0.2], [0.12, 1, 0.4], [0.3, 0.15, 1]]
    np.testing.assert_allclose(CHAINS.best, expected)


def test_rows_go_both_ways():
    start, upper, sums, best = CHAINS.up
    for lower in range(3):
        rows = slice(start[lower], start[lower + 1])
        np.testing.assert_array_equal(upper[rows], [0, 1, 2])
        np.testing.assert_allclose(sums[rows], CHAINS.total[:, lower])
        np.testing.assert_allclose(best[rows], CHAINS.best[:, lower])
    alone = slice(start[3], start[4])
    assert (upper[alone].tolist(), sums[alone].tolist()) == ([3], [1.0])
    start, lower, sums, _ = CHAINS.down
    np.testing.assert_allclose(sums[start[0] : start[1]], CHAINS.total[0])
    assert lower[start[3] : start[4]].tolist() == [3]


def test_no_unary_rules():
    none = np.array([], np.int64)
    chains = close_chains(2, none, none, np.array([]))
    assert chains.up[0].tolist() == [0, 1, 2]
    assert chains.up[1].tolist() == [0, 1]


@pytest.mark.parametrize("p", [1.0, 1.5, 1 - 1e-14])
def test_a_cycle_without_a_finite_sum_is_refused(p):
    with pytest.raises(InputError, match="must have a finite sum, but a cycle"):
        close_chains(1, np.array([0]), np.array([0]), np.array([p]))


def test_returns_pass_through_others_only():
    """From 0 the next of {0, 2} is 2, through 1; from 2 it is 0."""
    one, other, p = returns(CHAINS, np.array([0, 2, 3]))
    found = dict(zip(zip(one.tolist(), other.tolist(), strict=True), p.tolist(), strict=True))
    assert found == pytest.approx({(0, 2): 0.5 * 0.4, (2, 0): 0.3})
