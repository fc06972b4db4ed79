import json

import numpy as np
import pytest
from scipy.special import expit, logit

import calibrant as cb
from calibrant.calibration.recalibration import Platt, Temperature
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import cross_fit
from calibrant.calibration.recalibration.maps import Map
from calibrant.calibration.recalibration.recalibrator import Recalibrator


def made(documents=100, size=20, slope=0.5, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1.5, documents * size)
    y = rng.random(x.size) < expit(slope * x)
    return cb.Pairs(y, expit(x), group=np.repeat(np.arange(documents), size))


@pytest.fixture(scope="module")
def found():
    return cb.recalibrate(made())


def test_folds_hold_whole_groups_of_about_equal_weight():
    rng = np.random.default_rng(3)
    group = rng.choice(30, 2000, p=rng.dirichlet(np.ones(30)))
    pairs = cb.Pairs(rng.random(2000) < 0.3, rng.random(2000), group=group)
    cells = folded_cells(pairs, 0)
    for name in np.unique(group):
        assert np.unique(cells.fold[group == name]).size == 1
    assert cells.n.sum() == 2000
    assert cells.n.sum(axis=1).max() <= max(260, np.bincount(group).max())


def test_each_fold_is_mapped_by_the_others():
    """Brute force: leave out the pairs of a fold, and learn from the rest."""
    pairs = made(30)
    cells = folded_cells(pairs, 0)
    q = cross_fit(cells, [Platt()], cb.Brier()).mapped(pairs.q, Map.__call__)
    for fold in range(cells.folds):
        inside = cells.fold == fold
        learnt = Platt().learn(cells.without(fold))
        np.testing.assert_allclose(q[inside], learnt(pairs.q[inside]))


def test_no_number_is_in_sample():
    """If outcomes of one group change, its own mapped predictions do not."""
    pairs = made(20)
    cells = folded_cells(pairs, 0)
    before = cross_fit(cells, [Temperature()], cb.Brier()).mapped(pairs.q, Map.__call__)
    inside = pairs.group == 3
    flipped = cb.Pairs(np.where(inside, 1 - pairs.y, pairs.y), pairs.q, group=pairs.group)
    others = folded_cells(flipped, 0)
    if (others.fold == cells.fold).all():
        after = cross_fit(others, [Temperature()], cb.Brier()).mapped(flipped.q, Map.__call__)
        np.testing.assert_allclose(before[inside], after[inside])
        assert not np.allclose(before[~inside], after[~inside])


def test_the_change_is_that_of_a_comparison():
    pairs = made()
    found = cb.recalibrate(pairs, "Platt")
    cells = folded_cells(pairs, 0)
    after = pairs.with_predictions(
        cross_fit(cells, [Platt()], cb.Brier()).mapped(pairs.q, Map.__call__)
    )
    compared = cb.compare({"after": after, "before": pairs}, "Brier")
    np.testing.assert_allclose(found.p_value, compared.p_value)
    np.testing.assert_allclose(found.change.value, cb.Brier()(after) - cb.Brier()(pairs))
    assert found.before[0].value == cb.Brier()(pairs)


def test_verdicts(found):
    assert found.verdict == "use it"
    assert found.sentence.startswith("Use it: Brier changes by -0.0")
    calm = cb.recalibrate(made(slope=1.0, seed=1))
    assert calm.verdict in ("do not", "cannot tell")
    assert not calm.sentence.startswith("Use it")


def test_without_an_interval_there_is_no_verdict():
    bare = cb.recalibrate(made(), "Platt", interval=None)
    assert bare.verdict == "cannot tell"
    assert bare.sentence.startswith("Cannot tell without an interval: Brier changes by -0.0")


def test_auto_counts_its_choices(found):
    assert sum(found.choices.values()) == 10
    assert found.method in ("Temperature", "Platt", "Beta", "Spline")


def test_order_and_labels_do_not_matter():
    pairs = made(40)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = pairs.take(order)
    renamed = shuffled.with_group(np.array([f"g{(7 * g) % 40}" for g in shuffled.group]))
    one, other = (cb.recalibrate(each, "Beta") for each in (pairs, renamed))
    np.testing.assert_allclose(one.change.value, other.change.value, rtol=1e-9)
    np.testing.assert_allclose(one.map([0.2, 0.8]), other.map([0.2, 0.8]), rtol=1e-9)


def test_apply(found):
    pairs = made(seed=9)
    fixed = found.apply(pairs)
    np.testing.assert_allclose(fixed.q, found.apply(pairs.q))
    assert cb.score(fixed, interval=None).value < cb.score(pairs, interval=None).value
    assert (fixed.y == pairs.y).all()
    assert (fixed.group == pairs.group).all()


def test_other_predictions_bring_a_warning(found):
    with pytest.warns(cb.CalibrantWarning, match="100 % of them are outside"):
        found.apply(np.full(10, 1e-6))
    with pytest.warns(cb.CalibrantWarning, match="they are distributed differently"):
        found.apply(np.full(1000, 0.5))


def test_saved_and_loaded(found, tmp_path):
    path = tmp_path / "map.json"
    found.save(path)
    again = Recalibrator.load(path)
    assert str(again) == str(found)
    np.testing.assert_array_equal(again.map([0.1, 0.7]), found.map([0.1, 0.7]))


def test_an_edited_map_is_refused(found, tmp_path):
    path = tmp_path / "map.json"
    found.save(path)
    body = json.loads(path.read_text())
    body["map"]["values"][0] += 1
    path.write_text(json.dumps(body))
    with pytest.raises(cb.errors.FileError, match="was changed after it was written"):
        Recalibrator.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("[1]", "is not a map of calibrant"), ("{}", "is not a map of")],
)
def test_other_files_are_refused(tmp_path, text, message):
    (tmp_path / "map.json").write_text(text)
    with pytest.raises(cb.errors.FileError, match=message):
        Recalibrator.load(tmp_path / "map.json")


@pytest.mark.parametrize(
    ("pairs", "options", "message"),
    [
        (cb.Pairs([1] * 20, [0.5] * 20), {}, "All y are 1"),
        (made(3), {}, "There are 3 groups, but at least 4"),
        (cb.Pairs([0, 1], [0.5, 0.6]), {}, "There are 2 rows, but at least 8"),
        (made(1), {}, "There is 1 group, but at least 4"),
        (made(), {"method": "Plat"}, "Did you mean Platt"),
        (made(), {"score": "ECE"}, "not a proper scoring rule"),
        (made(), {"score": "Brier(above=0.5)"}, "judged on all predictions"),
        (cb.Pairs([0, 1] * 9, [0, 0.5] * 8 + [1, 1]), {"score": "LogLoss"}, "1 of 18 pairs gave"),
        (cb.Pairs.from_draws([0, 1] * 20, [1, 5] * 20, 8), {}, "noise of draws"),
    ],
)
def test_bad_input(pairs, options, message):
    with pytest.raises(cb.CalibrantError, match=message):
        cb.recalibrate(pairs, **options)


def test_independent_rows_and_odd_predictions():
    rng = np.random.default_rng(1)
    q = rng.choice([0, 0.2137, 0.9, 1], 500)
    found = cb.recalibrate(cb.Pairs(rng.random(500) < 0.2 + 0.6 * q, q))
    assert found.verdict == "use it"
    assert ((found.apply(q) > 0) & (found.apply(q) < 1)).all()


def test_curves_and_band_are_saved(found, tmp_path):
    found.save(tmp_path / "map.json")
    again = Recalibrator.load(tmp_path / "map.json")
    at = np.linspace(0.01, 0.99, 20)
    for name in ("before", "after"):
        np.testing.assert_array_equal(again.curves[name](at), found.curves[name](at))
    np.testing.assert_array_equal(again.band.high, found.band.high)


def test_the_band_is_a_jackknife_over_folds():
    """For the slope of Platt, it is close to the spread of slopes over fresh data."""
    found = [cb.recalibrate(made(60, seed=seed), "Platt", interval=None) for seed in range(40)]
    spread = np.std([each.map.on_logits(np.array([1.5]))[0] for each in found])
    halves = []
    for each in found:
        q = each.band.q
        k = int(np.argmin(np.abs(q - expit(1.5))))
        halves.append(logit(each.band.high[k]) - logit(each.band.p[k]))
    assert 0.6 < np.mean(halves) / (2.262 * spread) < 1.6


def test_its_own_pairs_bring_a_warning(found):
    with pytest.warns(cb.CalibrantWarning, match="learnt from these pairs"):
        found.apply(made())


@pytest.mark.parametrize(
    ("q", "message"),
    [([1.3], "must lie in"), ([np.nan], "must be finite"), (["a"], "must"), ([], "no predictions")],
)
def test_what_cannot_be_mapped(found, q, message):
    with pytest.raises(cb.errors.InputError, match=message):
        found.apply(q)


@pytest.mark.parametrize("rule", ["Brier", "LogLoss", "Spherical"])
def test_separated_predictions_are_sharpened_but_never_certain(rule):
    q = np.random.default_rng(0).random(300)
    found = cb.recalibrate(cb.Pairs(q > 0.5, q), score=rule)
    assert found.verdict == "use it"
    assert 0 < found.map([0.01])[0] < 0.01
    assert 0.99 < found.map([0.99])[0] < 1


def test_a_single_positive():
    q = np.random.default_rng(0).random(300)
    found = cb.recalibrate(cb.Pairs(np.arange(300) == 7, q))
    assert found.verdict == "use it"
    assert found.map(q).mean() < 0.1
