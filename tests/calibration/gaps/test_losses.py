import numpy as np
import pytest

import calibrant as cb
from calibrant.calibration.gaps import losses as module
from calibrant.pairs import synthetic

PAIRS = synthetic.sample(500, seed=1)
BRIER = cb.Brier()


def test_units_are_kinds_of_pairs():
    few = cb.Pairs([0, 1, 1, 0], [0.2, 0.5, 0.5, 0.5])
    found = BRIER.evidence(few)
    assert found.groups is None
    np.testing.assert_allclose(found.total, [0.04, 0.75])
    np.testing.assert_array_equal(found.weight, [1, 3])


def test_units_are_groups():
    pairs = cb.Pairs(PAIRS.y, PAIRS.q, group=np.arange(500) % 7)
    found = BRIER.evidence(pairs)
    rows = (PAIRS.q - PAIRS.y) ** 2
    wanted = sorted(rows[np.arange(500) % 7 == g].sum() for g in range(7))
    np.testing.assert_allclose(found.total, wanted, rtol=1e-12)
    assert found.groups == 7


def test_many_kinds_are_pooled(monkeypatch):
    exact = BRIER.evidence(PAIRS)
    monkeypatch.setattr(module, "KINDS", 50)
    pooled = BRIER.evidence(PAIRS)
    assert pooled.total.size <= 50 < exact.total.size
    assert pooled.value == exact.value
    assert pooled.total.sum() == pytest.approx(exact.total.sum(), rel=1e-12)
    assert pooled.weight.sum() == 500


def test_infinite_losses_are_one_unit():
    with pytest.warns(cb.errors.CalibrantWarning, match="infinite"):
        found = cb.LogLoss().evidence(cb.Pairs([1, 0], [0.0, 0.2]))
    assert found.value == np.inf
    assert found.groups is None


@pytest.mark.filterwarnings("ignore:The groups are worth only")
@pytest.mark.parametrize("grouped", [False, True])
def test_no_limit_leaves_the_range_of_the_losses(grouped):
    """Sums of very unequal weights are rounded: means of the light rows alone exceeded 1."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, weight = rng.integers(0, 2, 30), 10.0 ** rng.uniform(-15, 15, 30)
        group = rng.integers(0, 5, 30) if grouped else None
        wrong = cb.Pairs(y, 1 - y, weight=weight, group=group)
        found = cb.score(wrong, BRIER, interval=cb.Bootstrap(100))
        assert (found.low, found.value, found.high) == (1, 1, 1)


def test_compressed_rows_lose_more_than_their_means():
    small = cb.Pairs([1, 1], [0.4, 0.6]).compress(1)
    found = cb.score(small, BRIER)
    assert found.low <= found.value <= found.high
    assert found.value == pytest.approx((0.6**2 + 0.4**2) / 2)
