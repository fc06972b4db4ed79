"""The published posteriors of 20 newsgroups, as the predictions of one more classifier."""

import os
from pathlib import Path

import numpy as np

from calibrant.errors import FileError
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.queries import TopLabel
from calibrant.studies.classifiers.predicted import Part, Predicted

FILE = "posteriors/20news_test.npz"
SOURCE = "cleanlab/label-errors"
TASK, CLASSIFIER = "20 newsgroups", "published posterior"


def newsgroups(seed: int) -> Predicted:
    """The probability of the most probable newsgroup, and whether it is right.

    Half of the messages calibrate, the other half tests. Probabilities are cross-validated by
    their publishers, so no message was trained on.
    """
    path = Path(os.environ.get("CALIBRANT_DATA") or ".", FILE)
    if not path.is_file():
        raise FileError(
            f"There is no file {path}. Set CALIBRANT_DATA to a folder that contains {FILE}, made "
            f"from {SOURCE}."
        )
    with np.load(path, allow_pickle=False) as arrays:
        posterior, gold = Labels(arrays["probs"]), arrays["labels"]
    pairs = TopLabel().pairs(posterior, gold, np.arange(len(posterior)))
    order = np.random.default_rng(seed).permutation(len(pairs))
    half = len(pairs) // 2
    calibration, test = (pairs.take(np.sort(part)) for part in (order[:half], order[half:]))
    return Predicted(TASK, CLASSIFIER, 0, "", [Part(calibration, test, test)])
