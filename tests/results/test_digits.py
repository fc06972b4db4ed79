"""How many digits numbers and p-values have."""

import math

import pytest

from calibrant.results.digits import decimals_of, fixed, p_cell, p_text


@pytest.mark.parametrize(
    ("values", "width", "decimals"),
    [
        ([0.042], 0.031, 3),
        ([0.042], None, 3),
        ([0.0370], 0.0005, 4),
        ([0.37, 0.41], 0.0039, 4),
        ([0.37, 0.41], 0.0041, 3),
        ([12.0], 3.0, 3),
        ([0.00012], None, 5),
        ([0.00012], 0.00002, 6),
        ([0.0], 0.0, 3),
        ([0.5], 1e-9, 3),  # no decimals would show it
        ([1e-15], None, 3),
        ([float("inf")], float("inf"), 3),
        ([None, 0.004], None, 4),
        ([], None, 3),
    ],
)
def test_decimals(values, width, decimals):
    assert decimals_of(values, width) == decimals


def test_the_ends_of_an_interval_differ_visibly():
    for width in (0.9, 0.02, 0.004, 0.0011, 0.0002, 0.00004):
        low, high = 0.036, 0.036 + width
        decimals = decimals_of([low, high], width)
        assert fixed(low, decimals) != fixed(high, decimals)
        assert round(width * 10**decimals) >= 4


def test_zero_has_no_sign():
    assert fixed(-0.0001, 3) == "0.000"
    assert fixed(-0.0006, 3) == "-0.001"
    assert fixed(None, 3) == ""


@pytest.mark.parametrize(
    ("p", "least", "cell"),
    [
        (1.0, 0.0, "1.000"),
        (0.0312, 0.0, "0.031"),
        (0.01, 0.0, "0.010"),
        (0.00312, 0.0, "0.0031"),
        (0.0003, 0.0, "0.0003"),
        (3.61e-06, 0.0, "3.6e-06"),
        (1e-9, 0.0, "1e-09"),
        (9.9e-10, 0.0, "< 1e-9"),
        (0.0, 0.0, "< 1e-9"),
        (1 / 2000, 1 / 2000, "≤ 0.0005"),
        (2 / 2000, 1 / 2000, "0.001"),
        (1 / 100, 1 / 100, "≤ 0.010"),
        (0.0, 1 / 2000, "< 1e-9"),  # certain, whatever the replicates
    ],
)
def test_p_values_are_never_zero(p, least, cell):
    assert p_cell(p, least) == cell
    assert p_text(p, least) == (f"p {cell}" if cell[0] in "<≤" else f"p = {cell}")


def test_what_does_not_exist_is_a_dash():
    assert [fixed(each, 3) for each in (None, math.nan, 0.5)] == ["", "–", "0.500"]
