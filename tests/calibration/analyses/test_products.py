"""The variance of products of errors, which the jackknife counts twice."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.analyses.leaving_out import Folds, left_out_totals
from calibrant.calibration.analyses.products import counted_twice, products
from calibrant.pairs.shared_order import in_shared_order


def pairs(seed, n=500, groups=0):
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.1, 0.9, n)
    group = np.arange(n) % groups if groups else None
    return cb.Pairs(rng.random(n) < q, q, group=group)


def test_products_by_leaving_two_groups_out():
    """T − T without g − T without h + T without both, with the same bins."""
    whole = pairs(1, 2000, groups=40)
    score = cb.CalibMSE(cb.UniformBins(count=5))
    found = products(score, whole, Folds.of({"a": whole}))

    def total(*left_out):
        return score(whole.take(np.flatnonzero(~np.isin(whole.group, left_out))))

    alone = [total(g) for g in range(40)]
    wanted, mine = [], []
    for g in range(0, 40, 5):
        for h in range(g + 1, 40, 3):
            wanted.append(total() - alone[g] - alone[h] + total(g, h))
            mine.append(found[g, h])
    assert np.corrcoef(wanted, mine)[0, 1] > 0.95  # the sizes of bins change, too
    assert np.linalg.norm(mine) == pytest.approx(np.linalg.norm(wanted), rel=0.15)


def test_products_by_hand():
    """One bin, four rows: 2 r_i r_j / (n² − n)."""
    one = cb.Pairs([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5])
    score = cb.CalibMSE(cb.UniformBins(count=1))
    found = products(score, one, Folds.of({"a": one}))
    sign = np.array([1, -1, 1, -1])
    wanted = 2 * 0.25 * np.outer(sign, sign) / 12
    np.fill_diagonal(wanted, 0)
    np.testing.assert_allclose(found, wanted)
    assert counted_twice(found, 0 * found) == pytest.approx(6 * (0.5 / 12) ** 2)
    assert counted_twice(found, found) == 0


@pytest.mark.parametrize("groups", [0, 50])
def test_the_variance_of_calibrated_models_is_right(groups):
    """Their sums of squares consist of products alone, which the jackknife doubles."""
    score, rows = cb.CalibMSE(), []
    for seed in range(120):
        models = in_shared_order(
            {name: pairs(2 * seed + k, 500, groups) for k, name in enumerate("ab")}
        )
        folds = Folds.of(models)
        (a, of_a), (b, of_b) = (left_out_totals(score, each, folds) for each in models.values())
        both = [products(score, each, folds) for each in models.values()]
        squares = np.sum((of_a - of_b) ** 2)
        rows.append((a - b, squares, squares - counted_twice(*both)))
    difference, squares, corrected = np.array(rows).T
    true = np.mean(difference**2)  # known to 13 % (one standard error)
    assert squares.mean() > 1.5 * true
    assert 0.7 * true < corrected.mean() < 1.4 * true


def test_other_scores_have_no_products():
    one = pairs(1)
    folds = Folds.of({"a": one})
    for score in (cb.Brier(), cb.ECE(), cb.CalibScore(cb.LocalLikelihood(bandwidth=1.0))):
        assert products(score, one, folds) is None
    assert counted_twice(None, None) == 0
