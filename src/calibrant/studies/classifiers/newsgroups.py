"""The published posteriors of 20 newsgroups, as the predictions of one more classifier."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.class_losses import change_of_loss
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.classes.maps import ClassMap
from calibrant.calibration.recalibration.classes.recalibrating import AUTO
from calibrant.calibration.recalibration.classes.rows import Rows, folded_rows
from calibrant.calibration.recalibration.cross_fitting import choose_method
from calibrant.calibration.recalibration.method import RowMethod
from calibrant.calibration.scores import Brier
from calibrant.errors import FileError
from calibrant.results.estimate import Estimate
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.queries import TopLabel
from calibrant.studies.classifiers.judged import LEVEL
from calibrant.studies.classifiers.predicted import Part, Predicted
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

FILE = "posteriors/20news_test.npz"
SOURCE = "cleanlab/label-errors"
TASK, CLASSIFIER = "20 newsgroups", "published posterior"
METHODS: dict[str, tuple[RowMethod, ...]] = {
    **{repr(method).removesuffix("()"): (method,) for method in AUTO},
    "auto": AUTO,
}


@dataclass(frozen=True, eq=False)
class Newsgroups:
    """Probabilities of all newsgroups for each message, and its newsgroup.

    Half of the messages calibrate, the other half tests. Probabilities are cross-validated by
    their publishers, so no message was trained on.
    """

    posterior: Labels
    gold: NDArray[np.int64]
    calibration: NDArray[np.int64]  # the messages of that half
    test: NDArray[np.int64]

    @property
    def top(self) -> Predicted:
        """The question whether the most probable newsgroup is right."""
        pairs = TopLabel().pairs(self.posterior, self.gold, np.arange(len(self.posterior)))
        calibration, test = pairs.take(self.calibration), pairs.take(self.test)
        return Predicted(TASK, CLASSIFIER, None, "", [Part(calibration, test, test)])

    def rows(self, messages: NDArray[np.int64]) -> Rows:
        """Some messages, with the probabilities of all classes."""
        q = np.asarray(self.posterior.probabilities[messages], np.float64)
        return Rows(q, self.gold[messages], self.posterior.names, None)


def read_newsgroups(seed: int) -> Newsgroups:
    """Read the posteriors from the folder $CALIBRANT_DATA, and divide the messages in half."""
    path = Path(os.environ.get("CALIBRANT_DATA") or ".", FILE)
    if not path.is_file():
        raise FileError(
            f"There is no file {path}. Set CALIBRANT_DATA to a folder that contains {FILE}, made "
            f"from {SOURCE}."
        )
    with np.load(path, allow_pickle=False) as arrays:
        posterior, gold = Labels(arrays["probs"]), arrays["labels"].astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(posterior))
    calibration, test = (np.sort(half) for half in np.array_split(order, 2))
    return Newsgroups(posterior, gold, calibration, test)


class ClassGainRow(NamedTuple):
    """The change of the loss over all classes by one method, learnt from so many messages."""

    size: int
    method: str
    before: float  # Brier score of whole rows, as it comes
    change: Estimate
    worse: int
    draws: int

    @property
    def share(self) -> float:
        """The change of the Brier score in per cent."""
        return 100 * self.change.value / self.before


def class_gains(
    data: Newsgroups, sizes: Sequence[int], draws: int, progress: Progress
) -> Section[ClassGainRow]:
    """Every method for whole rows of classes, learnt from calibration sets of these sizes."""
    fits = [size for size in sizes if size <= data.calibration.size]
    wanted = [(size, name) for size in fits for name in METHODS]
    rows = [
        _row(data, size, name, draws)
        for size, name in progress.track(wanted, len(wanted), "20 newsgroups")
    ]
    return Section(
        name="newsgroups",
        title="20 newsgroups: all classes at once",
        columns={
            "size": "calibration messages",
            "method": "method",
            "before": "Brier as it comes",
            "change": "change of Brier",
            "share": "in per cent",
            "worse": "worse",
            "draws": "draws",
        },
        rows=rows,
        text="Maps of whole rows, which still sum to 1. The Brier score is that of all classes "
        "together. Messages are taken as independent.",
        only_files={"change.signature": "signature"},
    )


def _row(data: Newsgroups, size: int, name: str, draws: int) -> ClassGainRow:
    test = data.rows(data.test)
    mapped = [_learnt(data, size, METHODS[name], seed)(test.q) for seed in range(draws)]
    losses = [_brier(each, test.truth) for each in (test.q, *mapped)]
    message = np.tile(np.arange(test.truth.size), draws)
    before, truth = np.tile(test.q, (draws, 1)), np.tile(test.truth, draws)
    change, _ = change_of_loss(
        before, np.concatenate(mapped), truth, message, Brier(), Bootstrap(), LEVEL
    )
    worse = sum(loss > losses[0] for loss in losses[1:])
    return ClassGainRow(size, name, losses[0], change, worse, draws)


def _learnt(data: Newsgroups, size: int, methods: Sequence[RowMethod], seed: int) -> ClassMap:
    drawn = np.random.default_rng(seed).permutation(data.calibration)[:size]
    rows = folded_rows(data.rows(np.sort(drawn)), seed=0)
    method = choose_method(rows, methods, Brier())
    return rows.unchanged if method is None else rows.learnt([method])[0]


def _brier(q: NDArray[np.float64], truth: NDArray[np.int64]) -> float:
    right = np.zeros(q.shape)
    right[np.arange(truth.size), truth] = 1
    return float(((q - right) ** 2).sum(axis=1).mean())


def class_findings(section: Section[ClassGainRow]) -> Iterator[str]:
    """The results in sentences."""
    for size in dict.fromkeys(row.size for row in section.rows):
        mine = [row for row in section.rows if row.size == size]
        told = [f"{row.method} {row.change.text('value')} {row.change.interval}" for row in mine]
        yield (
            f"20 newsgroups, all classes, maps learnt from {size} messages: the Brier score of "
            f"{mine[0].before:.4f} changes by {'; '.join(told)}."
        )
