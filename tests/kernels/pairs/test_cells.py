"""Cells of predictions, against arithmetic with fractions and sums over rows."""

from fractions import Fraction

import numpy as np
import pytest

from calibrant.kernels.pairs.cells import OCTAVES, cells, half_cells
from calibrant.pairs.cell_sums import NO_GROUP, CellSums

SPECIAL = [0.0, 1.0, 0.5, 0.25, 0.75, 5e-324, 1e-300, 2.0**-128, 1 - 2.0**-53, 0.1, 0.9, -0.0]


def predictions(size=4000, seed=0):
    rng = np.random.default_rng(seed)
    parts = [
        rng.random(size),
        10 ** rng.uniform(-45, 0, size),
        1 - 10 ** rng.uniform(-16, 0, size),
        np.round(rng.random(size), 2),
        SPECIAL,
    ]
    return np.concatenate(parts)


def exact_cell(q, bits):
    """The cell by its definition, with fractions."""
    q = Fraction(float(q))
    upper = q > Fraction(1, 2)
    r = 1 - q if upper else q
    half = 0
    if r > 0:
        octave = next(k for k in range(OCTAVES) if r < Fraction(2) ** (k + 1 - OCTAVES))
        inside = r / Fraction(2) ** (octave - OCTAVES) - 1  # from 0 to 1 in the octave
        half = 1 + (octave << bits) + max(0, int(inside * 2**bits))
    return 2 * half_cells(bits) - 1 - half if upper else half


@pytest.mark.parametrize("bits", [0, 3, 10, 20])
def test_cells_are_those_of_their_definition(bits):
    q = predictions(100)
    assert cells(q, bits).tolist() == [exact_cell(each, bits) for each in q]


@pytest.mark.parametrize("bits", [0, 5, 10])
def test_cells_rise_with_q_and_nest(bits):
    q = np.sort(predictions())
    fine, coarse = cells(q, bits + 1), cells(q, bits)
    assert (np.diff(fine) >= 0).all()
    begins = np.flatnonzero(np.diff(coarse))  # a coarse cell ends only where a fine one does
    assert np.isin(begins, np.flatnonzero(np.diff(fine))).all()


def brute(y, q, slot, bits):
    """Sums over the rows of each cell and slot, one by one."""
    found = {}
    for cell, s, a, b in zip(cells(q, bits), slot, y, q, strict=True):
        n, *sums = found.get((cell, s), (0, 0.0, 0.0, 0.0, 0.0))
        new = [old + add for old, add in zip(sums, (a, b, b * b, a * b), strict=True)]
        found[cell, s] = (n + 1, *new)
    return [(s, *found[cell, s]) for cell, s in sorted(found)]


@pytest.mark.parametrize("bits", [0, 4, 10])
@pytest.mark.parametrize("chunk", [7, 100_000])
def test_sums_are_those_of_the_rows(bits, chunk):
    q = np.maximum(predictions(500), 2.0**-128)  # smaller ones count as this
    rng = np.random.default_rng(1)
    y = (rng.random(q.size) < q).astype(float)
    slot = rng.integers(0, 5, q.size)
    sums = CellSums(bits)
    for k in range(0, q.size, chunk):
        part = slice(k, k + chunk)
        assert sums.add(y[part], q[part], slot[part]) == (0, -1)
    found, expected = sums.rows(), np.array(brute(y, q, slot, bits))
    assert np.array_equal(found.slot, expected[:, 0])
    assert np.array_equal(found.weight, expected[:, 1])
    columns = (found.y, found.q, found.moments.square, found.moments.cross)
    for mine, theirs in zip(columns, expected[:, 2:].T, strict=True):
        np.testing.assert_allclose(mine, theirs / found.weight, rtol=1e-12, atol=1e-15)


def test_order_of_rows_changes_nothing():
    q = predictions()
    rng = np.random.default_rng(2)
    y, slot = (rng.random(q.size) < q).astype(float), rng.integers(0, 9, q.size)
    order = rng.permutation(q.size)
    one, other = CellSums(6), CellSums(6)
    one.add(y, q, slot)
    for part in np.array_split(order, 5):
        other.add(y[part], q[part], slot[part])
    first, second = one.rows(), other.rows()
    for name in ("slot", "y", "q", "weight"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_fine_sums_become_coarse_ones_exactly():
    q = predictions()
    rng = np.random.default_rng(3)
    y, slot = (rng.random(q.size) < q).astype(float), rng.integers(0, 9, q.size)
    fine, coarse = CellSums(10), CellSums(4)
    fine.add(y, q, slot)
    coarse.add(y, q, slot)
    fine.coarsen_to(4)
    first, second = fine.rows(), coarse.rows()
    for name in ("slot", "y", "q", "weight"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    for mine, theirs in zip(first.moments, second.moments, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-15)


def test_many_threads_and_no_groups_agree_with_one_thread(monkeypatch):
    rng = np.random.default_rng(4)
    q = rng.random(200_000)
    y = (rng.random(q.size) < q).astype(float)
    many = CellSums()
    many.add(y, q)
    monkeypatch.setattr("calibrant.pairs.cell_sums.workers", lambda: 1)
    one = CellSums()
    one.add(y, q, np.zeros(q.size, np.int64))
    assert np.array_equal(many.rows().q, one.rows().q)
    assert np.array_equal(many.rows().y, one.rows().y)


@pytest.mark.parametrize("kind", [np.float64, np.uint8])
def test_wrong_rows_among_many_are_counted_and_left_out(kind):
    """Rows that are located many at a time, with all special predictions among them."""
    q = np.tile(predictions(4000), 5)
    y = (np.random.default_rng(5).random(q.size) < q).astype(kind)
    spoilt, wrong = q.copy(), [33_333, 33_334, 60_000, q.size - 1]
    spoilt[wrong] = [np.nan, -0.1, np.inf, 1.5]
    y[50_000] = 2
    good = np.delete(np.arange(q.size), [*wrong, 50_000])
    one, other = CellSums(), CellSums()
    assert one.add(y, spoilt) == (5, 33_333)
    other.add(y[good].astype(float), q[good], np.zeros(good.size, np.int64))
    first, second = one.rows(), other.rows()
    for name in ("y", "q", "weight"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
    assert first.weight.sum() == good.size


def test_mean_of_equal_predictions_is_that_prediction():
    q = np.repeat(np.round(np.random.default_rng(0).random(300), 3), 7)
    sums = CellSums()
    sums.add(np.ones(q.size), q)
    assert set(sums.rows().q) == set(q)


def test_rows_stay_below_the_limit():
    q = predictions()
    sums = CellSums(10, rows=300)
    sums.add(np.zeros(q.size), q)
    assert sums.held <= 300
    assert sums.bits < 10
    assert sums.rows().weight.sum() == q.size


@pytest.mark.parametrize("slot", [NO_GROUP, np.zeros(5, np.int64)])
def test_wrong_rows_are_counted_and_left_out(slot):
    y, q = np.array([0.0, 1, 2, 1, 0]), np.array([0.5, np.nan, 0.5, 1.5, 0.25])
    sums = CellSums()
    assert sums.add(y, q, slot) == (3, 1)
    assert sums.rows().q.tolist() == [0.25, 0.5]


@pytest.mark.parametrize("groups", [1, 3, 500])
def test_a_batch_of_one_row_keeps_its_group(groups):
    rng = np.random.default_rng(5)
    q, slot = rng.random(50_000), rng.integers(0, groups, 50_000)
    y, last = np.zeros(q.size), groups - 1
    sums = CellSums(4)
    sums.add(y, q, slot)
    sums.add(np.ones(1), np.array([0.3]), np.array([last]))
    found = sums.rows()
    assert found.slot[found.y > 0].tolist() == [last]


def test_counts_never_outgrow_their_places(monkeypatch):
    monkeypatch.setattr("calibrant.pairs.cell_sums.MOST_COUNTED", 100_000)
    q = np.random.default_rng(6).random(40_000)
    many, once = CellSums(), CellSums()
    for _ in range(7):
        many.add(np.ones(q.size), q)
    once.add(np.ones(7 * q.size), np.tile(q, 7))
    assert np.array_equal(many.rows().q, once.rows().q)
    assert np.array_equal(many.rows().weight, once.rows().weight)
