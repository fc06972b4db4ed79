"""Counts by labels of other documents: right under their assumption, and wrong without it."""

import numpy as np
import pytest
from scipy.special import expit

import calibrant as cb
from calibrant.errors import CalibrantError
from calibrant.pairs.tallies import Tallies


def by_class(rng, rows, rate):
    """Scores whose distribution given the answer is always the same."""
    y = (rng.random(rows) < rate).astype(float)
    return y, expit(2 * rng.normal(2 * y - 1, 1) + np.log(0.3 / 0.7))


def share_of(estimator, rate, seed=1, **options):
    rng = np.random.default_rng(seed)
    y, q = by_class(rng, 4000, rate)
    there = cb.Pairs(*by_class(rng, 2000, 0.3))
    return cb.count(Tallies.of_rows(q), elsewhere=there, estimator=estimator, **options).total, y


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.6])
def test_a_shifted_base_rate_is_found(rate):
    found, y = share_of("shifted", rate)
    assert found.low <= y.mean() <= found.high
    assert found.high - found.low < 0.1


def test_recalibration_is_wrong_if_the_base_rate_shifts():
    found, y = share_of("recalibrated", 0.1)
    assert found.low > y.mean()
    same, y = share_of("recalibrated", 0.3)
    assert same.low <= y.mean() <= same.high


def test_coverage_of_recalibrated_counts_in_groups():
    """Of 60 intervals at 95 %, fewer than 51 would be seen once in a thousand times."""
    rng = np.random.default_rng(2)

    def drawn(groups):
        code = np.repeat(np.arange(groups), 20)
        x = rng.normal(-0.8, 1.2, code.size) + rng.normal(0, 0.6, groups)[code]
        y = rng.random(code.size) < expit(x + rng.normal(0, 0.6, groups)[code])
        return y.astype(float), expit(0.7 * x - 0.3), code

    hits = 0
    for _ in range(60):
        y, q, code = drawn(40)
        there = cb.Pairs(*drawn(40)[:2], group=code)
        found = cb.count(Tallies.of_rows(q, group=code), elsewhere=there).total
        hits += found.low <= y.mean() <= found.high
    assert hits >= 51


def test_counts_of_the_labelled_documents_are_those_of_their_labels():
    """The map expects as many yes as the labels have, although it is pulled towards no change."""
    y, q = by_class(np.random.default_rng(4), 300, 0.15)
    found = cb.count(Tallies.of_rows(q), elsewhere=cb.Pairs(y, q), estimator="recalibrated").total
    assert found.share == pytest.approx(y.mean(), abs=1e-9)


def test_yes_and_no_may_be_swapped():
    rng = np.random.default_rng(3)
    _, q = by_class(rng, 500, 0.2)
    y, p = by_class(rng, 400, 0.3)
    for name in ("recalibrated", "shifted"):
        one = cb.count(Tallies.of_rows(q), elsewhere=cb.Pairs(y, p), estimator=name).total
        other = cb.count(
            Tallies.of_rows(1 - q), elsewhere=cb.Pairs(1 - y, 1 - p), estimator=name
        ).total
        assert other.share == pytest.approx(1 - one.share, abs=1e-6)
        assert other.low == pytest.approx(1 - one.high, abs=1e-5)


def test_maps_within_categories():
    rng = np.random.default_rng(4)
    genre = np.where(rng.random(3000) < 0.5, "web", "news")
    q = rng.beta(1, 2, 3000)
    truth = np.where(genre == "web", q**2, np.sqrt(q))
    y = (rng.random(3000) < truth).astype(float)
    there = Tallies.of_rows(q[:1500], y[:1500], by={"genre": genre[:1500]})
    here = Tallies.of_rows(q[1500:], by={"genre": genre[1500:]})
    found = cb.count(here, elsewhere=there, within="genre", by="genre")
    for row in found.categories:
        assert row.low <= y[1500:][genre[1500:] == row.name].mean() <= row.high
    blind = cb.count(here, elsewhere=there, by="genre")
    assert blind["news"].high < y[1500:][genre[1500:] == "news"].mean()


def test_the_band_of_a_curve_widens_the_models_own_interval():
    rng = np.random.default_rng(5)
    y, q = by_class(rng, 1500, 0.3)
    curve = cb.curve(cb.Pairs(y, q))
    here = Tallies.of_rows(by_class(rng, 2000, 0.3)[1])
    own, wide = cb.count(here).total, cb.count(here, elsewhere=curve).total
    assert wide.low < own.low < own.high < wide.high
    at = np.clip(np.searchsorted(curve.upper, here.expected), 0, len(curve) - 1)
    inner = curve.low[at].mean(), curve.high[at].mean()  # limits of the expected share
    assert wide.low < inner[0] < inner[1] < wide.high


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"estimator": "shifted"}, "learns from labels of other documents"),
        ({"elsewhere": cb.Pairs([0, 1], [0.2, 0.3])}, "at least 50 labelled rows"),
        ({"elsewhere": [1]}, "labelled pairs, a frame, a path or a curve"),
        ({"within": "genre", "elsewhere": cb.synthetic.calibrated(90, seed=1)}, "that has this"),
        ({"target": "population"}, "need labels of these documents"),
    ],
)
def test_what_cannot_be_learnt_is_refused(options, words):
    with pytest.raises(CalibrantError, match=words):
        cb.count(Tallies.of_rows([0.2, 0.4]), **options)
