import json

import numpy as np
import pytest
from scipy.special import softmax

import calibrant as cb
from calibrant.calibration.analyses.class_losses import change_of_loss
from calibrant.calibration.recalibration import Dirichlet, Recalibrator, Temperature, VectorScaling
from calibrant.calibration.recalibration.classes.rows import Rows, folded_rows
from calibrant.calibration.recalibration.cross_fitting import cross_fit

NAMES = np.array(["a", "b", "c"])


def made(documents=60, size=20, slope=0.5, seed=0):
    """Labels that are too bold, with gold and documents."""
    rng = np.random.default_rng(seed)
    z = rng.normal(0, 1.5, (documents * size, 3))
    p = softmax(slope * z, axis=1)
    gold = NAMES[(p.cumsum(axis=1) < rng.random(len(p))[:, None]).sum(axis=1)]
    return cb.Labels(softmax(z, axis=1), NAMES), gold, np.repeat(np.arange(documents), size)


def rows_of(labels, gold, group):
    return Rows(labels.probabilities, labels.codes(gold), labels.names, group)


@pytest.fixture(scope="module")
def found():
    labels, gold, group = made()
    return cb.recalibrate(labels, gold=gold, group=group)


def test_the_verdict(found):
    assert found.verdict == "use it"
    assert found.sentence.startswith("Use it: Brier of 3 classes changes by -0.0")
    assert sum(found.choices.values()) == 10
    assert [each.score for each in found.before] == [
        "Brier of 3 classes",
        "CalibScore, root mean square of 3 classes",
        "CalibScore of TopLabel",
        "accuracy",
    ]
    assert found.after[1].value < found.before[1].value


def test_new_documents_gain(found):
    labels, gold, _ = made(seed=7, documents=200)
    fixed = found.apply(labels)
    np.testing.assert_allclose(fixed.probabilities.sum(axis=1), 1)
    losses = [cb.score_classes(each, gold, interval=None).loss("Brier") for each in (labels, fixed)]
    assert losses[1].value < losses[0].value - 0.02


@pytest.mark.parametrize("method", [Temperature(), VectorScaling(), Dirichlet()], ids=repr)
def test_each_fold_is_mapped_by_the_others(method):
    """Brute force: leave out the rows of a fold, and learn from the rest."""
    rows = rows_of(*made(20))
    data = folded_rows(rows, 0)
    fit = cross_fit(data, [method], cb.Brier())
    for fold in range(data.folds):
        inside = data.fold == fold
        assert not set(rows.group[inside]) & set(rows.group[~inside])
        learnt = method.learn_rows(data.without(fold), rows.classes)
        np.testing.assert_allclose(fit.maps[fold](rows.q[inside]), learnt(rows.q[inside]))


def test_the_change_of_two_classes_is_twice_that_of_yes():
    pairs = cb.synthetic.sample_groups(50, size=10, seed=1)
    other = pairs.with_predictions(pairs.q**2)
    q, p = (np.column_stack([1 - each.q, each.q]) for each in (pairs, other))
    truth = pairs.y.astype(int)
    change, p_value = change_of_loss(q, p, truth, pairs.group, cb.Brier(), cb.Bootstrap(), 0.95)
    compared = cb.compare({"after": other, "before": pairs}, "Brier")
    sign = 1 if next(iter(compared.differences)) == ("after", "before") else -1
    np.testing.assert_allclose(change.value, 2 * sign * compared.difference.value)
    np.testing.assert_allclose(p_value, compared.p_value, rtol=1e-6)
    ends = sorted([sign * 2 * compared.difference.low, sign * 2 * compared.difference.high])
    np.testing.assert_allclose([change.low, change.high], ends, rtol=1e-6)


def test_rows_that_repeat_each_other_are_worth_less():
    labels, gold, _ = made(200, 1, slope=1.0)
    q, y = labels.probabilities, labels.codes(gold)
    once = folded_rows(Rows(q, y, labels.names, None), 0).without()
    group = np.repeat(np.arange(200), 20)
    copies = Rows(np.repeat(q, 20, axis=0), np.repeat(y, 20), labels.names, group)
    many = folded_rows(copies, 0).without()
    assert once.worth == 1
    assert 0.6 < many.worth * 20 < 1.7


def test_order_of_rows_and_classes():
    labels, gold, group = made(30)
    order = np.random.default_rng(0).permutation(len(labels))
    turned = cb.Labels(labels.probabilities[order][:, ::-1], NAMES[::-1])
    one = cb.recalibrate(labels, "VectorScaling", gold=gold, group=group)
    other = cb.recalibrate(turned, "VectorScaling", gold=gold[order], group=group[order])
    np.testing.assert_allclose(one.change.value, other.change.value, rtol=1e-3)
    np.testing.assert_allclose(
        one.apply(labels).probabilities, other.apply(labels).probabilities, atol=1e-4
    )


def test_apply_finds_the_columns(found):
    labels, _, _ = made(seed=3)
    turned = cb.Labels(labels.probabilities[:, [2, 0, 1]], NAMES[[2, 0, 1]])
    np.testing.assert_allclose(
        found.apply(turned).probabilities[:, [1, 2, 0]], found.apply(labels).probabilities
    )
    np.testing.assert_allclose(found.apply(labels.probabilities), found.apply(labels).probabilities)


def test_saved_and_loaded(found, tmp_path):
    found.save(tmp_path / "map.json")
    again = Recalibrator.load(tmp_path / "map.json")
    assert str(again) == str(found)
    labels, _, _ = made()
    np.testing.assert_array_equal(
        again.apply(labels).probabilities, found.apply(labels).probabilities
    )
    body = json.loads((tmp_path / "map.json").read_text())
    body["map"]["slopes"][0] = 3
    (tmp_path / "map.json").write_text(json.dumps(body))
    with pytest.raises(cb.errors.FileError, match="was changed after it was written"):
        Recalibrator.load(tmp_path / "map.json")


def test_what_a_map_does_not_fit(found):
    labels, gold, _ = made()
    with pytest.raises(cb.errors.InputError, match="learnt from rows of classes"):
        found.apply(cb.Pairs([0, 1], [0.2, 0.3]))
    with pytest.raises(cb.errors.InputError, match="'d' is not in both"):
        found.apply(cb.Labels([[0.2, 0.3, 0.5]], ["a", "b", "d"]))
    with pytest.raises(cb.errors.InputError, match="2 columns"):
        found.apply([[0.2, 0.8]])
    with pytest.raises(cb.errors.InputError, match="sum to"):
        found.apply([[0.2, 0.8, 0.9]])
    with pytest.warns(cb.CalibrantWarning, match="unlike those that the map was learnt from"):
        found.apply(cb.Labels(np.full((500, 3), 1 / 3), NAMES))
    binary = cb.recalibrate(cb.ask(labels, gold, cb.TopLabel()), "Platt", interval=None)
    with pytest.raises(cb.errors.InputError, match="learnt from pairs"):
        binary.apply(labels)


def test_classes_of_probability_0():
    """Gold labels that the model never predicts."""
    labels, gold, group = made()
    gold = np.where(np.arange(gold.size) % 50 == 0, "d", gold)
    wider = labels.including(["d"])
    found = cb.recalibrate(wider, gold=gold, group=group)
    assert (found.apply(wider).probabilities > 0).all()
    with pytest.raises(cb.errors.InputError, match="has probability 0"):
        cb.recalibrate(wider, gold=gold, group=group, score="LogLoss")
    clipped = cb.recalibrate(wider, "Temperature", gold=gold, group=group, score="LogLoss(1e-6)")
    assert clipped.change.value < 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gold": None}, "give the true labels"),
        ({"gold": ["a"] * 1200}, "All gold labels are 'a'"),
        ({"gold": ["z"] * 1200}, "must be among the 3 classes"),
        ({"method": "Platt"}, "Platt is not a method for rows of classes: take Temperature"),
        ({"score": "Spherical"}, "must be Brier or LogLoss"),
        ({"group": np.arange(1200) % 3}, "There are 3 groups, but at least 4"),
        ({"group": [1, 2]}, "group must have one label"),
    ],
)
def test_bad_input(options, message):
    labels, gold, group = made()
    with pytest.raises(cb.CalibrantError, match=message):
        cb.recalibrate(labels, **{"gold": gold, "group": group} | options)


def test_pairs_have_no_gold():
    with pytest.raises(cb.errors.ParameterError, match="gold is for posteriors"):
        cb.recalibrate(cb.synthetic.calibrated(100), gold=[1])
    with pytest.raises(cb.errors.ParameterError, match="Dirichlet is not a method for pairs"):
        cb.recalibrate(cb.synthetic.calibrated(100), "Dirichlet")
