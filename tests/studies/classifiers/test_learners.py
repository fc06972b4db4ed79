import builtins
from dataclasses import replace

import numpy as np
import pytest
from made_items import made_items, made_split, made_task
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import minmax_scale

import calibrant as cb
from calibrant.calibration.recalibration.logistic import Platt
from calibrant.studies.classifiers.gains import learnt
from calibrant.studies.classifiers.learners import (
    CLASSIFIERS,
    COUNTS,
    LOGISTIC,
    PRESENCE,
    TFIDF,
    Margins,
    fit,
    need_sklearn,
)
from calibrant.studies.classifiers.predicted import predict

BY_NAME = {each.name: each for each in CLASSIFIERS}


@pytest.mark.parametrize("name", BY_NAME)
def test_probabilities_are_those_of_the_estimator(name):
    classifier = BY_NAME[name]
    split = made_split()
    fitted = fit(classifier, split.train, 0)
    answers = fitted.answers(split.test)
    matrix = fitted.weigh(split.test.features)
    right = np.mean((answers.logistic > 0.5) == split.test.y)
    assert right == fitted.estimator.score(matrix, split.test.y)
    assert right > 0.55
    if classifier.margins:
        margins = fitted.estimator.decision_function(matrix)
        s = fitted.estimator.decision_function(fitted.weigh(split.train.features)).std()
        np.testing.assert_allclose(answers.logistic, 1 / (1 + np.exp(-margins / s)))
        assert np.all((answers.as_is >= 0) & (answers.as_is <= 1))
        order = np.argsort(margins)
        assert np.all(np.diff(answers.as_is[order]) >= 0)
    else:
        np.testing.assert_array_equal(answers.as_is, fitted.estimator.predict_proba(matrix)[:, 1])
        assert answers.as_is is answers.logistic


def test_margins_are_scaled_as_in_the_paper():
    margins = np.random.default_rng(0).normal(size=50)
    own = Margins(margins.min(), margins.max(), 1.0).answers(margins)
    np.testing.assert_allclose(own.as_is, minmax_scale(margins), atol=1e-15)
    beyond = Margins(-1.0, 1.0, 2.0).answers(np.array([-3.0, 9.0]))
    assert beyond.as_is.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(beyond.logistic, 1 / (1 + np.exp([1.5, -4.5])))


def test_weightings():
    items = [["a", "a", "b"], ["a", "c"], ["b", "c", "c"]]
    train = replace(made_items(1, 0, each=3), features=items, y=np.array([True, False, True]))
    found = {
        each: fit(replace(LOGISTIC, weighting=each, grid={}), train, 0).weigh([["a", "a", "z"]])
        for each in (COUNTS, PRESENCE, TFIDF)
    }
    assert found[COUNTS].toarray().tolist() == [[2.0, 0.0, 0.0]]  # z is unknown
    assert found[PRESENCE].toarray().tolist() == [[1.0, 0.0, 0.0]]
    np.testing.assert_allclose(found[TFIDF].toarray(), [[1.0, 0.0, 0.0]])


def test_settings_are_chosen_on_documents_left_out():
    """Of one good and two hopeless settings, the good one is taken."""
    train = made_items(60, 5)
    fitted = fit(replace(LOGISTIC, grid={"C": (1e-9, 1.0, 1e9)}), train, 0)
    assert fitted.chosen == {"C": 1.0}
    assert predict(made_task(), [made_split()], LOGISTIC, None, 0).chosen.startswith("C = ")


def test_platt_is_platt_scaling():
    """The map of margins is that of CalibratedClassifierCV, up to the pull towards leaving them."""
    split = made_split(sizes=(60, 1500, 10))
    svm = BY_NAME["SVM"]
    part = predict(made_task(), [split], svm, None, 0).parts[0]
    independent = part.calibration.without_groups()
    ours = learnt(independent, (Platt(),))(part.test.q)

    fitted = fit(svm, split.train, 0)
    theirs = CalibratedClassifierCV(FrozenEstimator(fitted.estimator), method="sigmoid")
    theirs.fit(fitted.weigh(split.calibration.features), split.calibration.y)
    q = theirs.predict_proba(fitted.weigh(split.test.features))[:, 1]
    np.testing.assert_allclose(ours, q, atol=0.01)
    assert np.abs(part.test.q - q).max() > 0.02  # there is something to learn


def test_naive_bayes_is_too_extreme_where_words_repeat_each_other():
    """Each word four times over: naive Bayes counts the same evidence four times."""
    split = made_split(sizes=(200, 5, 200))
    loud = [replace(part, features=[each * 4 for each in part.features]) for part in split]
    found = predict(
        made_task(),
        [split._replace(train=loud[0], test=loud[2])],
        replace(BY_NAME["naive Bayes"], grid={}),
        None,
        0,
    )
    slope = cb.describe(found.as_is).slope
    assert slope.high < 0.6
    calm = predict(made_task(), [split], replace(LOGISTIC, grid={"C": (1.0,)}), None, 0)
    assert cb.describe(calm.as_is).slope.value > 2 * slope.value


def test_the_error_names_the_command_that_installs_scikit_learn(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(cb.CalibrantError, match=r'pip install "calibrant\[studies\]"'):
        need_sklearn()


def test_logistic_regression_is_scikit_learns():
    split = made_split()
    fitted = fit(replace(LOGISTIC, weighting=COUNTS, grid={}), split.train, 0)
    model = LogisticRegression(max_iter=2000).fit(fitted.weigh(split.train.features), split.train.y)
    np.testing.assert_allclose(fitted.estimator.coef_, model.coef_)
