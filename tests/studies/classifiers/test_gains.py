from dataclasses import replace

import numpy as np
import pytest
from made_items import made_items, made_split, made_task
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss, log_loss

import calibrant as cb
from calibrant.calibration.scores import Brier
from calibrant.studies.classifiers.gains import METHODS, change, fitting, gains
from calibrant.studies.classifiers.items import Split, divided
from calibrant.studies.classifiers.learners import CLASSIFIERS, LOGISTIC, fit
from calibrant.studies.classifiers.predicted import Part, Predicted, joined, predict
from calibrant.studies.classifiers.summaries import findings, summary
from calibrant.studies.progress import QUIET

OURS = ["Temperature", "Platt", "Beta", "Isotonic", "Spline", "auto"]
BAYES = replace(CLASSIFIERS[0], grid={})


def loud(part):
    return replace(part, features=[each * 4 for each in part.features])


@pytest.fixture(scope="module")
def extreme():
    """Naive Bayes that counts all evidence four times."""
    split = Split(*map(loud, made_split(sizes=(100, 100, 60))))
    return predict(made_task(), [split], BAYES, None, 0)


def test_the_methods_are_those_of_recalibrate():
    assert list(METHODS) == [*OURS, "Platt, not pulled", "Isotonic, not pulled"]


@pytest.mark.parametrize("name", OURS)
def test_the_map_is_that_of_recalibrate(extreme, name):
    pairs = extreme.parts[0].calibration
    wanted = cb.recalibrate(pairs, name, interval=None)
    found = METHODS[name](pairs)
    q = np.linspace(0, 1, 21)
    np.testing.assert_array_equal(found(q), wanted.map(q))


def test_maps_that_are_not_pulled_are_those_of_calibrated_classifiers():
    """The two ways of CalibratedClassifierCV, on the margins of logistic regression."""
    split = made_split(sizes=(60, 400, 20))
    fitted = fit(replace(LOGISTIC, grid={"C": (1.0,)}), split.train, 0)
    part = predict(made_task(), [split], replace(LOGISTIC, grid={"C": (1.0,)}), None, 0).parts[0]
    ways = {"Platt, not pulled": "sigmoid", "Isotonic, not pulled": "isotonic"}
    for name, method in ways.items():
        theirs = CalibratedClassifierCV(FrozenEstimator(fitted.estimator), method=method)
        theirs.fit(fitted.weigh(split.calibration.features), split.calibration.y)
        q = theirs.predict_proba(fitted.weigh(split.test.features))[:, 1]
        ours = METHODS[name](part.calibration)(part.test.q)
        # Platt's targets are not quite 0 and 1, and steps are joined on margins there, on q here
        np.testing.assert_allclose(ours, q, atol=0.01)


def test_sizes_that_teach_nothing_are_left_out(extreme):
    assert fitting(extreme, (10, 50, 500, 501), 2) == [50, 500]  # 10 items are two documents
    part = extreme.parts[0]
    one = part._replace(
        calibration=cb.Pairs([1] * 500, part.calibration.q, group=part.calibration.group)
    )
    assert fitting(replace(extreme, parts=[one]), (50, 500), 2) == []


def test_gains_on_test_items(extreme):
    rows = gains([extreme], (50, 400), 3, QUIET).rows
    assert [(row.size, row.method) for row in rows] == [
        (size, method) for size in (50, 400) for method in METHODS
    ]
    y, q = extreme.as_is.y, extreme.as_is.q
    for row in rows:
        assert row.before == pytest.approx(brier_score_loss(y, q))
        assert row.documents == row.size / 5  # items of a document
        assert row.share == pytest.approx(100 * row.change.value / row.before)
        assert 0 <= row.worse <= row.draws == 3
        assert row.change.groups == 60
    best = rows[-len(METHODS)]
    assert best.method == "Temperature"
    assert best.change.high < 0
    assert best.change_of_loss.high < 0
    assert best.worse == 0


def test_a_gain_is_the_mean_over_draws_by_scikit_learn(extreme):
    """Two draws of all calibration documents are the same map: the change is that of the map."""
    part = extreme.parts[0]
    many = len(part.calibration)
    (row, *_) = gains([extreme], (many,), 2, QUIET).rows
    after = cb.recalibrate(part.calibration, "Temperature", interval=None).map(part.test.q)
    y, q = part.test.y, extreme.as_is.q
    assert row.change.value == pytest.approx(brier_score_loss(y, after) - brier_score_loss(y, q))
    clipped = np.clip(q, 1e-6, 1 - 1e-6)
    assert row.change_of_loss.value == pytest.approx(log_loss(y, after) - log_loss(y, clipped))


def test_copies_of_test_items_do_not_narrow_the_interval(extreme):
    before = extreme.as_is
    after = before.with_predictions(before.q * 0.9 + 0.05)
    once = change(before, after, Brier())
    thrice = change(joined([before] * 3), joined([after] * 3), Brier())
    assert thrice.value == pytest.approx(once.value)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high), rel=1e-6)
    assert change(after, before, Brier()).value == pytest.approx(-once.value)


def test_rotations_test_every_document_once():
    splits = divided(loud(made_items(40, 6)), 5, 0)
    found = predict(made_task(), splits, BAYES, None, 0)
    assert len(found.as_is) == 200
    assert found.as_is.groups == 40
    assert fitting(found, (30, 40, 41), 2) == [30, 40]
    rows = gains([found], (30,), 2, QUIET).rows
    assert {row.change.groups for row in rows} == {40}


def test_summaries_and_sentences(extreme):
    calm = Predicted("calm", "naive Bayes", 1, "", [_calibrated()])
    rows = gains([extreme, calm], (400,), 2, QUIET).rows
    (told,) = summary(rows).rows
    assert (told.classifier, told.size, told.tasks) == ("naive Bayes", 400, 2)
    shares = [row.share for row in rows if row.method == "Platt"]
    assert told.tallies["Platt"].share == pytest.approx(np.mean(shares))
    assert told.tallies["Platt"].better == 1
    assert told.words["Platt"].startswith("−")
    (sentence,) = findings([], summary(rows))
    assert sentence.startswith("Maps learnt from 400 items, in 2 combinations")
    assert f"; Platt 1 and {told.tallies['Platt'].worse};" in sentence


def _calibrated():
    pairs = cb.synthetic.sample_groups(300, size=5, seed=2)
    test = cb.synthetic.sample_groups(100, size=5, seed=3)
    return Part(pairs, test, test)
