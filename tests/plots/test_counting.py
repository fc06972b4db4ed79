"""Figures of counts."""

import numpy as np
import pytest

import calibrant as cb


@pytest.fixture(scope="module")
def pairs():
    return cb.synthetic.calibrated(600, seed=1)


def count(pairs, by, values):
    return cb.count(pairs, columns={by.split(":")[0]: values}, by=by, estimator="posterior")


def test_periods_are_a_line_in_a_band(pairs):
    dates = [f"2020-{1 + k % 7:02d}" for k in range(600)]
    found = count(pairs, "date:month", dates)
    axes = cb.plot(found)
    line = axes.get_lines()[0]
    assert line.get_xdata() == pytest.approx(found.times)
    assert line.get_ydata() == pytest.approx([each.share for each in found.categories])
    assert len(axes.collections) == 1
    assert axes.get_ylim()[0] == 0


def test_categories_are_dots_with_bars(pairs):
    found = count(pairs, "kind", list(np.where(np.arange(600) % 3, "news", "web")))
    axes = cb.plot(found)
    assert [each.get_text() for each in axes.get_xticklabels()] == ["news", "web"]
    assert axes.get_legend().get_texts()[-1].get_text().startswith("posterior")


def test_a_total_alone_is_drawn(pairs):
    assert cb.plot(cb.count(pairs, estimator="posterior")).get_ylabel() == "share"
