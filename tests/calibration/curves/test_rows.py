"""The rows behind each point of a curve."""

import numpy as np
import pytest

from calibrant import (
    AdaptiveBins,
    Isotonic,
    Kernel,
    LocalLikelihood,
    Pairs,
    UniformBins,
    curve,
)
from calibrant.calibration.curves.curve import Curve
from calibrant.errors import ParameterError, UnsupportedError

BINNED = [AdaptiveBins(), AdaptiveBins(count=7), AdaptiveBins(size=40), UniformBins(), Isotonic()]
SMOOTH = [
    Kernel(bandwidth=0.5),
    LocalLikelihood(bandwidth=0.5),
    Kernel(bandwidth=0.1, scale="identity"),
    LocalLikelihood(bandwidth=0.5, grid=None),
]


def made(size=500, seed=0, dtype=float):
    generator = np.random.default_rng(seed)
    q = generator.beta(0.5, 0.5, size)
    q[:20], q[20:40], q[40:80] = 0, 1, 0.25
    generator.shuffle(q)
    return Pairs(generator.random(size) < q, q.astype(dtype))


def every(fitted):
    return [fitted.rows(point) for point in range(len(fitted))]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", [*BINNED, *SMOOTH], ids=repr)
def test_every_row_is_behind_exactly_one_point(estimator, dtype):
    pairs = made(dtype=dtype)
    rows = every(curve(pairs, estimator))
    assert sorted(np.concatenate(rows).tolist()) == list(range(len(pairs)))
    assert all((np.diff(each) > 0).all() for each in rows)


@pytest.mark.parametrize("size", [500, 40_000])  # large sets have kernels of their own
@pytest.mark.parametrize("estimator", BINNED, ids=repr)
def test_the_members_of_a_bin_give_its_point(estimator, size):
    pairs = made(size)
    fitted = curve(pairs, estimator)
    for point, rows in enumerate(every(fitted)):
        assert rows.size == fitted.n[point]
        np.testing.assert_allclose(pairs.q[rows].mean(), fitted.q[point], rtol=1e-9)
        np.testing.assert_allclose(pairs.y[rows].mean(), fitted.p[point], atol=1e-12)


@pytest.mark.parametrize("estimator", SMOOTH, ids=repr)
def test_the_rows_of_a_smooth_point_are_the_nearest(estimator):
    pairs = made()
    fitted = curve(pairs, estimator)

    def place(q):
        with np.errstate(divide="ignore"):
            return q if estimator.scale == "identity" else np.log(q) - np.log1p(-q)

    with np.errstate(invalid="ignore"):
        away = np.abs(place(pairs.q)[:, None] - place(fitted.q))
    away[np.isnan(away)] = 0.0  # from infinity to the same infinity
    for point, rows in enumerate(every(fitted)):
        assert (away[rows, point] <= away[rows].min(axis=1) + 1e-9).all()


@pytest.mark.parametrize("q", [[0, 1, 1, 0], [0, 0.5, 0.5, 1], [0.5, 1, 1, 0.5]])
def test_predictions_of_exactly_0_and_1_have_points_of_their_own(q):
    fitted = curve(Pairs([0, 1, 0, 1], q), Kernel(bandwidth=1.0))
    for point, at in enumerate(fitted.q):
        assert fitted.rows(point).tolist() == np.flatnonzero(np.array(q) == at).tolist()


def test_points_count_from_either_end():
    fitted = curve(made(), AdaptiveBins(count=5))
    assert fitted.rows(-1).tolist() == fitted.rows(4).tolist()
    assert fitted.rows(-5).tolist() == fitted.rows(0).tolist()
    for bad in (5, -6, 1.0, True):
        with pytest.raises(ParameterError, match="from -5 to 4"):
            fitted.rows(bad)


def test_rows_are_those_of_the_source():
    some = made().with_rows().select(above=0.5)
    rows = np.concatenate(every(curve(some, AdaptiveBins(count=5))))
    assert sorted(rows.tolist()) == np.flatnonzero(made().q > 0.5).tolist()


def test_rows_of_draws_may_be_behind_several_points():
    generator = np.random.default_rng(0)
    yes = generator.integers(0, 21, 100)
    pairs = Pairs.from_draws(generator.random(100) < yes / 20, yes, 20)
    rows = every(curve(pairs, UniformBins(count=5)))
    assert set(np.concatenate(rows)) == set(range(100))
    assert all((np.diff(each) > 0).all() for each in rows)


def test_a_curve_refers_to_its_pairs_without_copying_them():
    pairs = made()
    assert curve(pairs).pairs is pairs
    assert curve(pairs, Kernel(bandwidth=0.5)).pairs is pairs


def test_what_has_no_rows_is_refused():
    with pytest.raises(UnsupportedError, match="Compressed pairs"):
        curve(made().compress()).rows(0)
    none = np.zeros(1)
    bare = Curve(none, none, none, none, none, none, none, 0.95, "", lambda q: q, (0, 1))
    with pytest.raises(UnsupportedError, match="curve\\(pairs\\)"):
        bare.rows(0)


def test_groups_and_weights_do_not_matter():
    pairs = made(300)
    weighted = Pairs(pairs.y, pairs.q, weight=np.arange(1, 301), group=np.arange(300) % 40)
    rows = every(curve(weighted, AdaptiveBins(count=6)))
    assert sorted(np.concatenate(rows).tolist()) == list(range(300))
