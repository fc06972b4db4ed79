import numpy as np
import pytest
from scipy.special import expit

import calibrant as cb
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.maps import logits
from calibrant.kernels.calibration.logistic import fit_line


def made(groups, size, slope=1.0, seed=0, copies=1):
    """Pairs that are independent, but for copies of each within its group."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1.5, groups * size).round(1)
    y = rng.random(x.size) < expit(x)
    group = np.repeat(np.arange(groups), size)
    again = np.repeat(np.arange(x.size), copies)
    return cb.Pairs(y[again], expit(x[again] / slope), group=group[again])


def by_hand(pairs):
    """Two over the trace of information⁻¹ · noise, group by group."""
    x = logits(pairs.q)
    line = fit_line(x, np.ones(x.size), pairs.y.astype(float))
    p = expit(line.intercept + line.slope * x)
    design = np.column_stack([np.ones_like(x), x])
    information = (design * (p * (1 - p))[:, None]).T @ design
    noise = np.zeros((2, 2))
    for label in np.unique(pairs.group):
        inside = pairs.group == label
        total = design[inside].T @ (pairs.y - p)[inside]
        noise += np.outer(total, total)
    noise *= pairs.groups / (pairs.groups - 2)
    return min(1.0, 2 / np.trace(np.linalg.solve(information, noise)))


def worth(pairs):
    return folded_cells(pairs, 0).without().worth


def test_few_distinct_predictions_are_worth_what_their_groups_say():
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(25), rng.integers(5, 60, 25))
    q = rng.choice([0.1, 0.3, 0.6, 0.8], group.size)
    y = rng.random(group.size) < expit(logits(q) + rng.normal(0, 0.8, 25)[group])
    pairs = cb.Pairs(y, q, group=group)
    assert worth(pairs) == pytest.approx(by_hand(pairs), rel=1e-9)
    assert worth(pairs) < 0.85


def test_many_distinct_predictions_are_taken_in_bins():
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(40), 50)
    x = rng.normal(0, 2, group.size)
    y = rng.random(group.size) < expit(x + rng.normal(0, 1, 40)[group])
    pairs = cb.Pairs(y, expit(x), group=group)
    assert worth(pairs) == pytest.approx(by_hand(pairs), rel=0.02)


def test_copies_share_what_one_is_worth():
    one = worth(made(300, 10, seed=2))
    assert one > 0.85
    assert worth(made(300, 10, seed=2, copies=4)) == pytest.approx(one / 4, rel=0.1)


def test_extreme_predictions_do_not_look_dependent():
    """The common error of an overconfident model is no dependence between pairs of a group."""
    assert worth(made(100, 30, slope=0.1, seed=7)) > 0.8


def test_rows_are_worth_their_weight():
    """Rows of weight w hold Σw units, and the noise of Σw²."""
    pairs = made(100, 40, seed=4)
    whole = cb.Pairs(pairs.y, pairs.q, weight=np.full(len(pairs), 3.0))
    assert worth(cb.Pairs(pairs.y, pairs.q)) == worth(whole) == 1.0
    weight = np.random.default_rng(1).uniform(0.5, 4, len(pairs))
    shares = cb.Pairs(pairs.y, pairs.q, weight=weight)
    held = np.asarray(shares.weight)
    assert worth(shares) == pytest.approx(min(1.0, held.mean() / np.mean(held**2)), rel=0.08)
