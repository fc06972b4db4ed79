import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import calibrant as cb
from calibrant.calibration.recalibration import Beta, Isotonic, Platt, Spline, Temperature
from calibrant.calibration.recalibration.cells import Lesson, folded_cells
from calibrant.calibration.recalibration.maps import EDGE, IDENTITY, Map, line, logits

METHODS = [Temperature(), Platt(), Beta(), Isotonic(), Spline()]
LARGE = 200_000


def sample(n, slope=0.6, shift=0.3, seed=0, groups=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1.5, n)
    y = rng.random(n) < expit(shift + slope * x)
    return cb.Pairs(y, expit(x), group=groups)


def lesson_of(pairs):
    return folded_cells(pairs, 0).without()


def penalised(pairs, design, offset):
    """The same fit by another optimiser, on single pairs."""

    def loss(theta):
        level = offset + design @ theta
        fit = np.sum(np.logaddexp(0, level) - pairs.y * level)
        return fit + np.sum(theta**2) / (2 * 0.5**2)

    return minimize(loss, np.zeros(design.shape[1]), method="BFGS", tol=1e-12).x


def test_coefficients_are_those_of_another_optimiser():
    pairs = sample(500)
    x = logits(pairs.q)
    wanted = penalised(pairs, np.column_stack([np.ones_like(x), x]), x)
    found = Platt().learn(lesson_of(pairs))
    np.testing.assert_allclose([found.values[0], found.ends[0] - 1], wanted, atol=1e-5)
    (change,) = penalised(pairs, x[:, None], x)
    np.testing.assert_allclose(Temperature().learn(lesson_of(pairs)).ends[0], 1 + change, atol=1e-5)


def test_many_pairs_outweigh_the_prior():
    pairs = sample(LARGE)
    x = logits(pairs.q)[:, None]
    peer = LogisticRegression(C=np.inf, tol=1e-10).fit(x, pairs.y)
    found = Platt().learn(lesson_of(pairs))
    np.testing.assert_allclose(found.values[0], peer.intercept_[0], atol=2e-3)
    np.testing.assert_allclose(found.ends[0], peer.coef_[0, 0], atol=2e-3)


def test_beta_finds_its_own_kind_of_error():
    rng = np.random.default_rng(1)
    q = rng.uniform(0.01, 0.99, LARGE)
    y = rng.random(LARGE) < expit(0.2 + 0.5 * np.log(q) - 1.4 * np.log1p(-q))
    found = Beta().learn(lesson_of(cb.Pairs(y, q)))
    at = np.array([0.05, 0.3, 0.6, 0.95])
    wanted = expit(0.2 + 0.5 * np.log(at) - 1.4 * np.log1p(-at))
    np.testing.assert_allclose(found(at), wanted, atol=0.01)


def test_isotonic_is_scikit_learn_s_in_the_middle_of_its_steps():
    pairs = sample(3000)
    peer = IsotonicRegression(out_of_bounds="clip").fit(pairs.q, pairs.y)
    found = Isotonic().learn(lesson_of(pairs))
    fitted = peer.predict(pairs.q)
    sizes = {level: (fitted == level).sum() for level in np.unique(fitted)}
    for knot, value in zip(found.knots, found.values, strict=True):
        q = expit(knot)
        level = peer.predict([q])[0]
        n = sizes.get(level, 0)
        if n > 200:  # where two pseudo-pairs hardly matter
            np.testing.assert_allclose(expit(value), (n * level + 2 * q) / (n + 2), atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_large_samples_are_mended(method):
    shift = 0.0 if method == Temperature() else 0.3  # which it cannot mend
    new = sample(LARGE, seed=5, shift=shift)
    found = method.learn(lesson_of(sample(LARGE, seed=4, shift=shift)))
    truth = expit(shift + 0.6 * logit(new.q))
    assert np.sqrt(np.mean((found(new.q) - truth) ** 2)) < 0.012


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_without_evidence_predictions_stay(method):
    """One pair says next to nothing."""
    lesson = Lesson(logits([0.7]), np.array([0.7]), np.array([1.0]), np.array([1.0]), 0.05)
    at = np.array([0.1, 0.5, 0.7, 0.9])
    assert np.abs(method.learn(lesson)(at) - at).max() < 0.05


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("kind", ["separated", "certain", "reversed", "one value"])
def test_maps_are_monotone_and_never_certain(method, kind):
    rng = np.random.default_rng(2)
    q = rng.random(400)
    y = (q > 0.5).astype(int)
    if kind == "certain":
        q = np.round(q)
    if kind == "reversed":
        y = 1 - y
    if kind == "one value":
        q, y = np.full(400, 0.3), rng.random(400) < 0.6
    found = method.learn(lesson_of(cb.Pairs(y, q)))
    mapped = found(np.linspace(0, 1, 1001))
    assert (np.diff(mapped) >= 0).all()
    assert mapped.min() >= EDGE
    assert mapped.max() <= 1 - EDGE


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_swapping_yes_and_no(method):
    pairs = sample(1000)
    other = cb.Pairs(1 - pairs.y, 1 - pairs.q)
    found, turned = (method.learn(lesson_of(each)) for each in (pairs, other))
    at = np.linspace(0.02, 0.98, 25)
    np.testing.assert_allclose(turned(1 - at), 1 - found(at), atol=5e-3)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_weight_of_two_is_a_row_twice(method):
    pairs = sample(300)
    twice = cb.Pairs(np.tile(pairs.y, 2), np.tile(pairs.q, 2))
    weighted = cb.Pairs(pairs.y, pairs.q, weight=np.full(300, 2))
    one, other = (folded_cells(each, 0).without() for each in (twice, weighted))
    at = np.linspace(0.02, 0.98, 25)
    lessons = [Lesson(x.x, x.q, x.n, x.k, 1.0) for x in (one, other)]
    np.testing.assert_allclose(*(method.learn(each)(at) for each in lessons), atol=1e-9)


def test_pairs_that_repeat_each_other_are_worth_less():
    """Twenty copies of each pair, in groups, teach about as much as one."""
    once = sample(200)
    copies = cb.Pairs(
        np.repeat(once.y, 20), np.repeat(once.q, 20), group=np.repeat(np.arange(200), 20)
    )
    one, many = lesson_of(once), lesson_of(copies)
    assert 0.6 < many.worth * 20 / one.worth < 1.7
    single, repeated = Platt().learn(one), Platt().learn(many)
    np.testing.assert_allclose(single.values[0], repeated.values[0], atol=0.05)


def test_names_parse_back():
    from calibrant.results.naming import parse

    for method in [*METHODS, Spline(knots=12)]:
        assert parse(repr(method), "recalibrator") == method
    with pytest.raises(cb.errors.ParameterError, match="knots must"):
        Spline(knots=1)


def test_maps():
    np.testing.assert_allclose(IDENTITY([0.0, 0.3, 1.0]), [EDGE, 0.3, 1 - EDGE])
    np.testing.assert_allclose(line(0.5, 2.0)(0.4), expit(0.5 + 2 * logit(0.4)))
    bent = Map((-1.0, 1.0), (-2.0, 0.5), (1.0, 0.5))
    np.testing.assert_allclose(logit(bent(expit(np.array([-3.0, 0.0, 3.0])))), [-4, -0.75, 1.5])


@pytest.mark.parametrize(
    "values",
    [
        ((0.0, 0.0), (0.0, 1.0), (1.0, 1.0)),
        ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)),
        ((0.0,), (np.nan,), (1.0, 1.0)),
        ((0.0,), (0.0,), (-1.0, 1.0)),
        ((), (), (1.0, 1.0)),
    ],
)
def test_maps_that_are_none(values):
    with pytest.raises(cb.errors.InputError):
        Map(*values)


def test_only_probabilities_are_mapped():
    with pytest.raises(cb.errors.InputError, match=r"q must lie in \[0, 1\]"):
        IDENTITY([1.3])
