"""The table of how predictions are distributed."""

import numpy as np
import pytest

from calibrant.studies.shares import shares_section


def test_shares_of_each_set_add_up_to_1():
    sets = {"a": np.array([0.0, 0.1, 0.6, 1.0]), "b": np.array([0.5])}
    section = shares_section(sets, np.array([0.0, 0.5, 1.0]), "g", "Where they lie.")
    assert [row.interval for row in section.rows] == ["0 to 0.5", "0.5 to 1"]
    assert [row.shares for row in section.rows] == [{"a": 0.5, "b": 0.0}, {"a": 0.5, "b": 1.0}]
    for name in sets:
        assert sum(row.shares[name] for row in section.rows) == pytest.approx(1)


def test_ends_are_written_as_asked():
    section = shares_section({"a": np.array([0.1])}, np.linspace(0, 1, 3), ".2f", "")
    assert [row.interval for row in section.rows] == ["0.00 to 0.50", "0.50 to 1.00"]
