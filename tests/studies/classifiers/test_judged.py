import numpy as np
import pytest
from made_items import made_split, made_task
from scipy.special import expit
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

import calibrant as cb
from calibrant.studies.classifiers.judged import (
    BENT,
    CALIBRATED,
    EXTREME,
    HIGH,
    LOW,
    TIMID,
    as_they_come,
    shape,
)
from calibrant.studies.classifiers.learners import CLASSIFIERS
from calibrant.studies.classifiers.predicted import predict
from calibrant.studies.language_models.judged import round_numbers
from calibrant.studies.progress import QUIET

# probabilities, margins, and shares of neighbours
VARIED = [CLASSIFIERS[0], CLASSIFIERS[2], CLASSIFIERS[6]]


@pytest.mark.parametrize(
    ("slope", "shift", "words"),
    [
        (1.0, 0.0, CALIBRATED),
        (2.0, 0.0, EXTREME),
        (0.5, 0.0, TIMID),
        (1.0, 1.0, HIGH),
        (1.0, -1.0, LOW),
        (2.0, 1.5, f"{EXTREME}, {HIGH}"),
    ],
)
def test_the_shape_in_words(slope, shift, words):
    """Logits that are multiplied by more than 1 are too extreme, shifted ones too high or low."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=4000)
    pairs = cb.Pairs(rng.random(4000) < expit(x), expit(slope * x + shift))
    assert shape(pairs).words == words


def test_a_bend_is_told_although_slope_and_mean_are_right():
    q = np.repeat([0.2, 0.5, 0.8], 2000)
    y = np.concatenate([np.arange(2000) < n for n in (400, 1000, 1600)])
    assert shape(cb.Pairs(y, q)).words == CALIBRATED
    bent = np.concatenate([np.arange(2000) < n for n in (550, 700, 1750)])
    assert shape(cb.Pairs(bent, q)).words == BENT


@pytest.mark.parametrize("classifier", VARIED, ids=lambda each: each.name)
def test_scores_are_those_of_scikit_learn(classifier):
    split = made_split()
    found = predict(made_task(), [split], classifier, None, 0)
    y, q = split.test.y, found.as_is.q
    row = as_they_come([found], QUIET).rows[0]
    assert row.trained == len(split.train)
    assert row.accuracy == pytest.approx(100 * accuracy_score(y, found.parts[0].test.q > 0.5))
    assert row.shape.brier.value == pytest.approx(brier_score_loss(y, q))
    clipped = np.clip(q, 1e-6, 1 - 1e-6)
    assert row.shape.loss.value == pytest.approx(log_loss(y, clipped))
    assert row.shape.auc.value == pytest.approx(roc_auc_score(y, q))
    assert row.shape.certain == pytest.approx(100 * np.mean((q == 0) | (q == 1)))
    assert row.shape.calibration.groups == 40
    with round_numbers():  # neighbours
        assert row.shape.calibration.value == cb.score(found.as_is).value
