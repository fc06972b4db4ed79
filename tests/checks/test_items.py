import numpy as np
import pytest

from calibrant.checks.items import described, listed_items
from calibrant.errors import InputError


@pytest.mark.parametrize("values", [[1, 2], (1, 2), np.array([1, 2]), iter([1, 2]), range(1, 3)])
def test_what_has_items(values):
    assert listed_items(values, "x", "numbers") == [1, 2]


@pytest.mark.parametrize("values", [None, 3, "ab", b"ab", {"a": 1}, np.array(3), int])
def test_what_has_none(values):
    with pytest.raises(InputError, match=r"^x must be a list of numbers, but it is .*\.$"):
        listed_items(values, "x", "numbers")


@pytest.mark.parametrize("value", ["a" * 1000, 10**100, np.zeros((99, 99)), "a\nb"])
def test_descriptions_stay_on_one_line(value):
    text = described(value)
    assert len(text) < 70
    assert "\n" not in text


def test_integers_that_python_does_not_print():
    assert described(10**5000) == "a very large number"
