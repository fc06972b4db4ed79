"""Figures of single results show the numbers of the result."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import calibrant as cb
from calibrant.errors import InputError
from calibrant.plots import plot_dots
from calibrant.plots.style import COLOURS, MARKERS, look, new_axes


@pytest.fixture(scope="module")
def pairs():
    return cb.synthetic.sample(500, cb.synthetic.inward(0.1), a=1, b=1, seed=1)


@pytest.fixture(scope="module")
def pit():
    rng = np.random.default_rng(2)
    mean = rng.normal(size=300)
    return cb.numbers.PIT.from_normal(mean + rng.normal(size=300), mean, sd=0.8)


def heights(ax):
    return [patch.get_data().values for patch in ax.patches]


def test_a_description_shows_both_distributions(pairs):
    found = cb.describe(pairs)
    ax = cb.plot(found)
    shown = heights(ax)
    assert any(np.array_equal(each, found.given_yes) for each in shown)
    assert any(np.array_equal(each, found.given_no) for each in shown)
    assert found.auc.text("value") in ax.get_xlabel()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["$y = 0$", "$y = 1$"]


def test_a_histogram_shows_its_bins_and_their_band(pit):
    found = pit.histogram()
    ax = cb.plot(found)
    assert sum(np.array_equal(each, found.height) for each in heights(ax)) == 2
    assert any(np.array_equal(each, found.ceiling) for each in heights(ax))
    assert ax.get_ylim()[1] >= max(found.height.max(), found.ceiling.max())


@pytest.mark.parametrize("centred", [False, True])
def test_a_quantile_curve_is_drawn_from_end_to_end(pit, centred):
    found = pit.curve().difference() if centred else pit.curve()
    ax = cb.plot(found)
    line = ax.get_lines()[-1]
    np.testing.assert_array_equal(line.get_ydata()[1:-1], found.share)
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0, 1)
    assert line.get_ydata()[-1] == (0 if centred else 1)


def test_coverage_is_drawn_against_its_level(pit):
    found = pit.coverage()
    line = cb.plot(found).get_lines()[1]
    np.testing.assert_array_equal(line.get_xdata(), found.nominal)
    np.testing.assert_array_equal(line.get_ydata(), found.observed)


@pytest.mark.parametrize("kind", ["describe", "decompose", "histogram", "curve", "coverage"])
def test_axes_that_are_passed_are_used(pairs, pit, kind):
    ax = Figure().subplots()
    of_pairs = kind in ("describe", "decompose")
    result = getattr(cb, kind)(pairs) if of_pairs else getattr(pit, kind)()
    assert cb.plot(result, ax=ax) is ax
    assert ax.has_data()


def test_an_infinite_loss_has_no_parts():
    with pytest.warns(cb.CalibrantWarning, match="infinite"):
        found = cb.decompose(cb.Pairs([1, 0, 1, 0], [0, 0.2, 0.7, 0.4]), "LogLoss", interval=None)
    with pytest.raises(InputError, match="LogLoss is infinite here"):
        cb.plot(found)


def test_dots(pairs):
    one, other = cb.score(pairs, "Brier"), cb.score(pairs, "Brier", interval=None)
    ax = plot_dots(["first", "second"], {"x": [one, one], "y": [one, other]}, "Brier")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert [line.get_label() for line in ax.get_lines()] == ["x", "y"]
    np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), [one.value] * 2)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first is at the top
    for labels, scores in (([], {"x": []}), (["a"], {})):
        with pytest.raises(InputError, match="at least one row and one model"):
            plot_dots(labels, scores, "x")


def test_looks_repeat_and_figures_have_the_size_asked_for():
    assert look(0) == (COLOURS[0], MARKERS[0])
    assert look(len(COLOURS)) == look(0)
    figure, axes = new_axes(2.0, 1.5, columns=3)
    assert tuple(figure.get_size_inches()) == (6.0, 1.5)
    assert len(axes) == 3
