"""Predictions that are shares of draws."""

import math
from itertools import combinations

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration import hypotheses
from calibrant.errors import InputError, UnsupportedError
from calibrant.kernels.draws import held_back, split_draws


def sample(draws, k=0.0, n=3000, seed=0):
    """Outcomes, and how many of `draws` said yes, of a model that is wrong outward by k."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.4, 0.6, n)
    return rng.random(n) < cb.synthetic.outward(k)(q), rng.binomial(draws, q)


@pytest.mark.parametrize(("yes", "draws"), [(0, 4), (3, 4), (4, 4), (5, 8), (1, 2), (9, 12)])
def test_every_split_is_counted(yes, draws):
    """Against all ways to choose which draws are held back."""
    back = int(held_back(np.array(draws)))
    answers = [1] * yes + [0] * (draws - yes)
    wanted = {}
    for chosen in combinations(range(draws), back):
        held = sum(answers[i] for i in chosen)
        share = (yes - held) / (draws - back)
        wanted[share, held / back] = wanted.get((share, held / back), 0) + 1
    found = split_draws(np.array([yes]), np.array([draws]))
    got = dict(zip(zip(found.share, found.held, strict=True), found.weight, strict=True))
    assert got.keys() == wanted.keys()
    for key, ways in wanted.items():
        assert got[key] == pytest.approx(ways / math.comb(draws, back))


def test_each_pair_counts_once_whatever_its_draws():
    rng = np.random.default_rng(1)
    draws = rng.integers(2, 30, 500)
    yes = rng.binomial(draws, 0.3)
    pairs = cb.Pairs.from_draws(rng.random(500) < 0.3, yes, draws)
    assert pairs.n == 500
    assert pairs.groups == 500
    assert pairs.mean(pairs.q) == pytest.approx(np.mean(yes / draws))
    assert pairs.mean(pairs.held) == pytest.approx(np.mean(yes / draws))


def test_ten_thousand_million_draws():
    """So many are certain of their share: held back or not, it is that of all draws."""
    draws = np.array([10**10, 10**10, 10**10 + 7])
    pairs = cb.Pairs.from_draws([0, 1, 1], [10**9, 9 * 10**9, 10**9], draws)
    assert pairs.groups == 3
    assert pairs.n == pytest.approx(3)
    assert pairs.mean(pairs.q) == pytest.approx((0.1 + 0.9 + 0.1) / 3, abs=1e-8)
    assert pairs.mean(pairs.held) == pytest.approx(pairs.mean(pairs.q), abs=1e-8)


def test_a_matrix_of_draws():
    rng = np.random.default_rng(2)
    answers = rng.random((50, 8)) < 0.4
    y = rng.random(50) < 0.4
    assert cb.Pairs.from_draws(y, answers) == cb.Pairs.from_draws(y, answers.sum(axis=1), 8)


@pytest.mark.parametrize("draws", [2, 4, 10, 20, 100])
def test_calibrated_models_show_no_error(draws):
    """The mean over 100 test sets is 0 within its noise; the naive way is far from it."""
    values, naive = [], []
    for seed in range(100):
        y, yes = sample(draws, n=500, seed=seed)
        values.append(cb.CalibMSE()(cb.Pairs.from_draws(y, yes, draws)))
        naive.append(cb.CalibMSE()(cb.Pairs(y, yes / draws)))
    noise = np.std(values) / np.sqrt(100)
    assert abs(np.mean(values)) < 3.5 * noise
    if draws <= 10:
        assert np.mean(naive) > 7 * noise


@pytest.mark.parametrize(("draws", "least", "most"), [(4, 0.042, 0.052), (20, 0.061, 0.074)])
def test_a_true_error_is_attenuated(draws, least, most):
    """Outward by 0.1 the truth is 0.0805; halves of the draws would give .042 and .061."""
    values = []
    for seed in range(20):
        y, yes = sample(draws, 0.1, n=5000, seed=seed)
        values.append(cb.CalibMSE()(cb.Pairs.from_draws(y, yes, draws)))
    assert least < np.sqrt(np.mean(values)) < most


@pytest.mark.parametrize("groups", [False, True])
def test_intervals_and_tests_believe_calibrated_models(groups):
    believed = rejected = 0
    for seed in range(40):
        y, yes = sample(10, n=400, seed=seed)
        group = np.arange(400) // 10 if groups else None
        pairs = cb.Pairs.from_draws(y, yes, 10, group=group)
        believed += cb.score(pairs, interval=cb.Bootstrap(100, seed=seed)).low == 0
        rejected += cb.test(pairs, hypotheses.Joint(replicates=199)).p_value < 0.05
    assert believed >= 34  # 39 expected; fewer have a probability below 0.001
    assert rejected <= 7  # 2 expected; more have a probability below 0.001


@pytest.mark.parametrize(
    "test",
    [
        hypotheses.Joint(),
        hypotheses.Cox(),
        hypotheses.Cumulative(),
        hypotheses.Spiegelhalter(),
        hypotheses.HosmerLemeshow(),
    ],
    ids=repr,
)
def test_wrong_models_are_found(test):
    y, yes = sample(10, 0.1)
    assert cb.test(cb.Pairs.from_draws(y, yes, 10), test).p_value < 0.01


def test_brier_is_that_of_infinitely_many_draws():
    rng = np.random.default_rng(3)
    q = rng.beta(0.4, 0.6, 100_000)
    y, yes = rng.random(q.size) < q, rng.binomial(10, q)
    pairs = cb.Pairs.from_draws(y, yes, 10)
    share = yes / 10
    fair = np.mean((share - y) ** 2 - share * (1 - share) / 9)  # Ferro (2014)
    assert cb.Brier()(pairs) == pytest.approx(fair, abs=1e-12)
    assert cb.Brier()(pairs) == pytest.approx(np.mean((q - y) ** 2), abs=2e-3)


def test_curves_show_what_was_held_back():
    y, yes = sample(4)
    curve = cb.curve(cb.Pairs.from_draws(y, yes, 4), cb.AdaptiveBins(size=300))
    assert len(curve) == 4  # three of the four draws: 0, 1, 2 or 3 of them
    assert np.abs(curve.p - curve.q).max() < 0.06
    naive = cb.curve(cb.Pairs(y, yes / 4).take(np.arange(40)), cb.AdaptiveBins(size=5))
    assert len(naive) <= 5


def test_models_are_compared_by_their_questions():
    y, yes = sample(10, n=2000)
    rng = np.random.default_rng(9)
    good = cb.Pairs.from_draws(y, yes, 10)
    bad = cb.Pairs.from_draws(y, rng.binomial(10, np.clip(yes / 10 + 0.2, 0, 1)), 10)
    found = cb.compare({"good": good, "bad": bad}, interval=cb.Bootstrap(200))
    assert found.sentence == "good is better than bad."
    with pytest.raises(InputError, match="different questions in group"):
        cb.compare(good, cb.Pairs.from_draws(~y, yes, 10))
    with pytest.raises(InputError, match="comes from draws"):
        cb.compare(good, cb.Pairs(y, yes / 10))
    with pytest.raises(InputError, match="must have the same groups"):
        cb.compare(good, cb.Pairs.from_draws(y, yes, 10, group=np.arange(2000) // 2))


def test_row_order_and_weights():
    y, yes = sample(10, n=400)
    order = np.random.default_rng(1).permutation(400)
    one = cb.Pairs.from_draws(y, yes, 10)
    other = cb.Pairs.from_draws(y[order], yes[order], 10)
    assert cb.CalibMSE()(one) == pytest.approx(cb.CalibMSE()(other), rel=1e-10)
    twice = cb.Pairs.from_draws(np.tile(y, 2), np.tile(yes, 2), 10, group=np.arange(800) % 400)
    weighted = cb.Pairs.from_draws(y, yes, 10, weight=np.full(400, 2), group=np.arange(400))
    assert cb.CalibMSE(size=40)(twice) == pytest.approx(cb.CalibMSE(size=40)(weighted), rel=1e-9)
    both = one + other
    assert both.n == pytest.approx(800)
    assert both.held.size == both.q.size


BAD = [
    ({"yes": [1, 2], "draws": 1}, r"draws must be at least 2, but draws\[0\] is 1"),
    ({"yes": [1, 5], "draws": 4}, r"between 0 and draws = 4, but yes\[1\] is 5"),
    ({"yes": [-1, 2], "draws": 4}, r"yes\[0\] is -1"),
    ({"yes": [0.5, 2], "draws": 4}, "whole numbers"),
    ({"yes": [1, 2], "draws": [4, 2.5]}, "draws must hold whole numbers"),
    ({"yes": [1, float("nan")], "draws": 4}, "whole numbers"),
    ({"yes": [1, 2]}, "the number of draws"),
    ({"yes": [[1, 2], [0, 1]]}, "must hold only 0 and 1"),
    ({"yes": [[1], [0, 1]]}, r"^All items of yes must have the same length"),
    (
        {"yes": [1, 2], "draws": 1e300},
        r"draws must be less than 2\*\*53, but draws\[0\] is 1e\+300",
    ),
    ({"yes": [[1, 0], [0, 1]], "draws": 2}, "leave draws out"),
    ({"yes": [1, 2], "draws": [4, 4, 4]}, "the same length"),
    ({"yes": [1], "draws": 4}, "the same length"),
    ({"yes": [], "draws": 4}, "the same length|at least one pair"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_bad_draws(options, message):
    with pytest.raises(InputError, match=message):
        cb.Pairs.from_draws([0, 1], **options)


def test_what_draws_cannot_tell():
    y, yes = sample(10, n=300)
    pairs = cb.Pairs.from_draws(y, yes, 10)
    for ask in (
        lambda: cb.curve(pairs, cb.LocalLikelihood()),
        lambda: cb.curve(pairs, cb.Isotonic()),
        lambda: cb.score(pairs, cb.CalibScore(cb.Kernel())),
        lambda: cb.score(pairs, cb.ECE(cb.Isotonic())),
        lambda: cb.score(pairs, cb.LogLoss()),
        lambda: cb.decompose(pairs),
        lambda: cb.describe(pairs),
        pairs.compress,
    ):
        with pytest.raises(UnsupportedError, match="draws"):
            ask()
    with pytest.raises(InputError, match="cannot be added"):
        _ = pairs + cb.Pairs(y, yes / 10, group=np.arange(300))


def test_files(tmp_path):
    import polars

    y, yes = sample(10, n=200)
    frame = polars.DataFrame({"gold": y.astype(int), "k": yes, "of": [10] * 200})
    wanted = cb.Pairs.from_draws(y, yes, 10)
    assert cb.read(frame, yes="k", draws="of").held == pytest.approx(wanted.held)
    assert cb.read(frame, yes="k", draws=10).held == pytest.approx(wanted.held)
    path = tmp_path / "draws.csv"
    frame.rename({"k": "yes", "of": "draws"}).write_csv(path)
    assert cb.read(path).q == pytest.approx(wanted.q)
    with pytest.raises(InputError, match="not both"):
        cb.read(frame, q="k", yes="k", draws=10)
    with pytest.raises(InputError, match="which column holds the number of draws"):
        cb.read(frame.select("gold", "k"), yes="k")
    path.write_text("y,yes,draws\n1,3,1\n0,1,4\n")
    with pytest.raises(
        cb.errors.FileError, match="line 2, column draws: draws must be a whole number"
    ):
        cb.read(path)


def test_more_yes_than_draws_in_a_file(tmp_path):
    path = tmp_path / "draws.csv"
    path.write_text("y,k\n1,3\n0,12\n")
    with pytest.raises(
        cb.errors.FileError, match="line 3, column k: yes must not exceed draws, but it"
    ):
        cb.read(path, yes="k", draws=10)


def test_sets_of_draws_add_up_without_sharing_groups():
    y, yes = sample(10, n=300)
    pairs = cb.Pairs.from_draws(y, yes, 10)
    assert (pairs + pairs).groups == 600
    named = cb.Pairs.from_draws(y, yes, 10, group=np.arange(300) // 2)
    assert (named + named).groups == 150


@pytest.mark.parametrize(
    "test", [hypotheses.Cox(), hypotheses.HosmerLemeshow(), hypotheses.Joint()], ids=repr
)
def test_draws_that_all_agree_are_no_certainty(test):
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.3
    assert cb.test(cb.Pairs.from_draws(y, np.full(400, 8), 8), test).p_value < 0.01
