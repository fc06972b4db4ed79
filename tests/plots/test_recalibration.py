import numpy as np
import pytest
from scipy.special import softmax

import calibrant as cb


@pytest.fixture(scope="module")
def found():
    pairs = cb.synthetic.sample_groups(60, size=20, seed=1)
    return cb.recalibrate(pairs.with_predictions(pairs.q**2), "Platt")


def test_curves_and_map(found):
    left, right = cb.plot(found)
    drawn = [line for line in left.get_lines() if line.get_gid() == "calibration-curve"]
    np.testing.assert_allclose(drawn[0].get_xdata(), found.curves["before"].q)
    np.testing.assert_allclose(drawn[1].get_ydata(), found.curves["after"].p)
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["before", "after"]
    shown = right.get_lines()[1]
    np.testing.assert_allclose(shown.get_ydata(), found.map(shown.get_xdata()))
    assert right.get_title() == "Platt"


def test_a_map_of_classes_has_curves_alone():
    q = softmax(np.random.default_rng(1).normal(0, 1, (300, 3)), axis=1)
    found = cb.recalibrate(cb.Labels(q), "Temperature", gold=np.arange(300) % 3, interval=None)
    (panel,) = cb.plot(found)
    assert panel.get_xlabel() == "confidence in the most probable class"


def test_no_axes_can_be_given(found):
    with pytest.raises(cb.errors.ParameterError, match="drawn in a new figure"):
        cb.plot(found, ax=cb.plot(cb.synthetic.calibrated(100)))
