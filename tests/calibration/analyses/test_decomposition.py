import numpy as np
import pytest
from made_pairs import set_a, set_b, set_c
from scipy.special import expit, ndtri
from sklearn.isotonic import IsotonicRegression

import calibrant as cb
from calibrant.calibration.analyses.decomposing import plugin_terms
from calibrant.calibration.analyses.term_limits import possible_ranges
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import synthetic

RULES = [
    cb.Brier(),
    cb.LogLoss(clip=1e-12),
    cb.Spherical(),
    cb.Rule(
        lambda x: -((1 - x) ** 3) * (1 + 3 * x) / 3,
        lambda x: -(x**3) * (4 - 3 * x) / 3,
        name="cubic",
    ),
]
CURVES = [
    cb.AdaptiveBins(),
    cb.AdaptiveBins(size=7),
    cb.UniformBins(count=5),
    cb.LocalLikelihood(bandwidth=0.5),
    cb.Kernel(bandwidth=0.1),
    cb.Isotonic(),
]


def draw(kind):
    pairs = synthetic.sample(1500, synthetic.inward(0.1), seed=3)
    if kind == "ties":
        return cb.Pairs(pairs.y, np.round(pairs.q, 1))
    if kind == "weights":
        return cb.Pairs(pairs.y, pairs.q, weight=np.random.default_rng(0).integers(1, 4, 1500))
    if kind == "groups":
        return synthetic.sample_groups(75, synthetic.outward(0.1), seed=2)
    return pairs


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("curve", CURVES, ids=repr)
@pytest.mark.parametrize("kind", ["plain", "ties", "weights", "groups"])
def test_the_terms_add_up(rule, curve, kind):
    """S = S1 + S2 + R (and what is within bins), each term computed on its own."""
    pairs = draw(kind)
    terms = plugin_terms(pairs, rule, curve)
    assert terms.loss == pytest.approx(rule(pairs), abs=1e-12)
    together = terms.calibration + terms.refinement + terms.within + terms.residual
    assert together == pytest.approx(terms.loss, abs=1e-12)
    modern = terms.miscalibration - terms.discrimination + terms.uncertainty
    assert modern == pytest.approx(terms.loss, abs=1e-12)
    assert min(terms.calibration, terms.miscalibration, terms.discrimination) >= -1e-12


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_calibration_is_lost_only_where_frequencies_differ(rule):
    q = np.repeat([0.25, 0.5, 0.75], 4)
    right = cb.Pairs([0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1], q)
    assert plugin_terms(right, rule, cb.AdaptiveBins(size=4)).calibration == pytest.approx(0)
    wrong = cb.Pairs([0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1], q)
    assert plugin_terms(wrong, rule, cb.AdaptiveBins(size=4)).calibration > 1e-3


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_refinement(rule):
    """Certain and right costs nothing; merging two frequencies costs more than each apart."""
    certain = cb.Pairs([0, 1, 1, 0], [0.1, 0.9, 0.9, 0.1])
    bins = cb.AdaptiveBins(size=2)
    assert plugin_terms(certain, rule, bins).refinement == pytest.approx(
        float(rule.entropy(np.array([1.0]))[0]), abs=1e-9
    )
    apart = plugin_terms(draw("plain"), rule, cb.AdaptiveBins(size=75)).refinement
    merged = plugin_terms(draw("plain"), rule, cb.AdaptiveBins(size=750)).refinement
    assert merged >= apart


def test_brier_over_bins_is_calibmse_and_the_terms_of_stephenson():
    pairs = draw("plain")
    bins = cb.UniformBins(count=10)
    terms = plugin_terms(pairs, cb.Brier(), bins)
    assert terms.calibration == pytest.approx(cb.CalibMSE(bins, debiased=False)(pairs), abs=1e-12)
    at = np.minimum((pairs.q * 10).astype(int), 9)
    spread = covariance = 0.0
    for i in np.unique(at):
        q, y = pairs.q[at == i], pairs.y[at == i]
        spread += np.sum((q - q.mean()) ** 2) / len(pairs)
        covariance += 2 * np.sum((q - q.mean()) * (y - y.mean())) / len(pairs)
    assert terms.within == pytest.approx(spread, abs=1e-12)
    assert terms.residual == pytest.approx(-covariance, abs=1e-12)


A, B, C = (cb.Pairs(*made()) for made in (set_a, set_b, set_c))
CORP = [  # model-diagnostics, calibre and probcal on the sets A, B and C
    (A, cb.Brier(), (0.0541666667, 0.1041666667, 0.25)),
    (B, cb.Brier(), (0.0062834374, 0.0764144374, 0.249951)),
    (C, cb.Brier(), (0.0051544758, 0.1646001964, 0.24802864)),
    (A, cb.LogLoss(), (0.1662205781, 0.2811675723, 0.6931471806)),
    (C, cb.LogLoss(), (0.0167173313, 0.4262291721, 0.6891992625)),
]


@pytest.mark.parametrize(("data", "rule", "wanted"), CORP)
def test_values_of_other_packages(data, rule, wanted):
    terms = plugin_terms(data, rule, cb.Isotonic())
    found = (terms.miscalibration, terms.discrimination, terms.uncertainty)
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.filterwarnings("ignore:All q are multiples")
def test_infinite_log_loss_is_said():
    """On set B 0 and 1 were predicted and missed: MCB is infinite, the rest is not."""
    with pytest.warns(cb.CalibrantWarning, match="LogLoss is infinite"):
        terms = plugin_terms(B, cb.LogLoss(), cb.Isotonic())
    assert terms.miscalibration == np.inf
    assert terms.discrimination == pytest.approx(0.1691247531, abs=1e-9)
    assert terms.uncertainty == pytest.approx(0.6930491774, abs=1e-9)
    with pytest.warns(cb.CalibrantWarning, match="clip=2.2e-16"):
        found = cb.decompose(B, cb.LogLoss())
    assert found.loss.value == np.inf


def test_murphy():
    """REL, RES and UNC over bins of equal count, as probcal has them."""
    a = plugin_terms(A, cb.Brier(), cb.AdaptiveBins(count=4))
    c = plugin_terms(C, cb.Brier(), cb.AdaptiveBins(count=10))
    assert a.calibration == pytest.approx(0.0725)
    assert a.uncertainty - a.refinement == pytest.approx(0.125)
    assert c.calibration == pytest.approx(0.0033327325, abs=1e-9)
    assert c.uncertainty - c.refinement == pytest.approx(0.16093904, abs=1e-8)


def test_mcb_is_what_scikit_learn_would_gain():
    """Which takes predictions for equal that are closer than 1e-15, so none may be."""
    pairs = synthetic.sample(1500, synthetic.inward(0.1), a=1, b=1, seed=3)
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(pairs.q, pairs.y * 1.0).predict(pairs.q)
    gain = np.mean((pairs.q - pairs.y) ** 2) - np.mean((fitted - pairs.y) ** 2)
    found = cb.decompose(pairs, interval=None)
    assert found.miscalibration.value == pytest.approx(gain, abs=1e-12)


def test_row_order_cannot_matter():
    pairs = draw("ties")
    order = np.random.default_rng(5).permutation(len(pairs))
    shuffled = cb.Pairs(pairs.y[order], pairs.q[order])
    for curve in CURVES:
        assert plugin_terms(pairs, cb.Brier(), curve) == plugin_terms(shuffled, cb.Brier(), curve)


@pytest.mark.parametrize("curve", [cb.AdaptiveBins(), cb.LocalLikelihood(bandwidth=0.3)], ids=repr)
def test_intervals_cover(curve):
    t, k = synthetic.inward(0.1), 0.1
    refinement = ((0.5 + k) ** 2 - k**2) - 2 / 3 * ((0.5 + k) ** 3 - k**3)  # ∫ t(1 − t) dq
    truth = {"calibration": k**2, "refinement": refinement}
    inside = dict.fromkeys(truth, 0)
    for seed in range(15):
        pairs = synthetic.sample(600, t, a=1, b=1, seed=seed)
        found = cb.decompose(pairs, curve=curve, interval=cb.Bootstrap(100, seed=seed))
        for name, value in truth.items():
            term = getattr(found, name)
            inside[name] += term.low <= value <= term.high
    assert min(inside.values()) >= 11  # 14 expected; fewer have a probability below 0.001


def test_calibrated_models_lose_nothing_by_calibration():
    lows = []
    for seed in range(20):
        pairs = synthetic.calibrated(500, a=1, b=1, seed=seed)
        lows.append(cb.decompose(pairs, interval=cb.Bootstrap(100)).calibration.low)
    assert np.sum(np.array(lows) <= 0) >= 16


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_terms_stay_within_what_is_possible(rule):
    """Few pairs, whose replicates vary far beyond what a term can be."""
    ranges = possible_ranges(rule)
    for seed in range(8):
        pairs = synthetic.sample(6, a=1, b=1, seed=seed)
        found = cb.decompose(pairs, rule, interval=cb.Bootstrap(100))
        for name, possible in ranges._asdict().items():
            term = getattr(found, name)
            if possible is not None:
                assert possible.least - 1e-12 <= term.low <= term.high <= possible.most + 1e-12


def test_ranges_of_the_brier_score():
    ranges = possible_ranges(cb.Brier())
    assert ranges.loss == ranges.calibration == ranges.miscalibration == (0, 1)
    assert ranges.refinement == ranges.uncertainty == ranges.discrimination == (0, 0.25)
    assert possible_ranges(cb.LogLoss()).loss == (0, np.inf)
    assert possible_ranges(cb.LogLoss()).uncertainty == (0, np.log(2))


def test_what_it_prints():
    found = cb.decompose(draw("groups"), "LogLoss", "LocalLikelihood(bandwidth=1.0)")
    assert "calibration" in str(found)
    assert found.curve == "LocalLikelihood(bandwidth=1.0)"
    assert "groups=75" in found.loss.signature
    assert "<table" in found._repr_html_()
    assert set(found.to_dict()) >= {"loss", "calibration", "miscalibration"}


def test_what_cannot_be_decomposed():
    pairs = draw("plain")
    with pytest.raises(ParameterError, match="CalibScore is not a proper scoring rule"):
        cb.decompose(pairs, cb.CalibScore())
    with pytest.raises(ParameterError, match="by Bootstrap, not by NormalSampling"):
        cb.decompose(pairs, interval=cb.NormalSampling())
    with pytest.raises(UnsupportedError, match="one group"):
        cb.decompose(cb.Pairs([0, 1], [0.1, 0.9], group=[1, 1]))


IMPROPER = {
    "linear": (lambda x: x, lambda x: 1 - x, "not strictly proper: where y = 1 has probability"),
    "draft": (lambda x: (x - 1) ** 2, lambda x: x**2, "not strictly proper"),
    "flat": (lambda x: 0 * x, lambda x: 0 * x, "not strictly proper"),
    "scalar": (lambda x: 1.0, lambda x: 0 * x, "g1 must give one reward for every prediction"),
    "pole": (lambda x: 1 / (x - 0.5), lambda x: x, "finite between 0 and 1, but not at 0.5"),
}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", IMPROPER)
def test_rules_that_are_not_proper(name):
    g1, g2, message = IMPROPER[name]
    with pytest.raises(ParameterError, match=message):
        cb.Rule(g1, g2)


@pytest.mark.parametrize("rule", [cb.Brier(), cb.LogLoss()], ids=repr)
def test_another_package_decomposes_alike(rule):
    """model-diagnostics, which splits by isotonic regression as well."""
    scoring = pytest.importorskip("model_diagnostics.scoring")
    pairs = cb.synthetic.sample(2000, cb.synthetic.inward(0.1), a=2, b=2, seed=6)
    function = scoring.SquaredError() if isinstance(rule, cb.Brier) else scoring.LogLoss()
    found = scoring.decompose(pairs.y * 1.0, pairs.q, scoring_function=function)
    terms = cb.decompose(pairs, rule, cb.Isotonic(), interval=None)
    wanted = {
        "miscalibration": terms.miscalibration,
        "discrimination": terms.discrimination,
        "uncertainty": terms.uncertainty,
        "score": terms.loss,
    }
    for name, term in wanted.items():
        assert term.value == pytest.approx(found[name].item(), abs=1e-12)


@pytest.mark.parametrize("curve", [cb.AdaptiveBins(), cb.Isotonic()])
def test_row_order_of_fractional_weights_cannot_matter(curve):
    rng = np.random.default_rng(1)
    y, q, weight = rng.integers(0, 2, 300), rng.random(300).round(2), rng.random(300) + 0.01
    found = set()
    for _ in range(8):
        at = rng.permutation(300)
        parts = cb.decompose(cb.Pairs(y[at], q[at], weight=weight[at]), curve=curve).to_dict()
        found.add(repr(parts))
    assert len(found) == 1


def test_few_and_unequal_groups_are_covered():
    """Calibrated pairs of ten groups that share an effect; 40 simulations, four standard errors.

    The effect follows the bridge distribution, so that it leaves P(y = 1 | q) = q as it is.
    """
    sizes = np.rint(50 * np.exp(ndtri((np.arange(10) + 0.5) / 10))).astype(int)
    group = np.repeat(np.arange(10), sizes)
    inside = dict.fromkeys(["calibration", "miscalibration", "refinement", "uncertainty"], 0)
    x = -1 + 1.8 * ndtri((np.arange(20_001) + 0.5) / 20_001)
    left, base = np.mean(expit(x) * expit(-x)), np.mean(expit(x))
    truth = (0.0, 0.0, left, base * (1 - base))
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = -1 + 1.8 * np.sqrt(0.5) * (
            rng.standard_normal(10)[group] + rng.standard_normal(group.size)
        )
        u = rng.random(10)
        effect = np.log(np.sin(0.7 * np.pi * u) / np.sin(0.7 * np.pi * (1 - u))) / 0.7
        y = rng.random(group.size) < expit(x / 0.7 + effect[group])
        pairs = cb.Pairs(y.astype(int), expit(x), group=group)
        found = cb.decompose(pairs, interval=cb.Bootstrap(100, seed=seed))
        for name, value in zip(inside, truth, strict=True):
            inside[name] += getattr(found, name).low <= value <= getattr(found, name).high
    least = 40 * (0.95 - 4 * np.sqrt(0.95 * 0.05 / 40))
    assert min(inside.values()) >= least, inside


@pytest.mark.parametrize("kind", ["plain", "weights", "groups"])
@pytest.mark.parametrize("rule", RULES)
def test_unc_has_the_interval_of_the_base_rate(rule, kind):
    """It is a function of the base rate, so both intervals exclude the same worlds."""
    pairs = draw(kind)
    skewed, even = (
        cb.Pairs(y, pairs.q, weight=pairs.weight, group=pairs.group)
        for y in (pairs.y * (pairs.q > 0.6), np.arange(len(pairs)) % 2)
    )
    for each in (skewed, even):  # the entropy is largest at an end, or within the interval
        rate, found = cb.describe(each).base_rate, cb.decompose(each, rule).uncertainty
        ends = rule.entropy(np.array([rate.low, rate.high]))
        inside = rate.low <= 0.5 <= rate.high
        top = rule.entropy(np.array([0.5]))[0] if inside else ends.max()
        assert found.low == pytest.approx(ends.min(), rel=1e-12)
        assert found.high == pytest.approx(top, rel=1e-6)
        assert inside == (each is even)


@pytest.mark.parametrize("rule", [cb.Brier(), cb.LogLoss()])
def test_a_refinement_near_its_bound_reaches_further_away_from_it(rule):
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(12), 200)
    q = rng.uniform(0.2, 0.8, group.size)
    y = rng.random(group.size) < expit(np.log(q / (1 - q)) + rng.standard_normal(12)[group])
    found = cb.decompose(cb.Pairs(y.astype(int), q, group=group), rule).refinement
    assert 0.85 < found.value / possible_ranges(rule).refinement.most < 0.95
    assert found.value - found.low > 1.1 * (found.high - found.value)


@pytest.mark.parametrize("rule", [cb.Brier(), cb.LogLoss()], ids=repr)
def test_what_an_isotonic_curve_gains_from_noise_is_not_evidence(rule):
    """Of 24 calibrated samples, at most four have an MCB above 0 (2.5 % each are expected)."""
    how = cb.Bootstrap(300)
    samples = [synthetic.sample(200, seed=seed) for seed in range(24)]
    found = [cb.decompose(each, rule, interval=how) for each in samples]
    assert all(each.miscalibration.value > 0 for each in found)
    assert sum(each.miscalibration.low > 0 for each in found) <= 4  # more: p = 0.0003
    assert sum(each.calibration.low > 0 for each in found) <= 4


def test_the_calibration_of_a_rule_starts_at_0_exactly_as_that_of_squares_if_they_are_the_same():
    """A rule that is the Brier score by another name has the same lower limit up to its noise."""
    square = cb.Rule(lambda x: -((1 - x) ** 2), lambda x: -(x**2), name="square")
    for kind in ("plain", "groups"):
        pairs = draw(kind)
        own, brier = (cb.decompose(pairs, rule).calibration for rule in (square, cb.Brier()))
        assert own.value == pytest.approx(brier.value, rel=0.2)
        assert own.low == pytest.approx(brier.low, rel=0.2, abs=1e-3)
