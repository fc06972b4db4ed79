"""Prediction-powered shares, against closed forms, other packages' numbers and simulation."""

import numpy as np
import pytest
from scipy.special import expit

import calibrant as cb
from calibrant.calibration.counting.rectified import rectified_shares
from calibrant.calibration.counting.sampling import how_drawn
from calibrant.pairs.tallies import Tallies


def documents(rng, groups, size, wrong=True):
    """Answers that depend on each other within documents, with wrong probabilities."""
    code = np.repeat(np.arange(groups), size)
    eta = rng.normal(-0.8, 1.2, code.size) + rng.normal(0, 0.8, groups)[code]
    y = (rng.random(code.size) < expit(eta)).astype(float)
    return y, expit(0.7 * eta - 0.3) if wrong else expit(eta), code


def labelled(y, rows):
    gold = np.full(y.size, np.nan)
    gold[rows] = y[rows]
    return gold


def shares(tallies, how="random", **options):
    code = np.zeros(len(tallies), np.int64)
    return rectified_shares(tallies, code, 1, how_drawn(tallies, how, None), 0.95, **options)


def test_the_share_and_its_error_in_closed_form():
    rng = np.random.default_rng(1)
    y, q, _ = documents(rng, 1000, 1)
    rows = rng.choice(1000, 100, replace=False)
    found = shares(Tallies.of_rows(q, labelled(y, rows)), power=0.6)
    error = y[rows] - 0.6 * q[rows]
    assert found.share[0] == pytest.approx(0.6 * q.mean() + error.mean())
    variance = error.var(ddof=1) / 100 * (1 - 100 / 1000)
    assert found.covariance[0, 0] == pytest.approx(variance * 100 / 99)  # the jackknife's factor


def test_documents_drawn_whole_in_closed_form():
    rng = np.random.default_rng(2)
    y, q, code = documents(rng, 60, 10)
    chosen = rng.choice(60, 12, replace=False)
    rows = np.flatnonzero(np.isin(code, chosen))
    found = shares(Tallies.of_rows(q, labelled(y, rows), group=code), power=1.0)
    error = np.bincount(code, y - q)[chosen] / 10
    assert found.share[0] == pytest.approx(q.mean() + error.mean())
    variance = error.var(ddof=1) / 12 * (1 - 12 / 60) * 12 / 11
    assert found.covariance[0, 0] == pytest.approx(variance)


def test_a_population_of_rows_is_the_prediction_powered_mean():
    """With λ = 1 and other rows unlabelled: the formula of ppi_py.ppi_mean_ci (lam=1)."""
    rng = np.random.default_rng(3)
    y, q, _ = documents(rng, 50_000, 1)
    found = shares(Tallies.of_rows(q, labelled(y, np.arange(500))), population=True, power=1.0)
    other, error = q[500:], y[:500] - q[:500]
    wanted = other.mean() + error.mean()
    spread = np.sqrt(other.var() / other.size + error.var() / 500)
    assert found.share[0] == pytest.approx(wanted, abs=5e-3 * np.sqrt(500 / 50_000))
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(spread, rel=0.02)


def test_nothing_is_uncertain_once_everything_is_labelled():
    y, q, code = documents(np.random.default_rng(4), 20, 5)
    found = cb.count(Tallies.of_rows(q, y, group=code))
    assert found.total.count == pytest.approx(y.sum())
    assert (found.total.low, found.total.high) == pytest.approx((y.mean(), y.mean()))
    assert found.estimator == "rectified"


def test_intervals_shrink_as_more_is_labelled():
    rng = np.random.default_rng(5)
    y, q, _ = documents(rng, 1000, 1)
    order = rng.permutation(1000)
    widths = []
    for many in (100, 300, 900, 990, 1000):
        found = shares(Tallies.of_rows(q, labelled(y, order[:many])))
        widths.append(found.high[0] - found.low[0])
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


def test_a_useless_model_is_ignored_and_a_perfect_one_is_believed():
    rng = np.random.default_rng(6)
    y, _, _ = documents(rng, 4000, 1)
    gold = labelled(y, rng.choice(4000, 400, replace=False))
    noise = shares(Tallies.of_rows(rng.random(4000), gold))
    alone = shares(Tallies.of_rows(rng.random(4000), gold), power=0.0)
    assert noise.covariance[0, 0] == pytest.approx(alone.covariance[0, 0], rel=0.05)
    oracle = shares(Tallies.of_rows(y, gold))
    assert oracle.share[0] == pytest.approx(y.mean())
    assert oracle.high[0] - oracle.low[0] < 1e-9


@pytest.mark.parametrize("whole", [False, True])
def test_coverage_by_simulation(whole):
    """Of 400 intervals at 95 %, fewer than 92.3 % (367) would be seen once in a hundred times."""
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(400):
        y, q, code = documents(rng, 100, 10)
        chosen = rng.choice(100, 20, replace=False)
        rows = (
            np.flatnonzero(np.isin(code, chosen)) if whole else rng.choice(1000, 150, replace=False)
        )
        found = shares(Tallies.of_rows(q, labelled(y, rows), group=code))
        hits += found.low[0] <= y.mean() <= found.high[0]
    assert hits >= 369


def test_yes_and_no_may_be_swapped():
    rng = np.random.default_rng(8)
    y, q, code = documents(rng, 50, 8)
    gold = labelled(y, rng.choice(400, 80, replace=False))
    one = shares(Tallies.of_rows(q, gold, group=code))
    other = shares(Tallies.of_rows(1 - q, 1 - gold, group=code))
    assert other.share == pytest.approx(1 - one.share)
    assert other.low == pytest.approx(1 - one.high)


def test_weights_of_the_design_make_uneven_samples_unbiased():
    rng = np.random.default_rng(9)
    y, q, _ = documents(rng, 3000, 1)
    chance = np.clip(0.05 + 0.5 * q * (1 - q), 0, 1)
    errors = []
    for _ in range(300):
        rows = np.flatnonzero(rng.random(3000) < chance)
        tallies = Tallies.of_rows(q, labelled(y, rows))
        found = cb.count(tallies, label_weight=1 / chance)
        errors.append(found.total.share - y.mean())
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(300) + 1e-3


def test_against_ppi_python():
    """The interval of ppi_mean_ci of ppi-python 0.2.3 with lam=1, for the labels before all rows.

    It compares labelled with unlabelled rows, we with all rows: so λ is larger by N / (N − n).
    """
    y, q, _ = documents(np.random.default_rng(11), 2000, 1)
    tallies = Tallies.of_rows(q, labelled(y, np.arange(300)))
    found = shares(tallies, population=True, power=2000 / 1700)
    low, high = 0.3000018, 0.39689968
    assert found.share[-1] == pytest.approx((low + high) / 2, abs=1e-7)
    assert np.sqrt(found.covariance[-1, -1]) == pytest.approx((high - low) / 2 / 1.96, rel=0.005)
    tuned = shares(tallies, population=True)
    assert tuned.share[-1] == pytest.approx(0.34845817, abs=5e-4)  # λ is pulled towards 1


def test_against_glide_in_clusters():
    """The interval of ClusteredPPIMeanEstimator of glide-py 0.11.0 without power tuning."""
    y, q, code = documents(np.random.default_rng(12), 200, 10)
    tallies = Tallies.of_rows(q, labelled(y, np.arange(400)), group=code)
    found = shares(tallies, population=True, power=200 / 160)
    low, high = 0.3138658440658295, 0.40099013713229426
    assert found.share[-1] == pytest.approx((low + high) / 2, abs=1e-9)
    assert np.sqrt(found.covariance[-1, -1]) == pytest.approx((high - low) / 2 / 1.96, rel=0.02)
