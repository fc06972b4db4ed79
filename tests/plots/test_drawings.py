"""One table says what draws what, and which options fit."""

import inspect

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.plots import Sweep
from calibrant.plots.drawings import DRAWINGS, Options, draw

X = np.array([1.0, 2.0])


@pytest.fixture(scope="module")
def curve():
    return cb.curve(cb.synthetic.sample(300, a=1, b=1, seed=1))


@pytest.fixture(scope="module")
def description():
    return cb.describe(cb.synthetic.sample(300, a=1, b=1, seed=1))


def test_every_option_is_taken_by_something_and_every_function_takes_its_options():
    taken = {name for drawing in DRAWINGS.values() for name in drawing.options}
    assert taken | {"by"} == set(Options.__annotations__)  # slices are cut before they are drawn
    for drawing in DRAWINGS.values():
        parameters = inspect.signature(drawing.draw).parameters
        free = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        assert free or set(drawing.options) <= set(parameters)


def test_options_are_documented():
    assert all(name in cb.plot.__doc__ for name in Options.__annotations__)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"sentence": 0}, "sentence is for trees, not for curves: leave it out"),
        ({"floor": 0.2}, "floor is for trees and links, not for curves"),
        ({"count": 3}, "count is for class scores, not for curves"),
        ({"log": True}, "log is for sweeps, not for curves"),
    ],
)
def test_options_that_do_not_fit(curve, option, message):
    with pytest.raises(ParameterError, match=message):
        draw(curve, option)


def test_unknown_options(curve):
    with pytest.raises(UnknownName, match=r"option of plot 'panles'\. Did you mean panels\?"):
        cb.plot(curve, panles=True)


def test_what_is_left_out_may_be_said(curve, description):
    left_out = {"ax": None, "panels": False, "xlabel": "", "log": False, "sentence": None}
    assert draw(curve, left_out).get_xlabel() == "prediction $q$"
    assert "AUC" in draw(description, left_out).get_xlabel()


def test_what_cannot_share_axes(curve, description):
    with pytest.raises(ParameterError, match="Curves and sweeps cannot share axes"):
        draw({"a": curve, "b": Sweep(X, X)}, {})
    with pytest.raises(ParameterError, match="Several descriptions cannot share axes"):
        draw({"a": description, "b": description}, {})
    with pytest.raises(InputError, match="at least one result"):
        draw({}, {})


@pytest.mark.parametrize("wrong", [3, None, [1, 2], cb.Brier()])
def test_what_has_no_figure(wrong):
    with pytest.raises(ParameterError, match=f"no figure of {type(wrong).__name__}. Pass pairs"):
        cb.plot(wrong)


def test_a_bare_estimate_has_no_figure():
    with pytest.raises(ParameterError, match="no figure of Estimate"):
        cb.plot(cb.score(cb.Pairs([0, 1], [0.2, 0.7]), "Brier", interval=None))


def test_files_that_are_not_there_are_named():
    with pytest.raises(InputError, match=r"no file none\.csv"):
        cb.plot("none.csv")


def test_classes_are_drawn_in_a_figure_of_their_own(curve):
    rng = np.random.default_rng(1)
    q = rng.dirichlet([1.0] * 5, 200)
    found = cb.score_classes(cb.Labels(q), rng.integers(0, 5, 200), interval=None)
    assert len(cb.plot(found)) == 5
    axes = cb.plot(found, count=4, panels=True)
    assert len(axes) == 4
    grid = axes[0].get_gridspec()
    assert (grid.nrows, grid.ncols) == (2, 2)
    assert axes[0].get_title().startswith(f"{next(iter(found.scores))} (")
    with pytest.raises(ParameterError, match=r"Class scores are drawn in .* leave ax out"):
        cb.plot(found, ax=axes[0])
    with pytest.raises(ParameterError, match="count must be a whole number of at least 1"):
        cb.plot(found, count=0)
