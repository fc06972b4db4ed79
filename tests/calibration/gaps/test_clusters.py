import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.clusters import clusters
from calibrant.pairs import synthetic

PAIRS = synthetic.sample_groups(12, seed=3)
BINS = cb.AdaptiveBins(size=20).bins(PAIRS)


def test_nothing_is_clustered_without_groups():
    assert clusters(cb.Pairs(PAIRS.y, PAIRS.q), BINS) is None


def test_variance_by_definition():
    found = clusters(PAIRS, BINS)
    column = np.searchsorted(BINS.upper, PAIRS.q)
    error = PAIRS.q - PAIRS.y
    for i in range(BINS.n.size):
        inside = column == i
        apart = PAIRS.codes[inside][:, None] != PAIRS.codes[inside]
        products = np.outer(error[inside], error[inside])
        wanted = error[inside].mean() ** 2 - products[apart].mean()
        assert found.variance()[i] == pytest.approx(wanted, rel=1e-6)  # errors have 36 bits


@pytest.mark.parametrize("size", [4, 20])  # more bins than groups, and fewer
def test_smoothed_variance_is_that_of_the_smoothed_sums(size):
    bins = cb.AdaptiveBins(size=size).bins(PAIRS)
    found = clusters(PAIRS, bins)
    assert (found.groups < bins.n.size) == (size == 4)
    smoother = np.random.default_rng(0).random((bins.n.size, bins.n.size))
    dense = np.zeros((found.groups, bins.n.size))
    dense[found.owner, found.column] = found.residual
    factor = found.groups / (found.groups - 1)
    wanted = ((dense @ smoother.T) ** 2).sum(axis=0) * factor
    np.testing.assert_allclose(found.smoothed_variance(smoother), wanted, rtol=1e-12)


def test_labels_decide_only_the_code():
    names = np.random.default_rng(1).permutation(12)
    one, other = (
        clusters(PAIRS, BINS),
        clusters(cb.Pairs(PAIRS.y, PAIRS.q, group=names[PAIRS.codes]), BINS),
    )
    for name in ("start", "column", "weight", "residual", "present"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(names[one.order], other.order)


def test_signs_tell_groups_of_the_first_bin_apart():
    """Residuals of equal size and opposite sign in bin 0 have no other difference."""
    pairs = cb.Pairs([0, 1, 0, 1], [0.5] * 4, group=[0, 1, 2, 3])
    bins = Bins(np.array([4.0]), np.array([2.0]), np.array([2.0]), np.array([0.5]))
    assert clusters(pairs, bins).residual.tolist() == [-0.5, -0.5, 0.5, 0.5]


def test_order_by_code():
    found = clusters(PAIRS, BINS).by_code()
    assert found.order.tolist() == list(range(12))
    column = np.searchsorted(BINS.upper, PAIRS.q)
    for g in range(12):
        rows = slice(found.start[g], found.start[g + 1])
        assert found.column[rows].tolist() == np.unique(column[PAIRS.codes == g]).tolist()
        np.testing.assert_array_equal(
            found.weight[rows], np.bincount(column[PAIRS.codes == g])[found.column[rows]]
        )
