"""Temperatures: what they accept, and how they print."""

import pytest

from calibrant.errors import ParameterError, UnknownName
from calibrant.structures.tempering.temperatures import Temperatures, given_temperatures


def test_one_temperature_is_that_of_every_kind() -> None:
    found = given_temperatures(1.5, ("emissions", "transitions"))
    assert (found["emissions"], found["transitions"], found["bias"]) == (1.5, 1.5, 0.0)
    assert str(found) == "temperature 1.500"
    assert found
    assert not Temperatures.none
    assert not given_temperatures({"emissions": 1.0}, ("emissions", "transitions"))


@pytest.mark.parametrize("value", [0, -1.0, 1e-309, 1e300, float("nan"), float("inf"), "2", True])
def test_a_temperature_must_be_positive(value: float) -> None:
    with pytest.raises(ParameterError, match="temperature must"):
        given_temperatures(value, ())


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(UnknownName, match="Did you mean emissions"):
        given_temperatures({"emission": 2.0}, ("emissions", "transitions"))
    with pytest.raises(ParameterError, match="alone"):
        given_temperatures({"all": 2.0, "emissions": 2.0}, ("emissions", "transitions"))
