"""Plans of labels: chances, unbiasedness, and widths that come true."""

import numpy as np
import pytest
from scipy.special import expit

import calibrant as cb
from calibrant.calibration.counting.planning import (
    chances,
    draw_systematic,
    plan_for_score,
    plan_labels,
    random_plan,
)
from calibrant.errors import CalibrantError
from calibrant.pairs.tallies import Tallies


def collection(seed, rows=2000, groups=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(-1.5, 2, rows)
    code = None if groups is None else np.arange(rows) % groups
    q = expit(x)
    return (rng.random(rows) < expit(0.8 * x)).astype(float), q, code


def labelled(y, rows, weight):
    gold, design = np.full(y.size, np.nan), np.full(y.size, np.nan)
    gold[rows], design[rows] = y[rows], weight
    return gold, design


@pytest.mark.parametrize("even", [0.1, 0.5, 1.0])
def test_chances_add_up_and_weights_are_bounded(even):
    error = np.random.default_rng(1).exponential(size=500)
    error[0] = 1000
    found = chances(error, 60, even)
    assert found.sum() == pytest.approx(60)
    assert (found.max() == 1) == (even < 1)
    assert (1 / found).max() <= 500 / 60 / even * 1.02


def test_every_unit_is_drawn_as_often_as_its_chance_says():
    rng = np.random.default_rng(2)
    chance = chances(rng.exponential(size=40), 10, 0.2)
    times = np.zeros(40)
    for _ in range(4000):
        drawn = draw_systematic(chance, rng)
        assert drawn.size == 10
        times[drawn] += 1
    assert times / 4000 == pytest.approx(chance, abs=5 * 0.5 / np.sqrt(4000))


def test_the_planned_sample_is_unbiased_and_as_wide_as_planned():
    """The mean error of 100 plans lies within three standard errors of 0."""
    y, q, _ = collection(3)
    pilot = cb.Pairs(*collection(4)[:2])
    errors, widths, hits = [], [], 0
    for seed in range(100):
        plan = plan_labels(Tallies.of_rows(q), 0.06, pilot=pilot, seed=seed)
        gold, design = labelled(y, plan.rows, plan.weight)
        found = cb.count(Tallies.of_rows(q, gold), label_weight=design).total
        errors.append(found.share - y.mean())
        widths.append(found.high - found.low)
        hits += found.low <= y.mean() <= found.high
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(100)
    assert np.median(widths) == pytest.approx(0.06, rel=0.12)
    assert hits >= 89  # fewer would be seen once in a hundred times


def test_certain_rows_are_drawn_less_often_and_fewer_labels_are_needed():
    _, q, _ = collection(5)
    plan = plan_labels(Tallies.of_rows(q), 0.05)
    sure = np.abs(q[plan.rows] - 0.5) > 0.45
    assert plan.weight[sure].mean() > 2 * plan.weight[~sure].mean()
    assert plan.parts[0].planned < 0.9 * plan.parts[0].random


def test_whole_groups():
    y, q, code = collection(6, groups=100)
    plan = plan_labels(Tallies.of_rows(q, group=code), 0.08, groups=True)
    assert set(np.bincount(code[plan.rows], minlength=100)) == {0, 20}
    gold, design = labelled(y, plan.rows, plan.weight)
    found = cb.count(Tallies.of_rows(q, gold, group=code), label_weight=design)
    assert found.total.low <= y.mean() <= found.total.high


def test_each_category_gets_its_labels():
    _, q, _ = collection(7)
    kind = np.where(np.arange(2000) < 500, "a", "b")
    plan = plan_labels(Tallies.of_rows(q, by={"kind": kind}), 0.1, by="kind")
    assert [each.name for each in plan.parts] == ["a", "b"]
    assert all(each.width <= 0.1 for each in plan.parts)
    held = [int((plan.rows < 500).sum()), int((plan.rows >= 500).sum())]
    assert held == [each.planned for each in plan.parts]


def test_a_score_needs_four_times_the_labels_for_half_the_width():
    assert plan_for_score(100, 0.2, 0.1) == 400
    assert random_plan(Tallies.of_rows(np.full(500, 0.5)), 400, 0.1, False, "x", 0).rows.size == 400


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 3}, "between 0 and 1"),
        ({"width": 0.1, "even": 0}, "weights stay bounded"),
        ({"width": 0.1, "groups": True}, "no groups to draw"),
    ],
)
def test_bad_plans_are_refused(options, words):
    with pytest.raises(CalibrantError, match=words):
        plan_labels(Tallies.of_rows([0.2, 0.4]), **options)
