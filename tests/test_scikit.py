import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

import calibrant as cb
from calibrant.scikit import RecalibratedClassifier

QUICK = RecalibratedClassifier(LogisticRegression(), method="Temperature", folds=2)


@pytest.mark.parametrize(
    "check",
    [each for _, each in estimator_checks_generator(QUICK)],
    ids=lambda check: getattr(check, "func", check).__name__,
)
@pytest.mark.filterwarnings("ignore::calibrant.CalibrantWarning")
def test_checks_of_scikit_learn(check):
    check(QUICK)


def data(classes=2, seed=0, n=1500):
    X, y = make_classification(
        n, n_features=20, n_informative=4, n_redundant=12, n_classes=classes, random_state=seed
    )
    return X[: n // 2], y[: n // 2], X[n // 2 :], y[n // 2 :]


@pytest.mark.parametrize(("classes", "method"), [(2, "auto"), (3, "VectorScaling")])
def test_naive_bayes_is_mended(classes, method):
    X, y, new, truth = data(classes)
    plain = GaussianNB().fit(X, y)
    found = RecalibratedClassifier(GaussianNB(), method=method).fit(X, y)
    assert found.recalibrator_.verdict == "use it"
    mended = found.predict_proba(new)
    np.testing.assert_allclose(mended.sum(axis=1), 1)
    peer = CalibratedClassifierCV(GaussianNB(), ensemble=False).fit(X, y).predict_proba(new)
    assert log_loss(truth, mended) < log_loss(truth, plain.predict_proba(new)) - 0.05
    assert log_loss(truth, mended) < log_loss(truth, peer) + 0.02


def test_margins_are_logits():
    X, y, new, truth = data()
    found = RecalibratedClassifier(LinearSVC(), method="Platt", always=True).fit(X, y)
    base = np.mean(y)
    assert log_loss(truth, found.predict_proba(new)) < log_loss(truth, np.full(len(truth), base))
    assert found.predict(new).shape == truth.shape


def test_folds_are_of_whole_groups():
    X, y, _, _ = data()
    found = RecalibratedClassifier(GaussianNB(), method="Temperature").fit(
        X, y, np.arange(750) // 5
    )
    assert found.recalibrator_.change.groups == 150


def test_what_gains_nothing_is_left_out():
    X, y, new, _ = data()
    found = RecalibratedClassifier(LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X, y).predict_proba(new)
    used = found.recalibrator_.verdict == "use it"
    assert np.array_equal(found.predict_proba(new), plain) != used


def test_bad_input():
    X, y, _, _ = data()
    with pytest.raises(cb.errors.InputError, match="there is one class: 1"):
        RecalibratedClassifier(GaussianNB()).fit(X, np.ones(750, int))
    rare = np.where(np.arange(750) < 1, 1, 0)
    with pytest.raises(cb.errors.InputError, match="at least two items of each class"):
        RecalibratedClassifier().fit(X, rare)
    with pytest.raises(cb.errors.ParameterError, match="not a method for pairs"):
        RecalibratedClassifier(method="Dirichlet").fit(X, y)
