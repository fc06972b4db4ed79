import numpy as np
import pytest

from calibrant.kernels.calibration import groups as groups_module
from calibrant.kernels.calibration.groups import group_sums, resample


def data(seed=0, rows=3000, groups=70, bins=11):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, groups, rows)
    codes[:groups] = np.arange(groups)
    return codes, rng.integers(0, bins, rows), rng.normal(size=rows), groups, bins


def dense(sums, groups, bins, column="error"):
    table = np.zeros((groups, bins))
    owner = np.repeat(np.arange(groups), np.diff(sums.start))
    table[owner, sums.column] = getattr(sums, column)
    return table


def test_sums_equal_a_dense_table():
    codes, column, error, groups, bins = data()
    sums = group_sums(codes, column, error, None, groups, bins)
    wanted, many = np.zeros((2, groups, bins))
    np.add.at(wanted, (codes, column), error)
    np.add.at(many, (codes, column), 1)
    np.testing.assert_allclose(dense(sums, groups, bins), wanted, atol=1e-9)
    np.testing.assert_array_equal(dense(sums, groups, bins, "weight"), many)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_table_of_all_cells_gives_the_same_sums(monkeypatch, weighted):
    """Where few groups and bins have many rows, to the last bit."""
    codes, column, error, groups, bins = data(rows=groups_module.DENSE + 1)
    weight = np.random.default_rng(1).random(codes.size) if weighted else None
    column[codes == 3] = 2  # a group that is in one bin only
    one = group_sums(codes, column, error, weight, groups, bins)
    monkeypatch.setattr(groups_module, "DENSE", 0)
    other = group_sums(codes, column, error, weight, groups, bins)
    for each, same in zip(one, other, strict=True):
        np.testing.assert_array_equal(each, same)


def test_weights_multiply():
    codes, column, error, groups, bins = data()
    weight = np.random.default_rng(1).random(codes.size)
    sums = group_sums(codes, column, error, weight, groups, bins)
    wanted = np.zeros((groups, bins))
    np.add.at(wanted, (codes, column), error * weight)
    np.testing.assert_allclose(dense(sums, groups, bins), wanted, atol=1e-9)


def test_sums_do_not_depend_on_the_order_of_rows():
    codes, column, error, groups, bins = data()
    first = group_sums(codes, column, error, None, groups, bins)
    order = np.random.default_rng(2).permutation(codes.size)
    again = group_sums(codes[order], column[order], error[order], None, groups, bins)
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_replicates_draw_each_group_as_a_multinomial_would():
    codes, column, error, groups, bins = data()
    sums = group_sums(codes, column, error, None, groups, bins)
    table = dense(sums, groups, bins)
    linear = np.column_stack([np.ones(groups), np.arange(groups)])
    drawn, lines = resample(sums.start, sums.column, sums.error, linear, bins, 4000, 1)
    np.testing.assert_array_equal(lines[:, 0], groups)  # as many as there are, every time
    z = (drawn.mean(0) - table.sum(0)) / (drawn.std(0) / np.sqrt(4000))
    assert np.abs(z).max() < 4.5
    variance = (table**2).sum(0) - table.sum(0) ** 2 / groups
    np.testing.assert_allclose(drawn.var(0), variance, rtol=0.15)  # ±6 sd of a variance
    assert abs(np.corrcoef(lines[:-1, 1], lines[1:, 1])[0, 1]) < 0.08  # replicates independent


def test_seeds_decide_everything():
    codes, column, error, groups, bins = data()
    sums = group_sums(codes, column, error, None, groups, bins)
    job = (sums.start, sums.column, sums.error, np.ones((groups, 1)), bins, 20)
    np.testing.assert_array_equal(resample(*job, 5)[0], resample(*job, 5)[0])
    assert not np.array_equal(resample(*job, 5)[0], resample(*job, 6)[0])
    np.testing.assert_array_equal(resample(*job[:-1], 9, 5)[0], resample(*job, 5)[0][:9])
