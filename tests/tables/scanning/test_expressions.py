"""Cells and folds as expressions, computed by polars, against the compiled loops."""

import narwhals as nw
import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.errors import UnsupportedError
from calibrant.kernels.pairs.cells import cells
from calibrant.kernels.pairs.folds import fold_labels
from calibrant.pairs.cell_sums import CellSums, Sums
from calibrant.pairs.given_sums import add_equal, rows_of_sums
from calibrant.tables.scanning.expressions import FINE, with_cells, with_integer_folds
from calibrant.tables.scanning.text_folds import with_text_folds
from calibrant.tables.scanning.totals import REAL, WHOLE

POWERS = [2.0**-k for k in (1, 2, 8, 9, 53, 64, 120, 121, 127, 128, 129, 1022, 1074)]
EDGES = [0.0, -0.0, 1.0, *POWERS, *np.nextafter(POWERS, 0), *np.nextafter(POWERS, 1)]
EDGES += [1 - each for each in EDGES]


def summed(q, bits):
    """What the expressions make of each prediction, with y = 1."""
    frame = polars.LazyFrame({"y": np.ones(len(q)), "q": q, "state": np.full(len(q), FINE)})
    return with_cells(nw.from_native(frame), bits).collect()


@pytest.mark.parametrize("bits", [0, 6, 10])
def test_cells_at_the_edges(bits):
    found = summed(EDGES, bits)
    assert found["cell"].to_list() == cells(np.array(EDGES), bits).tolist()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 10))
def test_cells_and_sums(q, bits):
    found = summed(q, bits)
    assert found["cell"].to_list() == cells(np.array(q), bits).tolist()
    for row, each in enumerate(q):
        loop = CellSums(bits)
        loop.add(np.ones(1), np.array([each]))
        made = [found[name][row] for name in ("cell", *WHOLE, *REAL)]
        assert made == [column[0] for column in loop.sums()[1:]]


LABELS = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(LABELS, min_size=1, max_size=50), st.sampled_from([1, 64, 4096]))
def test_integer_folds(labels, folds):
    frame = polars.LazyFrame({"label": np.array(labels, np.int64)})
    found = with_integer_folds(nw.from_native(frame), folds).collect()["label"]
    assert found.to_list() == fold_labels(np.array(labels, np.int64), folds).tolist()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint32, np.uint64])
def test_folds_of_small_and_unsigned_integers(kind):
    info = np.iinfo(kind)
    labels = np.array([info.min, 0, 1, info.max - 1, info.max], kind)
    frame = polars.LazyFrame({"label": labels})
    found = with_integer_folds(nw.from_native(frame), 4096).collect()["label"]
    assert found.to_list() == fold_labels(labels).tolist()


def test_text_in_an_engine_without_md5():
    frame = polars.LazyFrame({"label": ["doc 1"]})
    with pytest.raises(UnsupportedError, match="folded in Polars: number the groups, or pass"):
        with_text_folds(nw.from_native(frame), 4096)


def test_sums_can_be_taken_elsewhere():
    """Two halves, summed apart and added, are the whole."""
    rng = np.random.default_rng(0)
    q, slot = rng.beta(0.3, 0.3, 5000), rng.integers(0, 7, 5000)
    y = (rng.random(5000) < q).astype(float)
    whole, added = CellSums(8), CellSums(8)
    whole.add(y, q, slot)
    for half in (slice(0, 2000), slice(2000, 5000)):
        part = CellSums(8)
        part.add(y[half], q[half], slot[half])
        added.add_sums(Sums(*part.sums()))
    for one, other in zip(whole.rows()[:4], added.rows()[:4], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(whole.rows().moments, added.rows().moments, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=0)


@pytest.mark.parametrize("size", [0, 1, 5000])
def test_equal_cells_are_added(size):
    rng = np.random.default_rng(0)
    q, slot = rng.beta(0.3, 0.3, size), rng.integers(0, 7, size)
    y = (rng.random(size) < q).astype(float)
    whole, parts = CellSums(8), []
    whole.add(y, q, slot)
    for part in np.array_split(np.arange(size), 3):
        sums = CellSums(8)
        sums.add(y[part], q[part], slot[part])
        parts.append(sums.sums())
    together = Sums(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    found, given = add_equal(together), whole.sums()
    order = np.lexsort((given.cell, given.slot))
    for one, other in zip(found[:6], given[:6], strict=True):
        np.testing.assert_array_equal(one, other[order])
    for one, other in zip(found[6:], given[6:], strict=True):
        np.testing.assert_allclose(one, other[order], rtol=1e-12, atol=0)


@pytest.mark.parametrize("size", [40_000, 200_000])
def test_sums_are_taken_from_places_and_from_the_table(size):
    """Rare octaves have no places; rows that came before have none either."""
    rng = np.random.default_rng(1)
    q, slot = np.append(rng.random(size), 2.0**-100), rng.integers(0, 1024, size + 1)
    q[:50] = 1e-20
    y = (rng.random(size + 1) < q).astype(float)
    one, other = CellSums(6), CellSums(6)
    one.add(y, q, slot)
    other.add(y[:1000], q[:1000], slot[:1000])
    other.add(y[1000:], q[1000:], slot[1000:])
    made = [add_equal(sums.sums()) for sums in (one, other)]
    assert made[0].n.sum() == size + 1
    for first, second in zip(made[0][:6], made[1][:6], strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("size", [5000, 200_000])
@pytest.mark.parametrize("order_of", [None, np.array([3, 0, 6, 1, 5, 2, 4])])
def test_sums_become_rows_without_a_table(size, order_of):
    """To the last bit, by one thread and by several."""
    rng = np.random.default_rng(0)
    q, slot = rng.beta(0.3, 0.3, size), rng.integers(0, 7, size)
    q[: len(EDGES)] = EDGES
    sums = CellSums(10)
    sums.add((rng.random(size) < q).astype(float), q, slot)
    given, expected = sums.sums(), sums.rows(order_of)
    shuffled = rng.permutation(given.cell.size)
    found = rows_of_sums(Sums(*(column[shuffled] for column in given)), 10, order_of)
    for one, other in zip(found[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(found.moments, expected.moments, strict=True):
        np.testing.assert_array_equal(one, other)


def test_added_sums_become_coarser_where_there_are_too_many():
    q = np.linspace(0, 1, 3000)
    fine = CellSums(10)
    fine.add(np.zeros(3000), q)
    small = CellSums(10, rows=200)
    small.add_sums(fine.sums())
    loop = CellSums(10, rows=200)
    loop.add(np.zeros(3000), q)
    assert small.held == loop.held <= 200
    assert small.bits == loop.bits
    np.testing.assert_array_equal(small.rows().q, loop.rows().q)
