import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.analyses.group_gaps import group_gaps


def test_brute_force():
    rng = np.random.default_rng(0)
    q, group = rng.random(300), rng.integers(0, 12, 300)
    y, weight = rng.random(300) < q, rng.integers(1, 4, 300)
    found = group_gaps(cb.Pairs(y, q, weight=weight, group=group))
    assert (np.diff(np.abs(found.z)) <= 0).all()
    for k, name in enumerate(found.group):
        inside = group == name
        w = weight[inside] / weight[inside].sum()
        gap = w @ (y[inside] - q[inside].astype(float))
        error = np.sqrt(w @ (q[inside] * (1 - q[inside])) / weight[inside].sum())
        np.testing.assert_allclose(found.z[k], gap / error)
        np.testing.assert_allclose(found.frequency[k] - found.mean[k], gap)


def test_independent_groups_are_rarely_far_off():
    rng = np.random.default_rng(1)
    q = rng.random(40_000)
    found = group_gaps(cb.Pairs(rng.random(q.size) < q, q, group=np.arange(q.size) // 40))
    assert 30 <= found.far <= 70  # of 1000, 50 expected; ± 3 standard deviations
    assert found.sentence.startswith(f"{found.far} of 1000 groups are more than 1.96")


def test_compressed_pairs_agree():
    rng = np.random.default_rng(2)
    q, group = rng.random(500), rng.integers(0, 5, 500)
    pairs = cb.Pairs(rng.random(500) < q, q, group=group)
    one, other = group_gaps(pairs), group_gaps(pairs.compress(6))
    np.testing.assert_allclose(one.z, other.z)
    assert one.group.tolist() == other.group.tolist()


def test_certain_predictions():
    found = group_gaps(cb.Pairs([1, 1, 0], [1, 0, 0], group=["a", "b", "c"]))
    assert found.group.tolist() == ["b", "a", "c"]
    assert found.table()[1][0][-1] == "∞"
    assert found.to_frame().height == 3


def test_no_groups():
    assert group_gaps(cb.Pairs([0, 1], [0.2, 0.4])) is None


@pytest.mark.parametrize("count", [1, 2])
def test_the_first(count):
    found = group_gaps(cb.Pairs([1, 1, 0], [1, 0, 0], group=["a", "b", "c"]))
    assert len(found.first(count).n) == count
