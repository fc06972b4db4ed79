import numpy as np
import pytest
from scipy import stats

import calibrant as cb
from calibrant.calibration.numbers.flips import critical
from calibrant.calibration.numbers.uniform import (
    probability_inside,
    simultaneous,
    surprise_at,
    uniform_p_value,
    windows,
)
from calibrant.errors import InputError, ParameterError, UnknownName, UnsupportedError
from calibrant.numbers import PIT, Ranks
from calibrant.results.verdict import share_beyond

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])


def normal(n, seed=0, sd=1.0, mean=0.0, group=None):
    y = np.random.default_rng(seed).normal(size=n)
    return PIT.from_normal(y, mean, sd, group=group)


def counted(seed=0, n=400):
    """Poisson counts under their own law: u is known to lie in an interval."""
    generator = np.random.default_rng(seed)
    mean = generator.uniform(0.5, 6, n)
    y = generator.poisson(mean)
    return PIT.from_cdf(stats.poisson.cdf(y, mean), stats.poisson.cdf(y - 1, mean))


def in_documents(n, count, seed, sd=1.0):
    """Documents whose truths lean the same way."""
    generator = np.random.default_rng(seed)
    group = np.arange(n) * count // n
    noise = generator.normal(size=n) * np.sqrt(0.7)
    noise += np.sqrt(0.3) * generator.normal(size=count)[group]
    return PIT.from_normal(noise, 0.0, sd, group=group)


# the noun


def test_ranks_among_draws_by_brute_force():
    generator = np.random.default_rng(1)
    y, draws = generator.integers(0, 5, 60), generator.integers(0, 5, (60, 7))
    pit = PIT.from_samples(y, draws)
    for i in range(60):
        assert pit.low[i] == sum(draw < y[i] for draw in draws[i]) / 8
        assert pit.high[i] == (sum(draw <= y[i] for draw in draws[i]) + 1) / 8


def test_randomised_ranks_are_uniform_under_ties():
    generator = np.random.default_rng(2)
    pit = PIT.from_samples(generator.integers(0, 3, 4000), generator.integers(0, 3, (4000, 9)))
    u = pit.randomised().low
    assert ((pit.low <= u) & (u <= pit.high)).all()
    assert stats.kstest(u, "uniform").pvalue > 0.01
    assert stats.kstest((pit.low + pit.high) / 2, "uniform").pvalue < 1e-10  # midpoints are not


def test_intervals_between_quantiles():
    row = [1.0, 2.0, 2.0, 4.0, 5.0]
    y = [0.0, 1.0, 1.5, 2.0, 3.0, 9.0]
    pit = PIT.from_quantiles(y, LEVELS, [row] * 6)
    assert pit.low.tolist() == [0.0, 0.0, 0.05, 0.05, 0.5, 0.95]
    assert pit.high.tolist() == [0.05, 0.05, 0.25, 0.5, 0.75, 1.0]


def test_normals_are_their_distribution_function():
    y = np.linspace(-2, 2, 9)
    pit = PIT.from_normal(y, 0.3, np.full(9, 2.0))
    np.testing.assert_allclose(pit.low, stats.norm.cdf(y, 0.3, 2.0), rtol=1e-12)


BAD = [
    (lambda: PIT.from_cdf([]), "at is empty"),
    (lambda: PIT.from_cdf([0.1, np.nan]), r"at\[1\] is nan"),
    (lambda: PIT.from_cdf([0.1, 1.2]), r"at\[1\] is 1.2 \(1 of 2"),
    (lambda: PIT.from_cdf([0.1, 0.2], [0.0, 0.3]), r"below\[1\] is 0.3 and at\[1\] is 0.2"),
    (lambda: PIT.from_cdf([0.1, 0.2], [0.0]), "each of the 2 observations, but it has 1"),
    (lambda: PIT.from_cdf([0.1, 0.2], group=[1]), "group must have one value"),
    (lambda: PIT.from_normal([1.0, np.inf], 0, 1), r"y\[1\] is inf"),
    (lambda: PIT.from_normal([1.0, 2.0], 0, [1, 0]), r"sd\[1\] is 0"),
    (lambda: PIT.from_normal([1.0, 2.0], [1, 2, 3], 1), "mean must have one value"),
    (lambda: PIT.from_samples([1.0], [[1.0]]), "at least 2 draws"),
    (lambda: PIT.from_samples([1.0], [1.0, 2.0]), r"shape is \(2,\)"),
    (lambda: PIT.from_samples([1.0], np.zeros((4, 1))), r"\(4, 1\). Pass samples.T"),
    (lambda: PIT.from_samples([1.0], [[1.0, np.nan]]), r"samples\[0, 1\] is nan \(1 of 2"),
    (lambda: PIT.from_samples([1.0], [["a", "b"]]), "must hold numbers"),
    (lambda: PIT.from_samples([1, 2], [[1, 2], [3]]), "rows of one length"),
    (lambda: PIT.from_quantiles([1.0], [0.5, 0.1], [[1, 2]]), "levels must grow"),
    (lambda: PIT.from_quantiles([1.0], [5, 95], [[1, 2]]), "pass levels / 100"),
    (lambda: PIT.from_quantiles([1.0], [0.0, 0.5], [[1, 2]]), r"levels\[0\] is 0"),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.5], [[1, 2, 3]]), "column for each of the 2"),
    (lambda: PIT.from_quantiles([1, 1], [0.1, 0.5], [[1, 2], [3, 2]]),
     r"quantiles\[1, 0\] is 3 at level 0.1 and quantiles\[1, 1\] is 2 at level 0.5 \(1 of 2 rows"),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.4], [[1, 2]]).coverage(), "0.05 and 0.95"),
    (lambda: PIT.from_quantiles([1.0], [0.1, 0.9], [[1, 2]]).coverage([0.5]), "0.25 and 0.75"),
    (lambda: normal(20).score([0.5, 0.2]), "points must grow"),
    (lambda: normal(20).score([0.2, 0.5], [1.0]), "each of the 2 points"),
    (lambda: normal(20).score([0.2, 0.5], [1.0, -1.0]), "must not be negative"),
    (lambda: Ranks([], 9), "rank is empty"),
    (lambda: Ranks([0, 10], 9), r"0 and draws = 9, but rank\[1\] is 10"),
    (lambda: Ranks([0, -1], 9), r"rank\[1\] is -1"),
    (lambda: Ranks([0, 0.5], 9), r"rank\[1\] is 0.5 \(1 of 2 values is not whole"),
    (lambda: Ranks([0, np.nan], 9), r"rank\[1\] is nan"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "says"), BAD)
def test_bad_input_is_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_bad_options_are_refused():
    for call in (
        lambda: Ranks([0], 0),
        lambda: normal(20).histogram(1),
        lambda: normal(20).curve(level=95),
        lambda: normal(20).score(replicates=3),
        lambda: normal(20).curve(seed=-1),
    ):
        with pytest.raises(ParameterError):
            call()
    with pytest.raises(UnknownName, match="Did you mean Uniform"):
        normal(20).test("uniforn")
    with pytest.raises(UnsupportedError, match="only 9 observations"):
        normal(9).test()
    few = normal(40, group=np.arange(40) % 4)
    for call in (few.test, few.curve, few.histogram, lambda: few.test("CookGelmanRubin")):
        with pytest.raises(UnsupportedError, match="only 4 groups"):
            call()
    with pytest.raises(UnsupportedError, match="replicates=None"):
        normal(40, group=np.zeros(40, int)).score()


def everything(pit):
    return [
        *pit.histogram().columns().values(),
        *pit.curve().columns().values(),
        *pit.coverage().columns().values(),
        *(np.array([e.value, e.low, e.high]) for e in [pit.score(replicates=100)]),
        *(np.array([pit.test(t).p_value]) for t in ("Uniform", "CookGelmanRubin")),
    ]


@pytest.mark.parametrize("kind", ["points", "intervals", "groups"])
def test_the_order_of_rows_does_not_matter(kind):
    pit = {"points": lambda: normal(300), "intervals": counted,
           "groups": lambda: in_documents(300, 60, 1)}[kind]()  # fmt: skip
    order = np.random.default_rng(3).permutation(len(pit))
    codes = pit.positions.codes
    moved = PIT.from_cdf(
        pit.high[order], pit.low[order], group=None if codes is None else codes[order]
    )
    still = PIT.from_cdf(pit.high, pit.low, group=codes)
    for one, other in zip(everything(still), everything(moved), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    if codes is not None:  # nor do labels
        named = PIT.from_cdf(pit.high, pit.low, group=99 - codes)
        for one, other in zip(everything(still), everything(named), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_labels_of_groups_do_not_matter_to_randomised_ranks():
    rng = np.random.default_rng(3)
    y, draws, group = rng.normal(size=200), rng.normal(size=(200, 9)), rng.integers(0, 60, 200)
    one, other = (
        PIT.from_samples(y, draws, group=each).test("CookGelmanRubin").p_value
        for each in (group, 99 - group)
    )
    assert one == pytest.approx(other, rel=1e-9)


def test_coverage_of_one_or_two_groups():
    y = np.random.default_rng(1).normal(size=200)
    with pytest.raises(cb.errors.UnsupportedError, match="one group"):
        PIT.from_normal(y, 0, 1, group=np.zeros(200, int)).coverage()
    two = PIT.from_normal(y, 0, 1, group=np.arange(200) % 2).coverage()
    assert (two.high - two.low > 0.2).all()  # Student's t of two groups


# the law of uniform draws


@pytest.mark.parametrize("n", [1, 7, 200])
@pytest.mark.parametrize("surprise", [1e-6, 0.01, 0.3, 1.0])
def test_windows_by_brute_force(n, surprise):
    z = np.array([0.001, 0.2, 0.5, 0.97])
    low, high = windows(n, z, surprise)
    count = np.arange(n + 1)
    for k in range(z.size):
        tails = [stats.binom.cdf(count, n, z[k]), stats.binom.sf(count - 1, n, z[k])]
        fine = np.flatnonzero(2 * np.min(tails, axis=0) > surprise * (1 + 1e-9))
        if fine.size:
            assert (low[k], high[k]) == (fine[0], fine[-1])
        else:
            assert low[k] > high[k]


def test_the_recursion_by_enumeration():
    """All ways in which 4 draws fall into 3 cells, one by one."""
    z, low, high = np.array([0.2, 0.7]), np.array([0, 2]), np.array([1, 3])
    total = 0.0
    for a in range(5):
        for b in range(5 - a):
            if a <= 1 and 2 <= a + b <= 3:
                total += stats.multinomial.pmf([a, b, 4 - a - b], 4, [0.2, 0.5, 0.3])
    assert probability_inside(4, z, low, high) == pytest.approx(total, rel=1e-12)


def test_the_recursion_is_kolmogorovs_law():
    """A band of constant width over all n points is the exact test of Kolmogorov and Smirnov."""
    n, d = 10, 0.4
    z = np.sort(np.concatenate([np.arange(n) / n + d, np.arange(1, n + 1) / n - d]))
    z = np.unique(np.round(z[(z > 0) & (z < 1)], 12))
    eps = 1e-9  # the counts just before and just after each jump of the band
    points = np.unique(np.concatenate([z - eps, z + eps]))
    low = np.ceil(n * (points - d)).clip(0).astype(np.int64)
    high = np.floor(n * (points + d)).clip(max=n).astype(np.int64)
    assert 1 - probability_inside(n, points, low, high) == pytest.approx(
        stats.kstwo.sf(d, n), abs=1e-6
    )


@pytest.mark.parametrize(("n", "cells"), [(50, 100), (250, 100), (1000, 20), (120, 8)])
def test_bands_hold_whole_curves(n, cells):
    """As often as they say: exact, and in 4000 simulations of u (100 cells) or ranks."""
    points = np.arange(1, cells) / cells
    low, high = simultaneous(n, points, 0.95)
    exact = probability_inside(n, points, low, high)
    assert 0.95 <= exact < 0.962
    generator = np.random.default_rng(n)
    counts = np.cumsum(generator.multinomial(n, np.full(cells, 1 / cells), 4000), axis=1)[:, :-1]
    inside = ((counts >= low) & (counts <= high)).all(axis=1).mean()
    assert abs(inside - exact) < 4 * np.sqrt(0.95 * 0.05 / 4000)
    p_values = np.array([uniform_p_value(n, points, each)[1] for each in counts[:300]])
    outside = ((counts[:300] < low) | (counts[:300] > high)).any(axis=1)
    assert (outside == (p_values <= 0.05)).all()


def test_p_values_are_how_often_counts_are_as_surprising():
    n, points = 40, np.arange(1, 10) / 10
    counts = np.cumsum(
        np.random.default_rng(4).multinomial(n, np.full(10, 0.1), 20_000), axis=1
    )[:, :-1]  # fmt: skip
    smallest = surprise_at(n, points, counts).min(axis=1)
    for k in (0, 3, 8):
        found, p_value = uniform_p_value(n, points, counts[k])
        share = np.mean(smallest <= found * (1 + 1e-9))
        assert p_value == pytest.approx(share, abs=4 * np.sqrt(0.25 / 20_000))


def test_hopeless_counts_have_a_bound():
    found, p_value = uniform_p_value(1000, np.array([0.25, 0.5, 0.75]), np.array([0, 1, 1000]))
    assert 0 < found < p_value <= 3.1 * found < 1e-100


# results


def test_expected_counts_add_up():
    for pit in (normal(300), counted(), in_documents(300, 20, 1)):
        bins = pit.histogram(7)
        assert bins.count.sum() == pytest.approx(len(pit))
        assert bins.expected.sum() == pytest.approx(len(pit))
        assert (bins.low <= bins.expected).all()
        assert (bins.expected <= bins.high).all()


def test_counts_of_intervals_are_the_mean_of_randomised_ones():
    pit = counted()
    drawn = np.mean([pit.randomised(seed).histogram(5).count for seed in range(200)], axis=0)
    np.testing.assert_allclose(pit.histogram(5).count, drawn, atol=1.5)


def test_the_histogram_is_numpys():
    pit = normal(500)
    np.testing.assert_array_equal(pit.histogram(20).count, np.histogram(pit.low, 20, (0, 1))[0])


def test_histogram_of_ranks_keeps_ranks_whole():
    rank = np.random.default_rng(1).integers(0, 64, 300)
    bins = Ranks(rank, 63).histogram(8)
    np.testing.assert_array_equal(bins.count, np.bincount(rank // 8))
    odd = Ranks(rank, 66).histogram(8)  # 67 ranks cannot be parted evenly
    assert (odd.count == np.rint(odd.count)).all()
    np.testing.assert_allclose(odd.start * 67, np.rint(odd.start * 67), atol=1e-9)


@pytest.mark.parametrize("n", [30, 400])
def test_histogram_bands_hold_all_bins(n):
    bins = normal(n).histogram(10)
    counts = np.random.default_rng(n).multinomial(n, np.full(10, 0.1), 4000)
    inside = ((counts >= bins.low) & (counts <= bins.high)).all(axis=1).mean()
    assert 0.945 < inside < 0.985


def test_a_shifted_normal_has_a_known_share():
    curve = normal(200_000, mean=0.5).curve(10)
    wanted = stats.norm.cdf(stats.norm.ppf(curve.quantile) + 0.5)
    np.testing.assert_allclose(curve.share, wanted, atol=4 * np.sqrt(0.25 / 200_000))
    assert not curve.inside
    difference = curve.difference()
    np.testing.assert_allclose(difference.share, curve.share - curve.quantile)
    assert difference.difference() is difference
    assert "difference" in difference.columns()


def test_the_curve_is_the_empirical_distribution():
    pit = normal(500)
    curve = pit.curve()
    wanted = [np.mean(pit.low <= z) for z in curve.quantile]
    np.testing.assert_allclose(curve.share, wanted, atol=1e-12)


def test_the_curve_of_quantiles_is_at_their_levels():
    generator = np.random.default_rng(1)
    y = generator.normal(size=300)
    quantiles = np.tile(stats.norm.ppf(LEVELS), (300, 1))
    curve = PIT.from_quantiles(y, LEVELS, quantiles).curve()
    np.testing.assert_array_equal(curve.quantile, LEVELS)
    np.testing.assert_allclose(curve.share, [(y <= q).mean() for q in quantiles[0]])


def test_ranks_are_a_pit():
    generator = np.random.default_rng(5)
    y, draws = generator.normal(size=200), generator.normal(size=(200, 19))
    ranks = Ranks((draws < y[:, None]).sum(axis=1), 19)
    pit = PIT.from_samples(y, draws)
    np.testing.assert_array_equal(ranks.curve().share, pit.curve().share)
    assert ranks.test().p_value == pit.test().p_value
    share = [np.mean(ranks.rank < i) for i in range(1, 20)]
    np.testing.assert_allclose(ranks.curve().share, share, atol=1e-12)


def test_coverage_by_hand():
    pit = PIT.from_cdf([0.01, 0.3, 0.5, 0.6, 0.98, 0.2, 0.7, 0.1])
    found = pit.coverage([0.5, 0.9])
    assert found.observed.tolist() == [0.5, 0.75]
    low, high = stats.binomtest(4, 8).proportion_ci(method="wilson")
    assert (found.low[0], found.high[0]) == (pytest.approx(low), pytest.approx(high))
    assert "width" not in found.columns()


def test_widths():
    pit = normal(50, sd=2.0)
    np.testing.assert_allclose(
        pit.coverage([0.5, 0.9]).width, 4 * stats.norm.ppf([0.75, 0.95]), rtol=1e-12
    )
    quantiles = np.array([[0.0, 1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
    found = PIT.from_quantiles([1.5, 1.5], LEVELS, quantiles).coverage()
    np.testing.assert_allclose(found.nominal, [0.5, 0.9])
    assert found.width.tolist() == [2.5, 6.0]
    draws = np.tile(np.arange(1.0, 20.0), (5, 1))  # quantile k/20 is k
    found = PIT.from_samples(np.full(5, 3.5), draws).coverage([0.5, 0.9, 0.95])
    np.testing.assert_allclose(found.width, [10.0, 18.0, np.nan])  # 0.025 is beyond 19 draws


def test_groups_make_coverage_less_sure():
    found = in_documents(1000, 20, 1).coverage()
    plain = PIT.from_cdf(in_documents(1000, 20, 1).high).coverage()
    np.testing.assert_allclose(found.observed, plain.observed)
    assert (found.high - found.low > 1.3 * (plain.high - plain.low)).all()


def test_the_score_by_hand():
    pit = PIT.from_cdf([0.1, 0.2, 0.3, 0.9])
    shares, points = np.array([0.5, 0.75]), np.array([0.25, 0.5])
    plain = np.mean((shares - points) ** 2)
    found = pit.score(points, root=False, replicates=None)
    assert found.plugin == pytest.approx(plain)
    noise = np.mean(shares * (1 - shares) / 3)
    assert found.value == pytest.approx(max(plain - noise, 0.0))
    assert found.low is None
    weighted = pit.score(points, [3, 1], debiased=False, replicates=None)
    assert weighted.value == pytest.approx(np.sqrt([0.75, 0.25] @ (shares - points) ** 2))


@pytest.mark.parametrize("kind", ["points", "intervals", "groups"])
def test_what_noise_adds_is_taken_off(kind):
    """A calibrated model has a squared score of 0 on average, before it is cut off at 0."""
    found = []
    for seed in range(300):
        pit = {"points": lambda s: normal(100, s), "intervals": lambda s: counted(s, 100),
               "groups": lambda s: in_documents(100, 20, s)}[kind](seed)  # fmt: skip
        at = np.array([0.2, 0.5, 0.8])
        plain = pit.score(at, root=False, replicates=None).plugin
        sums = pit.positions.sums(at, pit.positions.counts(at) / 100)
        units = sums.shape[0]
        found.append((plain, np.mean((sums**2).sum(axis=0)) / 100**2 * units / (units - 1)))
    plain, noise = np.array(found).T
    assert plain.mean() == pytest.approx(noise.mean(), rel=0.2)


def test_intervals_of_the_score_cover():
    """100 simulations of a model that leans to one side."""
    points = np.arange(1, 10) / 10
    true = np.sqrt(np.mean((stats.norm.cdf(stats.norm.ppf(points) - 0.2) - points) ** 2))
    covered = 0
    for seed in range(100):
        y = 0.2 + np.random.default_rng(seed).normal(size=200)
        found = PIT.from_normal(y, 0, 1).score(points, replicates=100)
        covered += found.low <= true <= found.high
        assert found.low <= found.value <= found.high
    assert covered >= 89


# tests


def p_values(make, test, simulations):
    return np.array([make(seed).test(test).p_value for seed in range(simulations)])


def test_cook_gelman_rubin_is_chi_squared():
    pit = normal(50)
    found = pit.test("CookGelmanRubin")
    squares = float(np.sum(stats.norm.ppf(pit.low) ** 2))
    assert found.statistic == pytest.approx(squares)
    tails = stats.chi2.cdf(squares, 50), stats.chi2.sf(squares, 50)
    assert found.p_value == pytest.approx(2 * min(tails))


def test_the_size_of_cook_gelman_rubin():
    """About 5 %, of points and of intervals; 2000 simulations."""
    for make in (lambda s: normal(100, s), lambda s: counted(s, 100)):
        p = p_values(make, "CookGelmanRubin", 2000)
        assert abs(np.mean(p <= 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)
        assert stats.kstest(p, "uniform").pvalue > 0.001


def test_the_power_of_cook_gelman_rubin():
    assert np.mean(p_values(lambda s: normal(100, s, sd=0.8), "CookGelmanRubin", 200) < 0.05) > 0.8
    assert np.mean(p_values(lambda s: normal(100, s, sd=1.3), "CookGelmanRubin", 200) < 0.05) > 0.8


def test_an_impossible_observation():
    found = PIT.from_cdf([0.0, *np.linspace(0.1, 0.9, 20)]).test("CookGelmanRubin")
    assert (found.statistic, found.p_value) == (np.inf, 0.0)


@pytest.mark.parametrize("test", ["Uniform", "CookGelmanRubin"])
def test_groups_are_respected(test):
    """Documents lean together: taken for independent, the shares are rejected too often."""
    p = p_values(lambda s: in_documents(600, 60, s), test, 150)
    assert np.mean(p <= 0.05) < 0.12
    wrong = p_values(lambda s: in_documents(600, 60, s, sd=0.7), test, 60)
    assert np.mean(wrong <= 0.05) > 0.6


def test_rows_taken_for_independent_are_not():
    p = [PIT.from_cdf(in_documents(600, 30, s).high).test().p_value for s in range(100)]
    assert np.mean(np.array(p) <= 0.05) > 0.25


def test_flipped_bands_and_p_values_agree():
    drawn = np.random.default_rng(1).random(1999)
    limit = critical(drawn, 0.95)
    assert share_beyond(drawn, limit) > 0.05
    assert share_beyond(drawn, limit * (1 + 1e-6)) <= 0.05
    for seed in range(20):
        pit = in_documents(300, 15, seed, sd=0.8)
        assert pit.curve().inside == (pit.test().p_value > 0.05)


def test_labels_of_groups_do_not_matter():
    pit = in_documents(300, 15, 1)
    other = PIT.from_cdf(pit.high, group=np.random.default_rng(1).permutation(15)[
        pit.positions.codes])  # fmt: skip
    assert pit.test().p_value == other.test().p_value


# tables and pictures


def test_results_become_tables():
    pit = normal(100)
    for found in (pit.histogram(), pit.curve(), pit.coverage()):
        header, rows = found.table()
        assert found.to_frame().columns == header
        assert len(rows) == found.to_frame().height
        assert found.render("csv").splitlines()[0] == ",".join(header)
        assert "<table>" in found._repr_html_()
        assert "n=100" in repr(found)
        assert "calibrant=" in found.signature


def test_pictures():
    pit = normal(100)
    curve, bins, coverage = pit.curve(), pit.histogram(), pit.coverage()
    ax = cb.plot(curve)
    drawn = max(ax.get_lines(), key=lambda line: len(line.get_xdata()))
    np.testing.assert_array_equal(drawn.get_ydata()[1:-1], curve.share)
    assert cb.plot(curve.difference()).get_ylabel() == "share below − quantile"
    assert cb.plot(bins, ax=ax) is ax
    assert cb.plot(coverage).get_xlabel() == "nominal coverage"
    with pytest.raises(ParameterError, match="not for a Histogram"):
        cb.plot(bins, log=True)


def test_a_pit_is_made_by_name():
    with pytest.raises(cb.errors.InputError, match="from_cdf"):
        PIT([0.1, 0.2])
    with pytest.raises(cb.errors.InputError, match=r"pit.score\(\)"):
        cb.score(normal(50))
