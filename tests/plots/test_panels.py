import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError
from calibrant.plots import Sweep, plot_dot_panels, plot_panels, plot_sweep_panels

CURVES = {name: cb.curve(cb.synthetic.sample(500, seed=k)) for k, name in enumerate("ab")}
SCORES = [cb.score(cb.synthetic.sample(300, seed=k), "Brier") for k in range(3)]
SWEEP = Sweep(np.arange(1.0, 4), np.array([0.3, 0.2, 0.1]), np.zeros(3) - 0.05, np.ones(3))


def legends(axes):
    figure = axes[0].get_figure(root=True)
    inside = [ax for ax in axes if ax.get_legend() is not None]
    return [[text.get_text() for text in each.get_texts()] for each in figure.legends], inside


def test_several_curves_in_a_panel_share_one_legend():
    axes = plot_panels({"one": CURVES, "two": CURVES, "three": CURVES, "four": CURVES})
    assert [ax.get_title() for ax in axes] == ["one", "two", "three", "four"]
    assert legends(axes) == ([["a", "b"]], [])


def test_single_curves_have_no_legend():
    assert legends(plot_panels(CURVES)) == ([], [])


def test_dots_in_panels_share_rows_and_scale():
    panels = {name: {"x": SCORES, "y": SCORES} for name in ("one", "two", "three", "four", "five")}
    axes = plot_dot_panels(["p", "q", "r"], panels, "Brier")
    assert [ax.get_title() for ax in axes] == list(panels)
    assert len({ax.get_xlim() for ax in axes}) == 1
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["p", "q", "r"]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "Brier", "Brier", "Brier"]
    assert legends(axes) == ([["x", "y"]], [])


def test_sweeps_in_panels_share_the_scale():
    axes = plot_sweep_panels({"one": {"x": SWEEP}, "two": {"x": SWEEP}}, "chains", "error")
    assert [ax.get_ylim() for ax in axes] == [(-0.05, 1.05)] * 2
    assert [ax.get_ylabel() for ax in axes] == ["error", ""]
    assert legends(axes) == ([["x"]], [])


def test_nothing_to_draw():
    with pytest.raises(InputError, match="at least one panel"):
        plot_sweep_panels({})
    with pytest.raises(InputError, match="at least one row"):
        plot_dot_panels([], {}, "x")
