import numpy as np
import pytest
from real_data import DATA
from scipy.special import softmax
from sklearn.metrics import brier_score_loss

import calibrant as cb
from calibrant.studies.classifiers.newsgroups import (
    FILE,
    METHODS,
    class_findings,
    class_gains,
    read_newsgroups,
)
from calibrant.studies.progress import QUIET

needs_newsgroups = pytest.mark.skipif(
    not (DATA / FILE).exists(), reason="20 newsgroups are not here"
)


@pytest.fixture
def timid(tmp_path, monkeypatch):
    """Four classes, of which the logits are halved."""
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(1000, 4))
    right = np.array([rng.choice(4, p=row) for row in softmax(logits, axis=1)], np.uint16)
    (tmp_path / "posteriors").mkdir()
    probs = softmax(logits / 2, axis=1).astype(np.float32)
    np.savez(tmp_path / FILE, probs=probs, labels=right)
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    return read_newsgroups(0)


def test_halves(timid):
    assert sorted([*timid.calibration, *timid.test]) == list(range(1000))
    (part,) = timid.top.parts
    assert set(part.calibration.group.tolist()) == set(timid.calibration.tolist())
    assert set(part.test.group.tolist()) == set(timid.test.tolist())
    most = timid.posterior.probabilities.max(axis=1)
    np.testing.assert_array_equal(part.test.q, most[timid.test])


@pytest.mark.parametrize("name", METHODS)
def test_gains_are_those_of_recalibrate_by_scikit_learn(timid, name):
    section = class_gains(timid, (100, 500, 501), 2, QUIET)
    assert [row.size for row in section.rows] == [100] * len(METHODS) + [500] * len(METHODS)
    row = next(row for row in section.rows if (row.size, row.method) == (500, name))
    labels = cb.Labels(timid.posterior.probabilities[timid.calibration])
    wanted = cb.recalibrate(labels, name, gold=timid.gold[timid.calibration], interval=None)
    q = np.asarray(timid.posterior.probabilities[timid.test], np.float64)
    truth = timid.gold[timid.test]
    before, after = (
        brier_score_loss(truth, each / each.sum(axis=1, keepdims=True), scale_by_half=False)
        for each in (q, wanted.map(q))
    )
    assert row.before == pytest.approx(before, rel=1e-5)
    assert row.change.value == pytest.approx(after - before, rel=1e-4)
    assert row.change.high < 0
    assert row.worse == 0
    assert row.share < -5
    assert row.change.groups == 500  # messages, not copies of them
    assert len(list(class_findings(section))) == 2


@needs_newsgroups
def test_the_published_posteriors(monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    data = read_newsgroups(0)
    assert data.posterior.probabilities.shape == (7532, 20)
    (part,) = data.top.parts
    assert part.test.mean(part.test.y) > part.test.mean(part.test.q) + 0.1  # too timid
