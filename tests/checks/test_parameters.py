"""Single arguments that come in."""

import numpy as np
import pytest

from calibrant.checks.parameters import check_level, real_number, whole_number
from calibrant.errors import ParameterError


def test_numbers_become_plain():
    for value in (3, np.int64(3), np.uint8(3)):
        found = whole_number("size", value, 1)
        assert (found, type(found)) == (3, int)
    assert type(real_number("above", np.float32(0.5))) is float
    assert type(real_number("above", np.int16(2))) is int


@pytest.mark.parametrize("value", [0, 11, 2.0, True, "3", None, np.nan])
def test_what_is_not_a_whole_number_in_range(value):
    with pytest.raises(ParameterError, match="size must be a whole number from 1 to 10, but it is"):
        whole_number("size", value, 1, 10)


def test_a_bound_on_one_side():
    assert whole_number("seed", 10**30, 0) == 10**30
    with pytest.raises(ParameterError, match="of at least 0, but it is -1"):
        whole_number("seed", -1, 0)


@pytest.mark.parametrize("value", ["0.5", True, np.inf, np.nan, None, 1j])
def test_what_is_not_a_number(value):
    with pytest.raises(ParameterError, match="above must be a number, but it is"):
        real_number("above", value)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, np.nan, 100])
def test_what_is_not_a_level(level):
    with pytest.raises(ParameterError, match="level must"):
        check_level(level)


def test_percentages_are_recognised():
    assert check_level(0.95) == 0.95
    with pytest.raises(ParameterError, match=r"For 95 % write level=0\.95"):
        check_level(95)
