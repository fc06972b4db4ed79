"""Cells against their definition in words, by exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.tensors.cells import PLACES, Grid

EDGES = [0.0, -0.0, 5e-324, 1e-30, 2.0**-64, 2.0**-63, 0.25, 0.5, np.nextafter(0.5, 1), 0.75, 1.0]
SEEN = Grid(10, 1)


def cell_by_hand(q, bits):
    """The cell of q and its lower and upper end, as distances from 0 or 1."""
    half = 1 + 64 * 2**bits
    upper = q > 0.5
    r = 1 - Fraction(q) if upper else Fraction(q)
    near, low, width = 0, Fraction(0), Fraction(0)
    if r > 0:
        octave = next((k for k in range(63, -1, -1) if r >= Fraction(1, 2 ** (64 - k))), 0)
        start = Fraction(1, 2 ** (64 - octave))
        width = start / 2**bits
        step = max(0, (r - start) // width)
        near, low = 1 + octave * 2**bits + step, start + step * width
    return (2 * half - 1 - near if upper else near), r, low, width


def placed(grid, q):
    q = np.atleast_1d(np.asarray(q, np.float64))
    upper = q > 0.5
    return grid.place(np, np.where(upper, 1 - q, q), upper)


@given(st.floats(0, 1), st.integers(0, 10))
def test_cell_is_the_one_by_hand(q, bits):
    cell, place = placed(Grid(bits, 1), q)
    wanted, r, low, width = cell_by_hand(q, bits)
    assert cell[0] == wanted
    exact = max(Fraction(0), (r - low) / width) * 2**PLACES if width else 0
    assert abs(int(place[0]) - exact) <= Fraction(1, 2)


@given(st.floats(2.0**-64, 1, width=32), st.integers(0, 10))
def test_places_of_single_precision_are_exact(q, bits):
    grid = Grid(bits, 1)
    cell, place = placed(grid, q)
    r = min(q, 1 - q) if q < 1 else 0.0
    assert grid.distance(cell, place.astype(float))[0] == r


@pytest.mark.parametrize("q", EDGES)
@pytest.mark.parametrize("bits", [0, 5, 10])
def test_edges(q, bits):
    assert placed(Grid(bits, 1), q)[0][0] == cell_by_hand(abs(q), bits)[0]


def test_cells_are_ordered_and_nest():
    q = np.sort(np.random.default_rng(0).beta(0.1, 0.1, 10_000))
    fine = placed(SEEN, q)[0]
    assert (np.diff(fine) >= 0).all()
    for bits in range(10):
        coarse = placed(Grid(bits, 1), q)[0]
        near = np.where(fine >= SEEN.half, SEEN.cells - 1 - fine, fine)
        parent = np.where(near == 0, 0, 1 + ((near - 1) >> (10 - bits)))
        grid = Grid(bits, 1)
        assert (coarse == np.where(fine >= SEEN.half, grid.cells - 1 - parent, parent)).all()


def test_number_of_cells():
    assert SEEN.cells == 131_074
    assert placed(SEEN, 1.0)[0][0] == SEEN.cells - 1


def test_folds_are_even_and_nest():
    group = np.arange(-50_000, 50_000)
    fine = Grid(0, 4096).fold(np, group)
    assert fine.min() >= 0
    assert fine.max() < 4096
    assert (Grid(0, 64).fold(np, group) == fine // 64).all()
    sizes = np.bincount(Grid(0, 64).fold(np, group), minlength=64)
    assert abs(sizes - 100_000 / 64).max() < 6 * np.sqrt(100_000 / 64)


def test_folds_by_hand():
    def by_hand(number):
        prime = 2**31 - 1
        x = number % prime
        x = (x * 1103515245 + 12345) % prime
        x = x * x % prime
        x = (x * 1664525 + 1013904223) % prime
        return x // 2**19

    numbers = [0, 1, -1, 2**31 - 2, 2**31 - 1, 2**63 - 1, -(2**63)]
    found = Grid(0, 4096).fold(np, np.array(numbers, np.int64))
    assert found.tolist() == [by_hand(each) for each in numbers]
