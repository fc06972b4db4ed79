"""Adjust p-values for the number of tests."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Adjust p-values by Holm's method, which controls any false rejection.

    It needs no assumption about how the tests depend on each other.

    Reference: Holm (1979), Scandinavian Journal of Statistics 6, 65–70.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted, least = {}, 0.0
    for rank, (key, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(p_values) - rank)))
        adjusted[key] = least
    return {key: adjusted[key] for key in p_values}
