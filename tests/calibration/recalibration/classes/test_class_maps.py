import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import softmax
from sklearn.calibration import _TemperatureScaling
from sklearn.linear_model import LogisticRegression

import calibrant as cb
from calibrant.calibration.recalibration import Dirichlet, Temperature, VectorScaling
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.classes.maps import ClassMap, log_rows, unchanged
from calibrant.calibration.recalibration.classes.multinomial import (
    AllSlopes,
    ClassLesson,
    OneSlope,
    OwnSlopes,
    fit_classes,
    penalised,
)
from calibrant.results.naming import parse

K = 4
FORMS = [OneSlope(0.5), OwnSlopes(K, 0.5), AllSlopes(K, 0.5, 0.3, 0.7)]
METHODS = [Temperature(), VectorScaling(), Dirichlet()]
FREE = 1e4  # a prior that says nothing


def made(n=2000, seed=0, slope=0.6, shift=0.3, closed=False):
    """Log q, and labels drawn from a distortion of q; the last class may be no option."""
    rng = np.random.default_rng(seed)
    z = np.log(softmax(rng.normal(0, 1.5, (n, K)), axis=1))
    if closed:
        z[::3, -1] = -np.inf
    p = softmax(slope * z + shift * np.arange(K), axis=1)
    truth = (p.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1).clip(0, K - 1)
    return ClassLesson(z, truth, 1.0)


def classes(k=K):
    return tuple("abcdef"[:k])


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
@pytest.mark.parametrize("closed", [False, True])
def test_gradients_are_finite_differences(form, closed):
    lesson = made(50, closed=closed)
    theta = np.random.default_rng(1).normal(0, 0.3, form.precision.size)

    def value(each):
        return penalised(form, lesson, lesson.known, each)[0]

    def slope(each):
        return penalised(form, lesson, lesson.known, each)[1]

    assert check_grad(value, slope, theta) < 1e-6


def test_temperature_is_scikit_learn_s():
    lesson = made(5000)
    (change,) = fit_classes(OneSlope(FREE), lesson)
    peer = _TemperatureScaling().fit(lesson.z, lesson.truth)
    np.testing.assert_allclose(1 + change, peer.beta_, rtol=1e-4)


def test_all_slopes_are_a_multinomial_regression():
    lesson = made(5000)
    form = AllSlopes(K, FREE, FREE, FREE)
    theta = fit_classes(form, lesson)
    ours = softmax(form.levels(lesson.z, theta), axis=1)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=5000).fit(lesson.z, lesson.truth)
    np.testing.assert_allclose(ours, peer.predict_proba(lesson.z), atol=2e-4)


def test_own_slopes_find_their_own_kind_of_error():
    rng = np.random.default_rng(3)
    z = np.log(softmax(rng.normal(0, 1.5, (60_000, K)), axis=1))
    slopes, shifts = np.array([0.5, 0.8, 1.0, 1.3]), np.array([-0.5, 0.0, 0.2, 0.3])
    p = softmax(slopes * z + shifts, axis=1)
    truth = (p.cumsum(axis=1) < rng.random(len(p))[:, None]).sum(axis=1)
    found = VectorScaling().learn_rows(ClassLesson(z, truth, 1.0), classes())
    np.testing.assert_allclose(found(np.exp(z[:500])), p[:500], atol=0.02)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_of_two_classes_and_the_binary_map(method):
    """A temperature of two classes is that of yes; the others differ by their priors alone."""
    rng = np.random.default_rng(2)
    q = rng.uniform(0.01, 0.99, 3000)
    y = rng.random(3000) < q**1.5
    z = np.log(np.column_stack([1 - q, q]))
    found = method.learn_rows(ClassLesson(z, y.astype(int), 1.0), ("no", "yes"))
    at = np.linspace(0.05, 0.95, 10)
    ours = found(np.column_stack([1 - at, at]))[:, 1]
    if method == Temperature():
        binary = method.learn(folded_cells(cb.Pairs(y, q), 0).without())
        np.testing.assert_allclose(ours, binary(at), atol=1e-5)
    else:
        np.testing.assert_allclose(ours, at**1.5, atol=0.04)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_rows_sum_to_one_and_the_order_of_classes_does_not_matter(method):
    lesson = made(800)
    found = method.learn_rows(lesson, classes())
    rows = found(np.exp(lesson.z))
    np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-12)
    turned = ClassLesson(lesson.z[:, ::-1], K - 1 - lesson.truth, 1.0)
    other = method.learn_rows(turned, classes()[::-1])(np.exp(turned.z))
    np.testing.assert_allclose(other[:, ::-1], rows, atol=1e-4)


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("kind", ["separated", "reversed", "certain", "one value"])
def test_unkind_rows(method, kind):
    lesson = made(200)
    z, truth = lesson.z, lesson.truth
    best = z.argmax(axis=1)
    if kind == "separated":
        truth = best
    if kind == "reversed":
        truth = (best + 1) % K
    if kind == "certain":
        z = log_rows(np.eye(K)[best])
    if kind == "one value":
        z = np.tile(z[:1], (200, 1))
    found = method.learn_rows(ClassLesson(z, truth, 1.0), classes())
    rows = found(np.exp(z))
    assert np.isfinite(rows).all()
    assert (np.array(found.slopes) >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    if kind != "certain":
        assert rows.min() > 0


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_without_evidence_rows_stay(method):
    lesson = made(20)
    found = method.learn_rows(ClassLesson(lesson.z, lesson.truth, 1e-6), classes())
    np.testing.assert_allclose(found(np.exp(lesson.z)), np.exp(lesson.z), atol=1e-3)


def test_classes_that_are_no_option_stay_impossible():
    lesson = made(500, closed=True)
    found = Dirichlet().learn_rows(lesson, classes())
    levels = found.on_logs(lesson.z)
    assert np.isneginf(levels[::3, -1]).all()
    assert np.isfinite(levels[1::3]).all()


def test_probabilities_of_0_are_moved():
    rows = unchanged(("a", "b"))([[0.0, 1.0]])
    np.testing.assert_allclose(rows, [[5e-7, 1]], rtol=1e-5)


def test_names_parse_back():
    for method in [*METHODS, Dirichlet(apart=0.1), Dirichlet(intercept=1)]:
        assert parse(repr(method), "recalibrator") == method
    with pytest.raises(cb.errors.ParameterError, match="apart must be above 0"):
        Dirichlet(apart=0)


@pytest.mark.parametrize(
    "values",
    [
        (("a",), (1.0,), (0.0,)),
        (("a", "b"), (1.0,), (0.0, 0.0)),
        (("a", "b"), (1.0, np.inf), (0.0, 0.0)),
        (("a", "b"), (1.0, 1.0), (0.0, 0.0), ((0.0, 0.0),)),
        (("a", "b"), (1.0, 1.0), (0.0, 0.0), ((0.0, 0.0), (0.0,))),
    ],
)
def test_maps_that_are_none(values):
    with pytest.raises(cb.errors.InputError):
        ClassMap(*values)
