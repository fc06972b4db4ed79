"""Taggers with temperatures: learnt, saved and loaded."""

import json
from pathlib import Path

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import FileError


def corpus(sentences: int, seed: int) -> cb.corpora.Corpus:
    """Words that tell their tags three times in four."""
    rng = np.random.default_rng(seed)
    words, tags = [], []
    for _ in range(sentences):
        truth = rng.integers(0, 3, rng.integers(2, 8))
        shown = np.where(rng.random(truth.size) < 0.75, truth, rng.integers(0, 3, truth.size))
        words.append(tuple(f"w{k}" for k in shown))
        tags.append(tuple("ABC"[k] for k in truth))
    return cb.corpora.Corpus(tuple(words), tuple(tags))


@pytest.mark.parametrize(
    "model", [cb.models.HMM(), cb.models.CRF(cb.models.Basic(), l2=0.0001)], ids=["HMM", "CRF"]
)
def test_temperatures_are_learnt_saved_and_loaded(model: cb.models.HMM, tmp_path: Path) -> None:
    train, dev = corpus(40, 0), corpus(200, 1)
    fitted = model.fit(train).tempered(0.4)
    mended = fitted.recalibrated(dev)
    plain = fitted.tempered({})
    wanted = cb.recalibrate(plain.posteriors(dev), gold=dev).temperatures
    assert mended.temperatures["all"] == pytest.approx(wanted["all"])
    both = fitted.recalibrated(dev, separate=True)
    assert set(both.temperatures.values) == {"emissions", "transitions"}
    loaded = cb.models.load_model(both.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.posteriors(dev).marginals, both.posteriors(dev).marginals)
    assert json.loads((tmp_path / "model" / "model.json").read_text())["format"] == 3
    plain.save(tmp_path / "model")  # older versions can still read it
    assert json.loads((tmp_path / "model" / "model.json").read_text())["format"] == 2


def test_damaged_temperatures_are_refused(tmp_path: Path) -> None:
    folder = cb.models.HMM().fit(corpus(9, 0)).tempered(2).save(tmp_path / "model")
    about = json.loads((folder / "model.json").read_text())
    for wrong in ({"all": 0}, {"rules": 1.2}, [3], {"all": "x"}):
        (folder / "model.json").write_text(json.dumps(about | {"temperatures": wrong}))
        with pytest.raises(FileError, match="damaged"):
            cb.models.load_model(folder)
