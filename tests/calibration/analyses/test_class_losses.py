"""Multi-class losses: against scikit-learn, by hand, and their laws."""

import numpy as np
import pytest
from made_pairs import set_d
from sklearn.metrics import log_loss
from sklearn.preprocessing import label_binarize

import calibrant as cb
from calibrant.errors import ParameterError, UnsupportedError

MATRIX, GOLD = set_d()
RULES = ("Brier", "LogLoss")


def found(matrix=MATRIX, gold=GOLD, **options):
    return cb.score_classes(cb.Labels(matrix), gold, "Brier", **options)


def test_log_loss_is_that_of_scikit_learn():
    assert found(interval=None).loss("LogLoss").value == pytest.approx(log_loss(GOLD, MATRIX))


def test_brier_by_hand():
    truth = label_binarize(GOLD, classes=range(4))
    wanted = ((MATRIX - truth) ** 2).sum(axis=1).mean()
    scored = found(interval=None)
    assert scored.loss("Brier").value == pytest.approx(wanted)
    assert scored.loss("Brier").value == pytest.approx(4 * scored.summary.value)
    assert scored.loss(cb.Brier()).score == "Brier of 4 classes"


def test_two_classes_are_the_binary_losses():
    q = MATRIX[:, 0]
    y = GOLD == 0
    scored = found(np.column_stack([1 - q, q]), y.astype(int))
    pairs = cb.Pairs(y, q)
    for rule, factor in (("Brier", 2), ("LogLoss", 1)):
        mine, theirs = scored.loss(rule), cb.score(pairs, rule)
        for field in ("value", "low", "high"):
            assert getattr(mine, field) == pytest.approx(factor * getattr(theirs, field), rel=0.005)
    group = np.arange(len(q)) // 20
    grouped = found(np.column_stack([1 - q, q]), y.astype(int), group=group)
    for rule, factor in (("Brier", 2), ("LogLoss", 1)):
        mine, theirs = grouped.loss(rule), cb.score(cb.Pairs(y, q, group=group), rule)
        for field in ("value", "low", "high"):
            assert getattr(mine, field) == pytest.approx(factor * getattr(theirs, field))
        assert (mine.n, mine.groups) == (theirs.n, theirs.groups)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_of_items_and_classes_does_not_matter(rule, grouped):
    group = np.arange(600) // 20 if grouped else None
    wanted = found(group=group).loss(rule)
    order = np.random.default_rng(1).permutation(600)
    moved = found(MATRIX[order], GOLD[order], group=None if group is None else group[order])
    turned = found(MATRIX[:, ::-1], 3 - GOLD, group=group)
    for other in (moved.loss(rule), turned.loss(rule)):
        for field in ("value", "low", "high"):
            assert getattr(other, field) == pytest.approx(getattr(wanted, field), rel=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_intervals_are_those_of_means(rule):
    """Without groups like the normal approximation; with groups wider than without."""
    mine = found().loss(rule)
    truth = np.eye(4)[GOLD]
    rows = ((MATRIX - truth) ** 2).sum(axis=1) if rule == "Brier" else -np.log(MATRIX[truth == 1])
    half = 1.96 * rows.std() / np.sqrt(600)
    assert mine.high - mine.low == pytest.approx(2 * half, rel=0.1)
    assert mine.low < mine.value < mine.high
    assert "Bootstrap" in mine.signature
    copies = found(np.repeat(MATRIX[:30], 20, axis=0), np.repeat(GOLD[:30], 20),
                   group=np.repeat(np.arange(30), 20)).loss(rule)  # fmt: skip
    apart = found(np.repeat(MATRIX[:30], 20, axis=0), np.repeat(GOLD[:30], 20)).loss(rule)
    assert copies.high - copies.low > 3 * (apart.high - apart.low)


def test_impossible_labels():
    matrix = np.array([[1.0, 0.0], [0.5, 0.5]])
    scored = found(matrix, [1, 0], interval=None)
    with pytest.warns(cb.CalibrantWarning, match="LogLoss is infinite: 1 of 2"):
        assert scored.loss("LogLoss").value == np.inf
    assert scored.loss("LogLoss(clip=0.01)").value == pytest.approx(
        -(np.log(0.01) + np.log(0.5)) / 2
    )


def test_all_classes_count_also_those_without_a_score():
    part = cb.score_classes(cb.Labels(MATRIX), GOLD, cb.ECE(above=0.9), interval=None)
    assert part.loss("Brier").value == pytest.approx(found(interval=None).loss("Brier").value)


def test_other_rules_and_one_group():
    scored = found(interval=None)
    for wrong in ("Spherical", "ECE", cb.Brier(above=0.1)):
        with pytest.raises(ParameterError, match="must be Brier or LogLoss"):
            scored.loss(wrong)
    with pytest.raises(UnsupportedError, match="All pairs belong to one group"):
        found(group=np.zeros(600, int)).loss("Brier")
