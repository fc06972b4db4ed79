import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import ParameterError, UnknownName
from calibrant.pairs import synthetic


def direct(pairs):
    """The cumulative differences as they are defined, one row at a time."""
    order = np.argsort(pairs.q, kind="stable")
    q, y = pairs.q[order], pairs.y[order].astype(float)
    walk = np.cumsum(q - y) / q.size
    ends = np.append(np.diff(q) > 0, True)  # equal predictions are one step
    walk = np.append(walk[ends], 0.0)
    return walk.max() - walk.min(), np.abs(walk).max()


@pytest.mark.parametrize("digits", [1, 12])
def test_cumulative_errors_by_definition(digits):
    pairs = synthetic.sample(3000, synthetic.inward(0.1), seed=1)
    pairs = cb.Pairs(pairs.y, pairs.q.round(digits))
    spread, largest = direct(pairs)
    assert cb.ECCE()(pairs) == pytest.approx(spread, abs=1e-12)
    assert cb.ECCE("max")(pairs) == pytest.approx(largest, abs=1e-12)
    order = np.random.default_rng(0).permutation(3000)
    assert cb.ECCE()(cb.Pairs(pairs.y[order], pairs.q[order])) == cb.ECCE()(pairs)


def test_values_of_other_packages():
    """probcal's, on the sets A and C."""
    a = cb.Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    assert cb.ECCE("max")(a) == pytest.approx(0.0875, abs=1e-12)
    rng = np.random.default_rng(7)
    q = rng.beta(0.3, 0.3, 5000)
    c = cb.Pairs((rng.random(5000) < q**1.3).astype(int), q)
    assert cb.ECCE("max")(c) == pytest.approx(0.0411013098, abs=1e-9)


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("k", [0.0, 0.1])
def test_true_cumulative_errors_are_covered(groups, k):
    """Inward by k: the walk goes down to −k/2 at the middle and comes back."""
    covered = 0
    for seed in range(40):
        if groups:
            pairs = synthetic.sample_groups(100, synthetic.inward(k), seed=seed)
        else:
            pairs = synthetic.sample(1000, synthetic.inward(k), a=1, b=1, seed=seed)
        found = cb.score(pairs, cb.ECCE(), interval=cb.Bootstrap(100, seed=seed))
        covered += found.low <= k / 2 <= found.high
    assert covered >= 34  # of 40; 38 expected


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("weighted", [False, True])
def test_cutoff_errors_are_maxima_over_intervals(digits, weighted):
    """The definition: every interval from one distinct prediction to another."""
    pairs = synthetic.sample(60, synthetic.inward(0.2), seed=2)
    q = pairs.q.round(digits)
    weight = np.random.default_rng(1).random(60) if weighted else np.ones(60)
    mass = weight * (q - pairs.y) / weight.sum()
    ends = np.unique(q)
    wanted = max(abs(mass[(a <= q) & (q <= b)].sum()) for i, a in enumerate(ends) for b in ends[i:])
    found = cb.Pairs(pairs.y, q, weight=weight if weighted else None)
    assert cb.Cutoff()(found) == pytest.approx(wanted, abs=1e-12)
    assert cb.Cutoff()(cb.Pairs([0], [0.0])) == 0


@pytest.mark.parametrize("groups", [False, True])
def test_a_cutoff_error_is_the_range_of_the_walk(groups):
    pairs = synthetic.sample_groups(40, synthetic.inward(0.1), seed=3)
    pairs = pairs if groups else cb.Pairs(pairs.y, pairs.q)
    one, other = cb.score(pairs, [cb.Cutoff(), cb.ECCE()])
    assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
    swapped = cb.Pairs(1 - pairs.y, 1 - pairs.q)
    assert cb.Cutoff()(swapped) == pytest.approx(cb.Cutoff()(pairs), abs=1e-12)


def test_only_two_statistics():
    with pytest.raises(UnknownName, match="Did you mean range"):
        cb.ECCE("ranges")


def other_predictions(kind, n):
    rng = np.random.default_rng(11)
    q = {"even": rng.random(n), "skewed": rng.beta(0.3, 0.3, n), "sharp": rng.beta(0.05, 0.05, n)}
    return (rng.random(n) < q[kind] ** 1.1).astype(int), q[kind]


@pytest.mark.parametrize("kind", ["even", "skewed", "sharp"])
@pytest.mark.parametrize("n", [500, 100_000])  # distinct predictions, and cells of them
def test_smooth_errors_are_those_of_the_authors(kind, n):
    relplot = pytest.importorskip("relplot")
    y, q = other_predictions(kind, n)
    wanted = relplot.smECE(q, y)
    assert cb.SmoothECE()(cb.Pairs(y, q)) == pytest.approx(wanted, rel=1e-3)


def test_smooth_errors_on_the_reference_sets(a, b, c):
    """relplot, calibre and probmetrics agree; relplot adds 1e-4 of a pair to the density."""
    wanted = (0.1056515986, 0.0676137205, 0.0424960872)
    for pairs, value in zip((a, b, c), wanted, strict=True):
        assert cb.SmoothECE()(pairs) == pytest.approx(value, rel=2e-5)


def test_whole_ends_make_the_smooth_error_an_integral(b, c):
    """C is wrong in one direction only, so its error is the mean difference, whatever the width.

    For B the integral is taken directly, from the reflected Gaussian itself.
    """
    gap = float(np.mean(c.q) - np.mean(c.y))
    assert cb.SmoothECE("whole")(c) == pytest.approx(gap, rel=1e-6)

    def error(sigma):
        t = (np.arange(20_000) + 0.5) / 20_000
        total = np.zeros_like(t)
        for q, weight, positive in zip(*b.tally, strict=True):
            mass = (q * weight - positive) / len(b)
            for image in (q, -q, 2 - q, 2 + q, q - 2):
                total += mass * np.exp(-(((t - image) / sigma) ** 2) / 2)
        return np.abs(total).mean() / sigma / np.sqrt(2 * np.pi)

    value = cb.SmoothECE("whole")(b)
    widths = np.arange(1, 1024) / 1024
    width = next(w for w in widths if error(w) < w)
    assert value == pytest.approx(error(width), rel=1e-4)


def kernel_form(pairs, width, same):
    """The definition: a sum over all pairs of pairs that do not share a unit."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    mass = weight * (pairs.predicted - pairs.y)
    kernel = np.exp(-np.abs(pairs.q[:, None] - pairs.q) / width)
    return mass @ (kernel * ~same) @ mass / (weight @ ~same @ weight)


@pytest.mark.parametrize("width", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("units", ["pairs", "ties", "groups", "weights"])
def test_kernel_errors_by_definition(units, width):
    pairs = synthetic.sample(700, synthetic.inward(0.1), seed=4)
    same = np.eye(700, dtype=bool)
    q = pairs.q.round(1) if units == "ties" else pairs.q
    if units == "groups":
        group = np.arange(700) // 9
        pairs, same = cb.Pairs(pairs.y, q, group=group), group[:, None] == group
    elif units == "weights":
        pairs = cb.Pairs(pairs.y, q, weight=np.random.default_rng(1).random(700))
    else:
        pairs = cb.Pairs(pairs.y, q)
    wanted = kernel_form(pairs, width, same)
    assert cb.SKCE(width)(pairs) == pytest.approx(wanted, rel=1e-10, abs=1e-15)
    none = np.zeros_like(same)
    plain = kernel_form(pairs, width, none)
    assert cb.SKCE(width, debiased=False)(pairs) == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize("width", [0.001, 0.1, 1.0])
def test_kernel_errors_of_draws_by_definition(width):
    """What the draws held back say need not ascend with the shares of the others."""
    rng = np.random.default_rng(0)
    pairs = cb.Pairs.from_draws(rng.integers(0, 2, 50), rng.binomial(8, 0.4, 50), 8)
    same = pairs.codes[:, None] == pairs.codes
    wanted = kernel_form(pairs, width, same)
    assert cb.SKCE(width)(pairs) == pytest.approx(wanted, rel=1e-9)


def test_kernel_errors_of_another_package(c):
    probcal = pytest.importorskip("probcal.metrics")
    few = cb.Pairs(c.y[:800], c.q[:800])
    wanted = probcal.skce(few.y, few.q, bandwidth=0.1) / 2  # it counts both classes
    assert cb.SKCE()(few) == pytest.approx(wanted, rel=1e-9)


def test_kernel_errors_have_no_bias():
    values = [cb.SKCE()(synthetic.calibrated(400, seed=seed)) for seed in range(300)]
    assert abs(np.mean(values)) < 3 * np.std(values) / np.sqrt(300)


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("k", [0.0, 0.1])
@pytest.mark.parametrize("score", [cb.SmoothECE("whole"), cb.SKCE(), cb.ATB()], ids=repr)
def test_true_errors_are_covered(score, groups, k):
    """The truth is the score of a million pairs whose outcomes are their own frequencies."""
    from calibrant.kernels.calibration.reflection import Smoothing

    draw = synthetic.sample_groups if groups else synthetic.sample
    q = np.sort(draw(50_000, seed=0).q[:50_000])
    gap, share = q - synthetic.inward(k)(q), np.full(50_000, 1 / 50_000)
    if isinstance(score, cb.SKCE | cb.ATB):
        truth = score.forms(np.array([0, 50_000]), q, gap * share)[0]
    else:
        smoothing = Smoothing(q, gap, share, whole=True)
        truth = smoothing.error(smoothing.width())
    covered = 0
    for seed in range(1, 21):
        pairs = draw(100 if groups else 1000, synthetic.inward(k), seed=seed)
        found = cb.score(pairs, score, interval=cb.Bootstrap(100, seed=seed))
        covered += found.low <= truth <= found.high
    assert covered >= 15  # of 20: 95 % intervals cover fewer once in 3000 times


@pytest.mark.parametrize("bad", [0, -1, "a", float("nan")])
def test_widths_are_positive(bad):
    with pytest.raises(ParameterError, match="width must be"):
        cb.SKCE(bad)
    with pytest.raises(ParameterError, match="debiased must be"):
        cb.SKCE(debiased=1)
    with pytest.raises(UnknownName, match="Did you mean whole"):
        cb.SmoothECE("wole")


def test_one_pair_has_no_kernel_error():
    with pytest.raises(ParameterError, match="two pairs"):
        cb.SKCE()(cb.Pairs([1], [0.3]))


@pytest.mark.parametrize("n", [600, 1500])
def test_narrow_kernels_are_covered(n):
    """Inward by 0.1 on even predictions; cells of √n pairs would be wider than the kernel."""
    x = (np.arange(2000) + 0.5) / 2000
    gap = 0.1 * np.sign(x - 0.5)
    truth = gap @ np.exp(-np.abs(x[:, None] - x) / 0.02) @ gap / x.size**2
    covered = 0
    for seed in range(20):
        pairs = synthetic.sample(n, synthetic.inward(0.1), a=1, b=1, seed=seed)
        found = cb.score(pairs, cb.SKCE(0.02), interval=cb.Bootstrap(100, seed=seed))
        covered += found.low <= truth <= found.high
    assert covered >= 15  # of 20: 95 % intervals cover fewer once in 3000 times
