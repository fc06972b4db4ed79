import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay as Theirs
from sklearn.linear_model import LogisticRegression

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.plots import CalibrationDisplay
from calibrant.plots.style import COLOURS, new_axes

matplotlib.use("agg")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 2))
    y = np.where(X[:, 0] + rng.logistic(size=900) > 0, "spam", "ham")
    return LogisticRegression().fit(X[:300], y[:300]), X[300:], y[300:]


def test_the_line_is_that_of_scikit_learn(fitted):
    """With the same bins the points agree, and the attributes have the same names."""
    model, X, y = fitted
    mine = CalibrationDisplay.from_estimator(model, X, y, curve="UniformBins(count=5)")
    _, (ax,) = new_axes(3, 3)
    theirs = Theirs.from_estimator(model, X, y, n_bins=5, ax=ax)
    np.testing.assert_allclose(mine.line_.get_xdata(), theirs.line_.get_xdata(), atol=1e-12)
    np.testing.assert_allclose(mine.line_.get_ydata(), theirs.line_.get_ydata(), atol=1e-12)
    assert mine.line_.get_label() == theirs.line_.get_label() == "LogisticRegression"
    assert mine.figure_ is mine.ax_.figure


def test_the_curve_is_that_of_the_verb(fitted):
    model, X, y = fitted
    group = np.arange(len(y)) // 5
    shown = CalibrationDisplay.from_estimator(model, X, y, group=group, level=0.9)
    pairs = cb.Pairs.from_estimator(model, X, y, group=group)
    expected = cb.curve(pairs, level=0.9)
    np.testing.assert_array_equal(shown.curve.low, expected.low)
    np.testing.assert_array_equal(shown.curve.p, expected.p)


def test_predictions_are_those_of_the_model(fitted):
    model, X, y = fitted
    one = CalibrationDisplay.from_estimator(model, X, y, positive="ham")
    q = model.predict_proba(X)[:, 0]
    other = CalibrationDisplay.from_predictions(y, q, positive="ham", name="own")
    np.testing.assert_array_equal(one.curve.p, other.curve.p)
    assert other.line_.get_label() == "own"
    assert CalibrationDisplay.from_predictions(y == "ham", q).name == "Classifier"


def test_several_displays_share_axes(fitted):
    """Each has its own colour, and the frame is drawn once."""
    model, X, y = fitted
    one = CalibrationDisplay.from_estimator(model, X, y, name="one")
    other = CalibrationDisplay.from_estimator(model, X**3, y, name="other", ax=one.ax_)
    assert other.ax_ is one.ax_
    assert [one.line_.get_color(), other.line_.get_color()] == list(COLOURS[:2])
    shown = [text.get_text() for text in one.ax_.get_legend().get_texts()]
    assert shown == ["one", "other"]
    dashed = [line for line in one.ax_.lines if np.array_equal(line.get_xdata(), [0, 1])]
    assert len([line for line in dashed if line.get_gid() is None]) >= 1
    assert sum(np.array_equal(line.get_ydata(), [0, 1]) for line in dashed) == 1


def test_axes_that_are_passed_are_used(fitted):
    model, X, y = fitted
    _, (left, right) = new_axes(3, 3, 2)
    shown = CalibrationDisplay.from_estimator(model, X, y, ax=right)
    assert shown.ax_ is right
    assert not left.lines
    again = shown.plot(ax=left, name="again")
    assert again is shown
    assert shown.ax_ is left
    assert shown.line_.get_label() == "again"


def test_what_is_refused(fitted):
    model, X, y = fitted
    with pytest.raises(UnknownName, match="UniformBin"):
        CalibrationDisplay.from_estimator(model, X, y, curve="UniformBin(count=5)")
    with pytest.raises(InputError, match="y must be 0 or 1 unless positive names"):
        CalibrationDisplay.from_predictions(y, np.full(len(y), 0.5))


def test_what_cannot_be_drawn():
    curve = cb.curve(cb.Pairs([0, 1] * 10, [0.3, 0.6] * 10))
    with pytest.raises(ParameterError, match="ax must be axes of matplotlib, but it is 3"):
        CalibrationDisplay(curve).plot(ax=3)
    with pytest.raises(ParameterError, match=r"it is a Figure\. Pass ax=figure\.subplots\(\)"):
        CalibrationDisplay(curve).plot(ax=Figure())
    with pytest.raises(ParameterError, match=r"curve must be a Curve, .* but it is 3"):
        CalibrationDisplay(3)
