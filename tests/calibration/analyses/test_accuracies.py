"""Models compared on their own answers: scores, accuracies and their paired differences."""

import numpy as np
import polars
import pytest
from scipy.stats import t as student

import calibrant as cb
from calibrant.calibration.analyses.accuracies import accuracies_of
from calibrant.calibration.analyses.differences import Sums
from calibrant.calibration.analyses.leaving_out import Folds, left_out_means, left_out_totals
from calibrant.errors import InputError, ParameterError, UnsupportedError

FAST = cb.Bootstrap(replicates=200)


def answers(n=600, seed=1, groups=0, shift=0.0, weight=False):
    """Two models, each right with the probability it gives (the second claims more by `shift`)."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 1, n)
    luck = rng.random(n)
    found = {}
    more = {"group": np.arange(n) % groups} if groups else {}
    more |= {"weight": rng.integers(1, 4, n)} if weight else {}
    for name, extra in (("a", 0.0), ("b", shift)):
        p = 1 / (1 + np.exp(-hard - rng.normal(0.8, 0.7, n)))
        mixed = np.where(rng.random(n) < 0.5, luck, rng.random(n))
        found[name] = cb.Pairs(mixed < p, np.clip(p + extra, 0, 1), **more)
    return found


@pytest.mark.parametrize("groups", [0, 30])
@pytest.mark.parametrize("score", ["CalibScore", "ECE", "Brier", "SmoothECE", "SKCE", "LogLoss"])
def test_an_overconfident_model_is_found(groups, score):
    models = answers(2000, groups=groups, shift=0.2)
    models["b"] = cb.Pairs(models["b"].y, models["b"].q * 0.998, group=models["b"].group)
    found = cb.compare(models, score, own_answers=True, interval=FAST)
    assert found.sentence == f"By {score}, a is better than b."
    assert "own_answers" in found.signature
    assert list(found.accuracies) == list(found.scores) == ["a", "b"]


def test_differing_answers_are_refused_unless_they_are_wanted():
    models = answers()
    with pytest.raises(InputError, match=r"y\[\d+\] is .* pass own_answers=True\."):
        cb.compare(models)
    with pytest.raises(ParameterError, match="own_answers must be True or False, but it is 'yes'"):
        cb.compare(models, own_answers="yes")
    with pytest.raises(InputError, match="a has 600 rows and b has 500"):
        cb.compare({"a": models["a"], "b": models["b"].take(np.arange(500))}, own_answers=True)
    grouped = answers(groups=20)
    with pytest.raises(InputError, match="a has a group, but b has none"):
        cb.compare({"a": grouped["a"], "b": models["b"]}, own_answers=True)
    moved = grouped["b"].with_group(np.roll(grouped["b"].group, 1))
    with pytest.raises(InputError, match=r"group\[0\] is 0 in a and 19 in b") as caught:
        cb.compare({"a": grouped["a"], "b": moved}, own_answers=True)
    assert "own_answers" not in str(caught.value)


def test_rows_that_are_not_answers_are_refused():
    models = answers(200)
    drawn = cb.Pairs.from_draws(models["a"].y, np.rint(8 * models["a"].q), 8)
    for other, message in ((drawn, "b comes from draws"), (models["b"].compress(), "compressed")):
        with pytest.raises(UnsupportedError, match=message):
            cb.compare({"a": models["a"], "b": other}, own_answers=True)


def test_the_same_answers_compare_as_before():
    """Products of errors, which are treated differently, nearly cancel."""
    y = answers()["a"].y
    models = {"a": cb.Pairs(y, answers()["a"].q), "b": cb.Pairs(y, answers()["a"].q ** 2)}
    for score in ("CalibScore", "ECE", "Brier"):
        own, usual = (
            cb.compare(models, score, own_answers=own, interval=FAST) for own in (True, False)
        )
        assert own.difference.value == usual.difference.value
        limits = usual.difference.low, usual.difference.high
        assert (own.difference.low, own.difference.high) == pytest.approx(limits, rel=0.01)
        assert own.p_value == pytest.approx(usual.p_value, rel=0.1)
        assert usual.accuracies == usual.accuracy_differences == {}
        (same,) = own.accuracy_differences.values()
        assert same.value == 0
        assert same.low <= 0 <= same.high


@pytest.mark.parametrize("groups", [0, 25])
def test_brier_is_the_paired_test_by_hand(groups):
    """Student's test of the differences of rows, or of the means of equal groups.

    The jackknife divides by one unit less (CR3).
    """
    a, b = answers(500, groups=groups).values()
    found = cb.compare({"a": a, "b": b}, "Brier", own_answers=True, interval=FAST)
    sign = 1 if next(iter(found.scores)) == "a" else -1
    rows = sign * ((a.q - a.y) ** 2 - (b.q - b.y) ** 2)
    units = rows if not groups else np.array([rows[a.group == g].mean() for g in range(groups)])
    assert found.difference.value == pytest.approx(rows.mean())
    spread = units.std(ddof=1) / np.sqrt(units.size - 1)
    wanted = 2 * student.sf(abs(rows.mean()) / spread, units.size - 1)
    assert found.p_value == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("score", [cb.CalibScore(), cb.ECE(), cb.Brier()], ids=repr)
def test_groups_are_left_out_together(score):
    """What each model's sum changes by is what leaving the group out of its own pairs does."""
    models = answers(900, groups=12)
    folds = Folds.of(models)
    for pairs in models.values():
        _, changes = left_out_totals(score, pairs, folds)
        if isinstance(score, cb.Brier):
            without = [score(pairs.take(np.flatnonzero(pairs.group != g))) for g in range(12)]
            np.testing.assert_allclose(changes, np.array(without) - score(pairs), atol=1e-12)
        assert changes.shape == (12,)


@pytest.mark.parametrize("score", ["CalibScore", "ECE", "Brier"])
@pytest.mark.parametrize("groups", [0, 15])
@pytest.mark.parametrize("weight", [False, True])
def test_the_order_of_rows_and_names_of_groups_do_not_matter(score, groups, weight):
    models = answers(1300 if not groups else 400, groups=groups, weight=weight)
    rounded = {k: cb.Pairs(p.y, np.round(7 * p.q) / 8 + 0.031, group=p.group, weight=p.weight)
               for k, p in models.items()}  # fmt: skip
    order = np.random.default_rng(5).permutation(len(models["a"]))
    moved = {name: each.take(order) for name, each in rounded.items()}
    if groups:
        names = np.array([f"g{(7 * k) % 15:02}" for k in range(15)])
        moved = {name: each.with_group(names[each.group]) for name, each in moved.items()}
    one, other = (
        cb.compare(each, score, own_answers=True, interval=FAST) for each in (rounded, moved)
    )
    keys = ("value", "low", "high", "accuracy", "accuracy_low", "accuracy_high")
    for mine, theirs in zip(one.to_dicts(), other.to_dicts(), strict=True):
        assert [mine[key] for key in keys] == pytest.approx(
            [theirs[key] for key in keys], abs=1e-12
        )


def test_swapping_the_models_reverses_differences():
    a, b = answers(700, groups=20).values()
    one = cb.compare({"a": a, "b": b}, "Brier", own_answers=True)
    other = cb.compare({"b": b, "a": a}, "Brier", own_answers=True)
    keys = ("value", "low", "high", "accuracy", "accuracy_low", "accuracy_high")
    for mine, theirs in zip(one.to_dicts(), other.to_dicts(), strict=True):
        assert [mine[key] for key in keys] == pytest.approx([theirs[key] for key in keys])
    first, second = one.scores
    turned = {name: cb.Pairs(1 - p.y, 1 - p.q, group=p.group) for name, p in (("a", a), ("b", b))}
    flipped = cb.compare(turned, "Brier", own_answers=True)
    assert flipped.p_value == pytest.approx(one.p_value)
    mine, theirs = (each.accuracy_differences[first, second] for each in (one, flipped))
    assert [-mine.value, -mine.high, -mine.low] == pytest.approx(
        [theirs.value, theirs.low, theirs.high]
    )


def test_a_weight_of_two_is_a_row_twice():
    models = answers(300, groups=30)
    twice = {k: cb.Pairs(p.y, p.q, group=p.group, weight=np.full(300, 2))
             for k, p in models.items()}  # fmt: skip
    rows = {k: p.take(np.repeat(np.arange(300), 2)) for k, p in models.items()}
    one, other = (cb.compare(each, "Brier", own_answers=True).to_dicts() for each in (twice, rows))
    for mine, theirs in zip(one, other, strict=True):
        for key in ("value", "low", "high", "accuracy", "accuracy_low", "accuracy_high"):
            assert mine[key] == pytest.approx(theirs[key])


def newcombe(both, only_a, only_b, neither):
    """Method 10 of Newcombe (1998) without its continuity correction of the correlation."""
    n = both + only_a + only_b + neither
    z = 1.959963984540054

    def wilson(x):
        middle = (x + z**2 / 2) / (n + z**2)
        half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
        return middle - half, middle + half

    a, b = both + only_a, both + only_b
    phi = (both * neither - only_a * only_b) / np.sqrt(a * (n - a) * b * (n - b))
    (la, ua), (lb, ub) = wilson(a), wilson(b)
    da, db, ea, eb = a / n - la, ub - b / n, ua - a / n, b / n - lb
    low = (a - b) / n - np.sqrt(da**2 - 2 * phi * da * db + db**2)
    return low, (a - b) / n + np.sqrt(ea**2 - 2 * phi * ea * eb + eb**2)


@pytest.mark.parametrize("cells", [(50, 12, 5, 33), (80, 3, 9, 8), (20, 1, 0, 29), (5, 40, 4, 1)])
def test_accuracies_are_compared_as_newcombe_does(cells):
    a = np.repeat([1, 1, 0, 0], cells)
    b = np.repeat([1, 0, 1, 0], cells)
    q = np.linspace(0.05, 0.9, a.size)
    found = cb.compare({"a": cb.Pairs(a, q), "b": cb.Pairs(b, q)}, "Brier", own_answers=True)
    ((one, _), each) = next(iter(found.accuracy_differences.items()))
    low, high = (each.low, each.high) if one == "a" else (-each.high, -each.low)
    assert (low, high) == pytest.approx(newcombe(*cells), abs=1e-9)


def test_a_published_interval_of_paired_proportions():
    """Newcombe (1998), method 10: 36, 12, 2 and 0 of 50 give [0.0569, 0.3404].

    His correction of the correlation for continuity does not apply to negative ones.
    """
    a, b = np.repeat([1, 1, 0, 0], [36, 12, 2, 0]), np.repeat([1, 0, 1, 0], [36, 12, 2, 0])
    models = {"a": cb.Pairs(a, np.full(50, 0.9)), "b": cb.Pairs(b, np.full(50, 0.5))}
    found = cb.compare(models, "Brier", own_answers=True).accuracy_differences["a", "b"]
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@pytest.mark.parametrize("groups", [0, 20])
def test_accuracies_are_those_of_describe(groups):
    models = answers(500, groups=groups)
    found = cb.compare(models, "Brier", own_answers=True)
    for name, pairs in models.items():
        wanted = cb.describe(pairs).base_rate
        mine = found.accuracies[name]
        assert (mine.value, mine.low, mine.high) == (wanted.value, wanted.low, wanted.high)
    bare = accuracies_of(models, 0.95, "", intervals=False)
    assert all(each.low is None for each in bare.values())


def test_left_out_means_are_means_without_a_fold():
    pairs = answers(60, groups=6)["a"]
    changes = left_out_means(pairs.y.astype(float), pairs, Folds.of({"a": pairs}))
    wanted = [pairs.y[pairs.group != g].mean() - pairs.y.mean() for g in range(6)]
    np.testing.assert_allclose(changes, wanted)
    sums = Sums(0.0, 0.0, changes, changes, Folds.of({"a": pairs}))
    assert sums.correlation == pytest.approx(1.0)


def test_accuracy_stands_beside_the_scores():
    found = cb.compare(answers(400), own_answers=True, interval=FAST)
    assert found.table()[0] == ["model", "value", "95 % interval", "accuracy", "better than"]
    assert found.pairs_table()[0] == ["difference", "value", "95 % interval", "p", "accuracy"]
    a = found.accuracies["a"]
    assert f"{a.value:.3f} [{a.low:.3f}, {a.high:.3f}]" in str(found)
    assert "accuracy" in found._repr_html_()
    frame = found.to_frame()
    assert isinstance(frame, polars.DataFrame)
    assert {"accuracy", "accuracy_low", "accuracy_high"} <= set(frame.columns)
    assert frame.filter(polars.col("model") == "a")["accuracy"].to_list() == [a.value]
    bare = cb.compare(answers(400), own_answers=True, interval=None)
    assert bare.table()[0] == ["model", "value", "accuracy"]
    assert bare.pairs_table()[0] == ["difference", "value", "accuracy"]
    assert bare.to_dicts()[0]["accuracy_low"] is None


def test_models_are_joined_by_key():
    a, b = answers(300, groups=10).values()
    order = np.random.default_rng(3).permutation(300)
    keys = np.arange(300)
    joined = cb.compare(a, b.take(order), "Brier", own_answers=True, key=(keys, keys[order]))
    assert joined.to_dicts() == cb.compare(a, b, "Brier", own_answers=True).to_dicts()


def test_classifiers_asked_about_their_top_labels():
    rng = np.random.default_rng(2)
    matrix = rng.dirichlet([1, 1, 1], 400)
    gold = (matrix.cumsum(axis=1) < rng.random((400, 1))).sum(axis=1)
    blurred = 0.5 * matrix + 0.5 * rng.dirichlet([1, 1, 1], 400)
    asked = {
        name: cb.ask(cb.Labels(each), gold, "TopLabel")
        for name, each in (("sharp", matrix), ("blurred", blurred))
    }
    found = cb.compare(asked, own_answers=True, interval=FAST)
    (difference,) = found.accuracy_differences.values()
    right = {name: each.y.mean() for name, each in asked.items()}
    assert abs(difference.value) == pytest.approx(abs(right["sharp"] - right["blurred"]))
    one = next(iter(found.accuracies))
    assert found.accuracies[one].value == pytest.approx(right[one])


def test_equal_models_are_rarely_told_apart():
    rejected = 0
    for seed in range(40):
        a, b = answers(400, seed=seed).values()
        rejected += cb.compare(a, b, "Brier", own_answers=True, interval=FAST).p_value < 0.05
    assert rejected <= 7  # 2 expected; more have a probability below 0.001
