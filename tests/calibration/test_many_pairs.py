"""Many pairs are analysed piece by piece; the results are those of analysing them at once."""

import numpy as np
import pytest

import calibrant as cb
from calibrant.checks import arrays
from calibrant.kernels import in_order

N = 30_000
ANALYSES = {
    "describe": lambda pairs: [
        *_limits(cb.describe(pairs).estimates()),
        cb.describe(pairs).certain,
    ],
    **{
        name: lambda pairs, name=name: _finding(cb.test(pairs, name))
        for name in ("Cox()", "Cumulative()", "Cumulative('max')", "Spiegelhalter()", "Joint()")
    },
    "decompose": lambda pairs: _limits(cb.decompose(pairs).estimates()),
    "isotonic decompose": lambda pairs: _limits(
        cb.decompose(pairs, curve=cb.Isotonic()).estimates()
    ),
    "isotonic": lambda pairs: _points(cb.curve(pairs, cb.Isotonic())),
    "isotonic score": lambda pairs: _limits([cb.score(pairs, cb.CalibScore(cb.Isotonic()))]),
    "score": lambda pairs: _limits([cb.score(pairs), cb.score(pairs, cb.Brier())]),
}
KINDS = ("all different", "ties", "certain", "few")


def _limits(estimates):
    return [each for e in estimates for each in (e.value, e.low, e.high) if each is not None]


def _finding(verdict):
    return [verdict.statistic, verdict.p_value]


def _points(curve):
    return [*curve([0.1, 0.5, 0.93]), curve.n.sum(), *np.interp([0.2, 0.7], curve.q, curve.high)]


def columns(kind, groups):
    generator = np.random.default_rng(7)
    q = generator.beta(0.5, 0.5, N)
    if kind == "ties":
        q = np.round(q, 2)
    elif kind == "certain":
        q = np.where(generator.random(N) < 0.3, np.round(q), q)
    elif kind == "few":
        q = generator.choice([0.1, 0.4, 0.8], N)
    y = generator.random(N) < q
    return {"y": y, "q": q} | ({"group": generator.integers(0, 900, N)} if groups else {})


@pytest.fixture
def in_pieces(monkeypatch):
    """Make few pairs count as many."""

    def switch():
        monkeypatch.setattr("calibrant.pairs.pairs.MANY", 100)
        monkeypatch.setattr(in_order, "FEWEST", 1000)
        monkeypatch.setattr(in_order, "AT_ONCE", 301)
        for module in (arrays, __import__("calibrant.calibration.groups.exact_sums", fromlist="x")):
            monkeypatch.setattr(module, "CHUNK", 1 << 10)
        monkeypatch.setattr(arrays, "COMPACT", 100)

    return switch


@pytest.mark.parametrize("groups", [False, True], ids=["pairs", "groups"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ANALYSES)
def test_pieces_change_nothing(name, kind, groups, in_pieces):
    data = columns(kind, groups)
    whole = ANALYSES[name](cb.Pairs(**data))
    in_pieces()
    pairs = cb.Pairs(**data)
    assert pairs.many
    np.testing.assert_allclose(ANALYSES[name](pairs), whole, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("groups", [False, True], ids=["pairs", "groups"])
def test_the_order_of_rows_cannot_matter(groups, in_pieces):
    in_pieces()
    data = columns("certain", groups)
    order = np.random.default_rng(1).permutation(N)
    moved = {name: each[order] for name, each in data.items()}
    for analysis in ("describe", "Joint()", "decompose"):
        one, other = (ANALYSES[analysis](cb.Pairs(**each)) for each in (data, moved))
        assert one == other


def test_yes_and_no_may_be_swapped(in_pieces):
    in_pieces()
    data = columns("all different", groups=False)
    one = cb.describe(cb.Pairs(**data))
    other = cb.describe(cb.Pairs(~data["y"], 1 - data["q"]))
    for name in ("auc", "slope"):
        mine, theirs = (_limits([getattr(each, name)]) for each in (one, other))
        assert mine == pytest.approx(theirs, rel=1e-9)
    assert one.intercept.value == pytest.approx(-other.intercept.value, rel=1e-8)


def test_labels_of_groups_as_few_bytes(in_pieces):
    group = np.random.default_rng(0).integers(-50, 900, 5000) * 3
    wanted = np.unique(group, return_inverse=True)[1]
    in_pieces()
    found = arrays.codes(group)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, wanted)
    values = np.random.default_rng(1).normal(size=5000)
    np.testing.assert_array_equal(
        arrays.sum_by(found, values, 2000), np.bincount(wanted, values, 2000)
    )
