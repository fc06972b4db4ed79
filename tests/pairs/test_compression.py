"""Compressed pairs with groups give the same answers as the pairs themselves."""

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant import verbs  # noqa: F401 - registers all names
from calibrant.errors import InputError, ParameterError, UnsupportedError
from calibrant.kernels.pairs.folds import fold_labels
from calibrant.results.naming import REGISTRY

NEED_ARGUMENTS = ("Rule",)
SCORES = sorted(set(REGISTRY["score"]) - set(NEED_ARGUMENTS))
TESTS = sorted(REGISTRY["test"])
CURVES = sorted(REGISTRY["curve"])


def made(groups=40, seed=0, decimals=2):
    """Documents of unequal size that share an effect; predictions with ties."""
    rng = np.random.default_rng(seed)
    size = rng.integers(3, 30, groups)
    group = np.repeat(np.arange(groups) * 7 - 3, size)
    x, effect = rng.normal(size=group.size), np.repeat(rng.normal(size=groups), size)
    q = np.round(1 / (1 + np.exp(-x)), decimals)
    y = (rng.random(q.size) < 1 / (1 + np.exp(-0.7 * x - 0.5 * effect))).astype(int)
    order = rng.permutation(q.size)
    return y[order], q[order], group[order]


def close(one, other, tolerance=1e-10):
    one, other = one.to_frame(), other.to_frame()
    assert one.columns == other.columns
    for name in one.columns:
        if one[name].dtype.is_float():
            np.testing.assert_allclose(one[name], other[name], rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module")
def both():
    y, q, group = made()
    pairs = cb.Pairs(y, q, group=group)
    return pairs, pairs.compress()


def test_rows_are_distinct_predictions_of_groups(both):
    pairs, small = both
    distinct = set(zip(pairs.q.tolist(), pairs.group.tolist(), strict=True))
    assert len(small) == len(distinct) < len(pairs)
    assert set(zip(small.q.tolist(), small.group.tolist(), strict=True)) == distinct
    assert small.effective_groups == pytest.approx(pairs.effective_groups, rel=1e-14)


@pytest.mark.parametrize("score", SCORES)
def test_every_score_and_its_interval(both, score):
    pairs, small = both
    fast = cb.Bootstrap(replicates=200)
    close(*(cb.score(each, [score], interval=fast) for each in (pairs, small)))


@pytest.mark.parametrize("test", TESTS)
def test_every_test(both, test):
    pairs, small = both
    close(*(cb.test(each, [test]) for each in (pairs, small)))


@pytest.mark.parametrize("curve", CURVES)
def test_every_curve(both, curve):
    pairs, small = both
    close(*(cb.curve(each, curve) for each in (pairs, small)))


@pytest.mark.parametrize("rule", ["Brier", "LogLoss"])
def test_decompositions(both, rule):
    close(*(cb.decompose(each, rule) for each in both))


def test_descriptions(both):
    close(*map(cb.describe, both))


@pytest.mark.parametrize("score", ["CalibScore", "ECE", "Brier"])
def test_comparisons(both, score):
    pairs, small = both
    other = cb.Pairs(pairs.y, np.round(pairs.q**1.3, 2), group=pairs.group)
    plain = cb.compare({"a": pairs, "b": other}, score)
    close(plain, cb.compare({"a": small, "b": other.compress()}, score))
    close(plain, cb.compare({"a": pairs, "b": other.compress()}, score))


def test_without_groups_tests_and_descriptions_agree_too():
    y, q, _ = made()
    pairs = cb.Pairs(y, q)
    for verb in (cb.describe, lambda each: cb.test(each, TESTS)):
        close(verb(pairs), verb(pairs.compress()))


@pytest.mark.parametrize("folds", [16, 64, 4096])
def test_folded_pairs_are_pairs_whose_groups_are_folds(folds):
    y, q, group = made(groups=300)
    folded = cb.Pairs(y, q, group=group).compress(folds=folds)
    by_hand = cb.Pairs(y, q, group=fold_labels(group, folds))
    assert folded.groups == by_hand.groups <= folds
    assert f"{folded.groups} folds" in repr(folded)
    close(cb.score(folded, ["CalibScore", "Brier"]), cb.score(by_hand, ["CalibScore", "Brier"]))


def test_many_groups_are_folded_by_themselves():
    rng = np.random.default_rng(0)
    group = np.arange(2000).repeat(2)
    pairs = cb.Pairs(rng.integers(0, 2, 4000), rng.random(4000), group=group)
    assert pairs.compress(bits=10).folds == 1024
    assert pairs.compress(bits=10, folds=4096).folds == 4096
    assert pairs.compress(folds=2048).compress(bits=10).folds == 2048
    assert pairs.compress(folds=16).compress(folds=64).folds == 16  # folds cannot be undone
    assert pairs.compress().folds is None  # nothing changes without bits
    assert cb.Pairs(pairs.y[:2048], pairs.q[:2048], group=group[:2048]).compress(10).folds is None


def test_sums_of_parts_are_the_summary_of_the_whole():
    y, q, group = made(groups=500, decimals=9)
    whole = cb.Pairs(y, q, group=group)
    parts = [cb.Pairs(y[k::3], q[k::3], group=group[k::3]) for k in range(3)]
    expected = whole.compress(bits=5, folds=64)
    added = parts[0].compress(bits=8) + parts[1].compress(bits=5, folds=256) + parts[2]
    assert added.folds == 256
    again = added.compress(bits=5, folds=64)
    assert again.folds == 64
    for name in ("q", "y", "weight", "group"):
        np.testing.assert_allclose(getattr(again, name), getattr(expected, name), rtol=1e-14)


def test_a_folded_part_folds_the_sum_in_either_order():
    one = cb.Pairs([0, 1], [0.1, 0.2], group=["a", "b"])
    two = cb.Pairs([1], [0.5], group=["a"])
    for added in (one.compress(folds=16) + two, two + one.compress(folds=16)):
        assert added.folds == 16
        assert added.groups == 2  # group a is one fold in both
    assert (one.compress(folds=16) + two.compress(folds=8)).folds == 8


def test_numbers_of_rows_and_bits_adapt():
    rng = np.random.default_rng(0)
    q = rng.random(50_000)
    pairs = cb.Pairs(rng.random(q.size) < q, q, group=np.arange(q.size) % 100)
    small = pairs.compress(bits=10, rows=2000)
    assert len(small) <= 2000
    assert small.n == pairs.n
    assert cb.Brier()(small) == pytest.approx(cb.Brier()(pairs), rel=1e-12)


def test_fractional_weights_keep_their_groups():
    y, q, group = made()
    weight = np.random.default_rng(0).random(q.size) + 0.5
    pairs = cb.Pairs(y, q, weight=weight, group=group)
    small = pairs.compress()
    assert small.groups == pairs.groups
    assert cb.Brier()(small) == pytest.approx(cb.Brier()(pairs), rel=1e-12)


@pytest.mark.parametrize("score", ["CalibScore", "ECE", "Brier", "LogLoss", "Spherical"])
def test_error_of_cells_is_below_the_stated_bound(score):
    """Every q moves by 2^-bits of itself, so a mean of |Δloss| moves by at most that."""
    rng = np.random.default_rng(1)
    q = rng.beta(0.5, 0.5, 20_000).clip(1e-9, 1 - 1e-9)
    y = (rng.random(q.size) < q**1.2).astype(int)
    pairs = cb.Pairs(y, q, group=np.arange(q.size) % 500)
    for bits in (6, 10):
        change = abs(cb.score(pairs, score).value - cb.score(pairs.compress(bits), score).value)
        assert change <= 2.0**-bits


def test_bad_arguments_are_refused():
    pairs = cb.Pairs([0, 1], [0.1, 0.2], group=[1, 2])
    for folds in (0, 1, 3, 8192, 2.0, "16"):
        with pytest.raises(ParameterError, match="folds must be a power of two from 2 to 4096"):
            pairs.compress(folds=folds)
    with pytest.raises(ParameterError, match="rows must be a whole number of at least 1"):
        pairs.compress(bits=3, rows=0)


def test_comparisons_that_cannot_be_paired_are_refused():
    y, q, group = made()
    grouped, plain = cb.Pairs(y, q, group=group), cb.Pairs(y, q)
    with pytest.raises(UnsupportedError, match="Compressed pairs without groups cannot be"):
        cb.compare(plain.compress(), plain.compress())
    with pytest.raises(InputError, match="16 folds of groups and b has groups as given: fold both"):
        cb.compare(grouped.compress(folds=16), grouped.compress())
    other = cb.Pairs(1 - y, q, group=group).compress()
    with pytest.raises(InputError, match="answer different questions in group -3: compare models"):
        cb.compare(grouped.compress(), other)


def test_split_rows_are_pairs_again(both):
    pairs, small = both
    tied = small.tied
    assert set(np.unique(tied.y)) == {0, 1}
    assert tied.n == pairs.n
    assert tied.groups == pairs.groups
    assert tied.mean(tied.y) == pytest.approx(pairs.mean(pairs.y))
    frame = polars.DataFrame({"y": tied.y, "q": tied.q, "g": tied.group, "n": tied.weight})
    plain = polars.DataFrame({"y": pairs.y, "q": pairs.q, "g": pairs.group})
    counts = plain.group_by("y", "q", "g").len("n").sort("y", "q", "g")
    merged = frame.sort("y", "q", "g")
    assert np.array_equal(counts["n"], merged["n"])


def test_huge_weights_do_not_overflow():
    pairs = cb.Pairs([0, 1], [0.3, 0.3001], weight=[2**40, 2**40])
    small = pairs.compress(bits=4)
    assert small.n == pairs.n
    assert small.q.tolist() == pytest.approx([0.30005])
