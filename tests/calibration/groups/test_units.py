import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.groups.units import (
    moved,
    moved_start,
    refuse_one_group,
    resampling_units,
    sums_by_unit,
)
from calibrant.errors import UnsupportedError

Y, Q = [0, 1, 1, 0, 1], [0.1, 0.6, 0.6, 0.6, 0.9]


def test_only_dependent_or_weighted_rows_are_units():
    assert resampling_units(cb.Pairs(Y, Q)) is None
    assert resampling_units(cb.Pairs(Y, Q, weight=[1, 2, 3, 1, 1])) is None
    grouped = resampling_units(cb.Pairs(Y, Q, group=list("babab")))
    assert grouped.codes.tolist() == [1, 0, 1, 0, 1]
    weighted = resampling_units(cb.Pairs(Y, Q, weight=[0.5, 2.5, 1.5, 1, 1]))
    assert weighted.codes.tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(np.array(Q)[weighted.order]) >= 0).all()


@pytest.mark.parametrize("weight", [None, [1, 2, 3, 1, 1], [0.5, 2.5, 1.5, 1, 0.25]])
def test_sums_by_brute_force(weight):
    pairs = cb.Pairs(Y, Q, weight=weight, group=[0, 0, 1, 1, 1])
    column, values = np.array([0, 1, 1, 1, 2]), np.array([0.25, -0.5, 0.125, 0.75, 1.0])
    sums = sums_by_unit(pairs, column, values, 3)
    w = np.ones(5) if weight is None else pairs.weight
    found = {
        (group, sums.column[k]): (sums.weight[k], sums.error[k])
        for group in range(2)
        for k in range(sums.start[group], sums.start[group + 1])
    }
    wanted = {}
    for row in range(5):
        key = (pairs.codes[row], column[row])
        before = wanted.get(key, (0.0, 0.0))
        wanted[key] = (before[0] + w[row], before[1] + w[row] * values[row])
    assert found.keys() == wanted.keys()
    for key, sum_and_weight in wanted.items():
        assert found[key] == pytest.approx(sum_and_weight, rel=1e-14)


def test_units_rearranged():
    start, order = np.array([0, 2, 3, 6]), np.array([2, 0, 1])
    assert moved_start(start, order).tolist() == [0, 3, 5, 6]
    assert moved(start, order, np.arange(6)).tolist() == [3, 4, 5, 0, 1, 2]


def test_one_group_is_refused():
    refuse_one_group(0)
    refuse_one_group(2)
    with pytest.raises(UnsupportedError, match="cannot be estimated: leave the group out"):
        refuse_one_group(1)
