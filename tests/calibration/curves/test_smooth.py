import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.pairs import synthetic

PAIRS = synthetic.sample(2000, synthetic.inward(0.1), a=1, b=1, seed=1)
SMALL = synthetic.sample(80, synthetic.inward(0.1), a=1, b=1, seed=2)


def direct(x, y, at, h):
    """Local-linear logistic regression by Newton's method, as it is defined."""
    w = np.exp(-0.5 * ((x - at) / h) ** 2)
    design = np.column_stack([np.ones_like(x), x - at])
    beta = np.zeros(2)
    for _ in range(100):
        p = expit(design @ beta)
        hessian = (design * (w * p * (1 - p))[:, None]).T @ design
        step = np.linalg.solve(hessian, design.T @ (w * (y - p)))
        beta += step
        if np.abs(step).max() < 1e-13:
            break
    return beta[0]


@pytest.mark.parametrize("scale", ["logit", "identity"])
@pytest.mark.parametrize("h", [0.3, 0.7])
def test_local_likelihood_is_a_local_logistic_regression(scale, h):
    place = logit if scale == "logit" else np.asarray
    curve = cb.curve(PAIRS, cb.LocalLikelihood(bandwidth=h, scale=scale, grid=None))
    at = np.linspace(0.06, 0.94, 50)  # where no bandwidth has to grow
    wanted = [expit(direct(place(PAIRS.q), PAIRS.y, place(q), h)) for q in at]
    np.testing.assert_allclose(curve(at), wanted, atol=1e-8)


def test_kernel_is_a_weighted_mean():
    curve = cb.curve(PAIRS, cb.Kernel(bandwidth=0.05, grid=None))
    at = np.linspace(0, 1, 50)
    weight = np.exp(-0.5 * ((at[:, None] - PAIRS.q) / 0.05) ** 2)
    np.testing.assert_allclose(curve(at), weight @ PAIRS.y / weight.sum(axis=1), atol=1e-12)


def without(i):
    keep = np.arange(len(SMALL)) != i
    return SMALL.y[keep], SMALL.q[keep]


def loss_at(estimator, h):
    found = estimator.cross_validate(SMALL)
    near = np.argmin(np.abs(found.bandwidth - h))
    return found.bandwidth[near], found.loss[near]


def test_leaving_one_out_is_exact_for_the_likelihood():
    h, found = loss_at(cb.LocalLikelihood(grid=None), 5.0)  # wide enough not to grow
    total = 0.0
    for i, (q, y) in enumerate(zip(SMALL.q, SMALL.y, strict=True)):
        others_y, others_q = without(i)
        level = direct(logit(others_q), others_y, logit(q), h)
        total -= np.log(expit(level if y else -level))
    assert found == pytest.approx(total / len(SMALL), abs=1e-8)


def test_leaving_one_out_is_exact_for_the_kernel():
    """And equals the short cut: Σ((y − r̂)/(1 − L_ii))²/n."""
    h, found = loss_at(cb.Kernel(grid=None), 0.3)
    weight = np.exp(-0.5 * ((SMALL.q[:, None] - SMALL.q) / h) ** 2)
    own = 1 / weight.sum(axis=1)
    fitted = weight @ SMALL.y * own
    assert found == pytest.approx(np.mean(((SMALL.y - fitted) / (1 - own)) ** 2), abs=1e-10)


def test_folds_leave_out_whole_groups():
    pairs = synthetic.sample_groups(40, size=5, seed=3)
    found = cb.LocalLikelihood(grid=None).cross_validate(pairs)
    assert found.left_out == "groups"
    renamed = cb.Pairs(pairs.y, pairs.q, group=(pairs.group * 7 + 3) % 41)
    again = cb.LocalLikelihood(grid=None).cross_validate(renamed)
    np.testing.assert_array_equal(found.loss, again.loss)
    # ten folds, so the loss of a bandwidth is that of ten fits to nine tenths of the groups
    h = found.bandwidth[14]
    from calibrant.calibration.curves.cells import group_cells, make_cells

    cells = make_cells(pairs, "logit", None)
    grouped = group_cells(pairs, cells.column, cells.x.size + 2)
    fold_n, fold_k = grouped.folds(10, cells.x.size + 2)
    total = 0.0
    for n, k in zip(fold_n[:, :-2], fold_k[:, :-2], strict=True):
        others = np.repeat(cells.x, 2)
        counts = np.column_stack([cells.n - n - (cells.k - k), cells.k - k]).ravel().astype(int)
        x, y = np.repeat(others, counts), np.repeat(np.tile([0, 1], cells.x.size), counts)
        for j in np.flatnonzero(n):
            level = direct(x, y, cells.x[j], h)
            total -= k[j] * np.log(expit(level)) + (n[j] - k[j]) * np.log(expit(-level))
    assert found.loss[14] == pytest.approx(total / len(pairs), abs=1e-8)


def test_a_huge_bandwidth_is_cox_recalibration():
    curve = cb.curve(PAIRS, cb.LocalLikelihood(bandwidth=1e6))
    x = logit(PAIRS.q)

    def loss(beta):
        z = beta[0] + beta[1] * x
        return np.mean(np.logaddexp(0, z) - PAIRS.y * z)

    beta = minimize(loss, [0, 1], tol=1e-12).x
    at = np.linspace(0.05, 0.95, 9)
    np.testing.assert_allclose(curve(at), expit(beta[0] + beta[1] * logit(at)), atol=1e-4)


@pytest.mark.parametrize("estimator", [cb.LocalLikelihood, cb.Kernel])
def test_the_grid_changes_little(estimator):
    """Cells of the default grid move a curve by less than a tenth of its standard error."""
    pairs = synthetic.sample(20_000, synthetic.inward(0.1), a=0.5, b=0.5, seed=4)
    h = estimator().cross_validate(pairs).best
    gridded, exact = (cb.curve(pairs, estimator(bandwidth=h, grid=g)) for g in (1000, None))
    at = gridded.q[(gridded.q > 0.01) & (gridded.q < 0.99)]
    errors = np.abs(gridded(at) - exact(at)) / np.interp(at, gridded.q, gridded.se)
    assert errors.max() < 0.1


@pytest.mark.parametrize("n", [3000, 40_000])
def test_neither_order_nor_multiplicity_matters(n):
    pairs = synthetic.sample(n, synthetic.inward(0.1), seed=5)
    q = np.where(np.arange(n) % 3 == 0, np.round(pairs.q), pairs.q)
    pairs = cb.Pairs(pairs.y, q)
    order = np.random.default_rng(1).permutation(n)
    at = np.linspace(0, 1, 21)
    for estimator in (cb.LocalLikelihood(), cb.Kernel()):
        wanted = cb.curve(pairs, estimator)
        shuffled = cb.curve(cb.Pairs(pairs.y[order], q[order]), estimator)
        np.testing.assert_array_equal(shuffled(at), wanted(at))
        np.testing.assert_array_equal(shuffled.high, wanted.high)
        twice = cb.curve(cb.Pairs(pairs.y, q, weight=np.full(n, 2)), estimator)
        doubled = cb.curve(pairs + pairs, estimator)
        np.testing.assert_allclose(twice(at), doubled(at), atol=1e-6)


def test_exactly_0_and_1_have_points_of_their_own():
    y = [0, 0, 1, *[0, 1, 1, 0, 1] * 5, 1, 1]
    q = [0.0, 0.0, 0.0, *[0.2, 0.4, 0.5, 0.6, 0.8] * 5, 1.0, 1.0]
    curve = cb.curve(cb.Pairs(y, q), cb.LocalLikelihood(bandwidth=1.0))
    assert curve.q[0] == 0
    assert curve.q[-1] == 1
    np.testing.assert_allclose(curve([0, 1]), [1 / 3, 1.0])
    assert curve.n[0] == 3
    flat = cb.curve(cb.Pairs(y, q), cb.Kernel(bandwidth=0.1))
    assert 0 < flat([0.0])[0] < 1


@pytest.mark.parametrize("n", [2, 10, 18])
def test_too_few_pairs_for_any_bandwidth(n):
    pairs = cb.Pairs([0, 1] * (n // 2), np.linspace(0.2, 0.8, n))
    with pytest.raises(InputError, match="too few pairs for a local fit at any bandwidth"):
        cb.curve(pairs, cb.LocalLikelihood(bandwidth=0.1))
    assert cb.curve(pairs, cb.Kernel(bandwidth=0.1)).p.size > 0


def test_what_lies_beyond_the_data_is_marked():
    curve = cb.curve(PAIRS, cb.LocalLikelihood(bandwidth=0.5))
    low, high = curve.support
    np.testing.assert_array_equal(curve.supported([low / 2, 0.5, (1 + high) / 2]), [0, 1, 0])
    assert 0 <= curve([low / 2])[0] <= 1


def test_bands_cover_the_truth():
    t = synthetic.inward(0.1)
    at, inside = np.array([0.2, 0.35, 0.7, 0.85]), []
    for seed in range(60):
        pairs = synthetic.sample(2000, t, a=1, b=1, seed=seed)
        curve = cb.curve(pairs, cb.LocalLikelihood(bandwidth=0.25))
        low, high = (np.interp(at, curve.q, each) for each in (curve.low, curve.high))
        inside.append((low <= t(at)) & (t(at) <= high))
    assert 0.9 <= np.mean(inside) <= 0.99  # 240 points, but those of one curve hang together


def test_the_band_of_kernel_covers_at_the_boundary():
    """All neighbours lie on one side and pull the curve, but not its band, towards them."""
    at, inside, nearer = 0.03, [], []
    for seed in range(60):
        curve = cb.curve(synthetic.calibrated(1000, a=1, b=1, seed=seed), cb.Kernel())
        low, high, p = (np.interp(at, curve.q, each) for each in (curve.low, curve.high, curve.p))
        inside.append(low <= at <= high)
        nearer.append(p)
    assert np.mean(nearer) > 0.04  # the curve itself is biased
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


def few_groups(seed):
    """Twelve groups of unequal sizes that share an effect; the model is calibrated."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(12), np.rint(np.geomspace(20, 300, 12)).astype(int))
    q = rng.uniform(0.2, 0.8, group.size)
    swing = rng.choice([-0.2, 0.2], 12)[group]  # up or down: calibrated on average
    return cb.Pairs((rng.random(group.size) < q + swing).astype(int), q, group=group)


@pytest.mark.parametrize(
    "estimator", [cb.AdaptiveBins(count=5), cb.LocalLikelihood(bandwidth=1.0)], ids=repr
)
def test_bands_of_few_groups_cover(estimator):
    inside = []  # three points of each curve, which depend on each other
    for seed in range(60):
        curve = cb.curve(few_groups(seed), estimator)
        at = np.searchsorted(curve.q, [0.3, 0.5, 0.7])
        q = curve.q[at]
        inside.append(np.mean((curve.low[at] <= q) & (q <= curve.high[at])))
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


def test_few_groups_reach_as_far_as_student():
    pairs = few_groups(0)
    curves = [cb.curve(pairs, cb.LocalLikelihood(bandwidth=1.0), level=x) for x in (0.5, 0.99)]
    narrow, wide = (logit(each.high) - logit(each.low) for each in curves)
    # 2.576 / 0.674 for normal noise; Student's t with fewer than 10 degrees of freedom: more
    assert (wide / narrow > 3.25 / 0.70).all()


def test_bands_of_groups_are_wider():
    pairs = synthetic.sample_groups(200, seed=1)
    curves = [
        cb.curve(each, cb.LocalLikelihood(bandwidth=1.0))
        for each in (pairs, cb.Pairs(pairs.y, pairs.q))
    ]
    grouped, blind = (np.median(each.high - each.low) for each in curves)
    assert grouped > 1.3 * blind


def test_local_likelihood_is_closer_to_the_truth_than_bins():
    for t in (synthetic.identity, synthetic.inward(0.1), lambda q: expit(0.6 * logit(q))):
        errors = {}
        for estimator in (cb.AdaptiveBins(), cb.LocalLikelihood()):
            found = []
            for seed in range(5):
                pairs = synthetic.sample(3000, t, a=0.5, b=0.5, seed=seed)
                found.append(np.mean((cb.curve(pairs, estimator)(pairs.q) - t(pairs.q)) ** 2))
            errors[type(estimator)] = np.mean(found)
        assert errors[cb.LocalLikelihood] < errors[cb.AdaptiveBins]


@pytest.mark.parametrize("estimator", [cb.LocalLikelihood(), cb.Kernel()], ids=repr)
def test_scores_from_smooth_curves(estimator):
    score = cb.CalibScore(estimator)
    calibrated = cb.score(synthetic.calibrated(5000, a=0.5, b=0.5, seed=1), score)
    assert calibrated.low == 0
    assert calibrated.plugin > calibrated.value
    wrong = cb.score(synthetic.sample(5000, synthetic.inward(0.1), a=0.5, b=0.5, seed=1), score)
    assert wrong.low < 0.1 < wrong.high
    assert wrong.low > 0.07
    grouped = synthetic.sample_groups(250, synthetic.inward(0.1), seed=1)
    wide = cb.score(grouped, score)
    blind = cb.score(cb.Pairs(grouped.y, grouped.q), score)
    assert wide.high - wide.low > 1.2 * (blind.high - blind.low)


def test_the_plugin_is_the_mean_square_along_the_curve():
    estimator = cb.LocalLikelihood(bandwidth=0.5, grid=None)
    curve = cb.curve(PAIRS, estimator)
    wanted = np.sqrt(np.mean((curve(PAIRS.q) - PAIRS.q) ** 2))
    found = cb.CalibScore(estimator, debiased=False)(PAIRS)
    assert found == pytest.approx(wanted, abs=1e-12)


def test_the_noise_of_a_curve_is_known():
    """The variance that debiasing removes is that of curves over simulations."""
    t, h, at = synthetic.inward(0.1), 0.4, np.linspace(0.1, 0.9, 9)
    rng = np.random.default_rng(0)
    q = np.sort(rng.random(800))
    estimator = cb.LocalLikelihood(bandwidth=h, grid=None)
    drawn = [cb.Pairs(rng.random(800) < t(q), q) for _ in range(150)]
    curves = [estimator.estimate(pairs)(at) for pairs in drawn]
    gaps = estimator.gaps(drawn[0])
    claimed = np.interp(at, gaps.bins.q, gaps.variance)
    np.testing.assert_allclose(np.mean(claimed), np.mean(np.var(curves, axis=0)), rtol=0.15)


ODD = {
    "one class": (lambda: cb.curve(cb.Pairs([0, 0], [0.1, 0.2]), cb.LocalLikelihood()), "All y"),
    "all equal": (lambda: cb.curve(cb.Pairs([0, 1], [0.3, 0.3]), cb.Kernel()), "are equal"),
    "certain": (lambda: cb.curve(cb.Pairs([0, 1], [0, 1]), cb.LocalLikelihood()), "exactly 0 or 1"),
    "one group": (
        lambda: cb.curve(cb.Pairs([0, 1, 0], [0.1, 0.2, 0.3], group=[1, 1, 1]), cb.Kernel()),
        "All pairs belong to one group",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_cannot_be_fitted(name):
    call, message = ODD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_wrong_options():
    with pytest.raises(ParameterError, match="bandwidth must be positive"):
        cb.Kernel(bandwidth=0)
    with pytest.raises(UnknownName, match="Did you mean logit"):
        cb.LocalLikelihood(scale="logits")
    with pytest.raises(ParameterError, match="grid must be a whole number from 50"):
        cb.LocalLikelihood(grid=3)
    with pytest.raises(UnknownName, match="band of LocalLikelihood"):
        cb.curve(PAIRS, cb.LocalLikelihood(), band="wilson")


def test_names_read_back():
    for estimator in (cb.LocalLikelihood(bandwidth=0.5), cb.Kernel(scale="logit", grid=None)):
        score = cb.CalibScore(estimator)
        assert cb.score(PAIRS, repr(score), interval=None).score == repr(score)
