import numpy as np

import calibrant as cb
from calibrant.pairs.shared_order import in_shared_order


def models(seed, names=None, weight=False):
    rng = np.random.default_rng(3)
    y, q, r = rng.random(60) < 0.5, rng.integers(0, 4, 60) / 4, rng.random(60)
    group, w = rng.integers(0, 9, 60), rng.integers(1, 4, 60)
    order = np.random.default_rng(seed).permutation(60)
    labels = None if names is None else np.asarray(names)[group[order]]
    more = {"weight": w[order]} if weight else {}
    return {
        name: cb.Pairs(y[order], each[order], group=labels, **more)
        for name, each in (("a", q), ("b", r))
    }


def rows(pairs):
    return np.column_stack([pairs.y, pairs.q])


def test_rows_in_any_order():
    for weight in (False, True):
        one, other = (in_shared_order(models(seed, weight=weight)) for seed in (1, 2))
        for name in ("a", "b"):
            np.testing.assert_array_equal(rows(one[name]), rows(other[name]))
        np.testing.assert_array_equal(one["a"].y, one["b"].y)


def test_groups_under_any_names():
    one = in_shared_order(models(1, names=np.arange(9)))
    other = in_shared_order(models(2, names=[f"g{(4 * k) % 9}" for k in range(9)]))
    for name in ("a", "b"):
        assert one[name].groups == other[name].groups == 9
        for group in range(9):
            held = [rows(each[name])[each[name].group == group] for each in (one, other)]
            mine, theirs = (each[np.lexsort(each.T)] for each in held)
            np.testing.assert_array_equal(mine, theirs)


def test_equal_contents_and_negative_zeros_are_told_apart_by_nothing():
    y, group = [0, 1, 0, 1], ["b", "b", "a", "a"]
    one = cb.Pairs(y, [0.0, 0.5, -0.0, 0.5], group=group)
    found = in_shared_order({"one": one, "other": cb.Pairs(y, [0.1, 0.5, 0.3, 0.5], group=group)})
    np.testing.assert_array_equal(found["one"].group, found["other"].group)
    assert found["other"].q[found["other"].group == 0][0] in (0.1, 0.3)


def test_answers_of_all_models_decide_the_order():
    """Rows that differ only in the y of the second model have one order, too."""
    q = [0.5, 0.5, 0.5, 0.5]
    found = []
    for other in ([0, 1, 0, 1], [1, 1, 0, 0]):
        models = {"a": cb.Pairs([1, 1, 1, 1], q), "b": cb.Pairs(other, q)}
        found.append(in_shared_order(models)["b"].y.tolist())
    assert found == [[0, 0, 1, 1], [0, 0, 1, 1]]
