"""The variance of groups, pooled: its parts are recovered, and its noise is smaller."""

import numpy as np
import pytest

from calibrant.calibration.groups.pooling import WORTH, Expected

RNG = np.random.default_rng(5)
SIZES = np.array([400.0, 90, 60, 60, 40, 30, 30, 25, 20, 20, 15, 10, 10, 5, 5])


def of_sizes(sizes):
    """Groups of pairs that all have the variance 1."""
    return Expected.of(sizes, sizes)


def drawn(expected, dependence, times):
    """The squares of what groups add, in many samples."""
    variance = expected.alone + dependence * expected.shared
    return (np.sqrt(variance) * RNG.standard_normal((times, variance.size))) ** 2


def test_pairs_that_agree_add_their_standard_deviations():
    found = of_sizes(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(found.shared, [0.0, 6.0])  # 3² − 3
    found = Expected.of(np.array([4.0]), np.array([1.0]))  # opposite signs: nothing to share
    assert found.shared == 0


@pytest.mark.parametrize("dependence", [0.05, 0.3, 1.0])
def test_dependence_is_found(dependence):
    groups = of_sizes(np.tile(SIZES, 40))
    found = [groups.dependence(each) for each in drawn(groups, dependence, 50)]
    assert np.mean(found) == pytest.approx(dependence, abs=4 * np.std(found) / np.sqrt(50) + 1e-3)
    exact = groups.alone + dependence * groups.shared
    assert groups.dependence(exact) == pytest.approx(dependence)


def test_less_variation_than_by_chance_is_no_dependence():
    groups = of_sizes(SIZES)
    assert groups.dependence(0.1 * groups.alone) == 0.0


def test_the_pooled_variance_is_right_on_average_and_varies_less():
    """Most of the variance is that of one group, of which a single square is seen."""
    groups = of_sizes(SIZES)
    wanted = float((groups.alone + 0.3 * groups.shared).sum())
    samples = drawn(groups, 0.3, 3000)
    shown = samples.sum(axis=1)
    pooled = shown + [groups.pooled(each).correction for each in samples]
    for each in (shown, pooled):
        assert each.mean() == pytest.approx(wanted, rel=0.06)
    assert pooled.std() < 0.6 * shown.std()
    assert np.quantile(pooled, 0.1) > 2 * np.quantile(shown, 0.1)


def test_equal_groups_have_nothing_to_pool():
    squares = RNG.random(12)
    assert of_sizes(np.full(12, 7.0)).pooled(squares).total >= 12 * 7
    scaled = 100 * squares  # more than by chance
    found = of_sizes(np.full(12, 7.0)).pooled(scaled)
    assert found.total == pytest.approx(scaled.sum())
    assert found.effective == pytest.approx(12)
    assert found.correction == pytest.approx(0, abs=1e-9 * scaled.sum())


def test_many_groups_speak_for_themselves():
    """If pairs of large groups depend on each other more, pooling is wrong, but hardly counts."""
    sizes = np.concatenate([np.full(3000, 2.0), np.full(1000, 10.0)])
    groups = of_sizes(sizes)
    squares = np.where(sizes > 5, groups.alone + 0.8 * groups.shared, groups.alone)
    found = groups.pooled(squares)
    assert found.total < 0.9 * found.shown
    assert abs(found.correction) < 0.01 * found.shown
    assert found.own == pytest.approx(found.effective / (found.effective + WORTH))


@pytest.mark.parametrize("groups", [of_sizes(np.ones(5)), of_sizes(np.zeros(5))])
def test_single_pairs_and_certain_predictions_have_nothing_to_pool(groups):
    squares = np.arange(5.0)
    assert groups.pooled(squares).correction == 0


def test_units_do_not_matter():
    groups = of_sizes(SIZES)
    squares = drawn(groups, 0.2, 1)[0]
    scaled = Expected(9 * groups.alone, 9 * groups.shared).pooled(9 * squares)
    assert scaled.correction == pytest.approx(9 * groups.pooled(squares).correction, rel=1e-9)
