"""What recalibration gains on test documents, by method and size of the calibration set."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import choose_method
from calibrant.calibration.recalibration.maps import IDENTITY, Map
from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.recalibration.recalibrating import AUTO
from calibrant.calibration.scores import Brier, MeanLoss
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.studies.classifiers.items import drawn_documents
from calibrant.studies.classifiers.judged import LEVEL, LOSS
from calibrant.studies.classifiers.predicted import Part, Predicted, joined
from calibrant.studies.language_models.judged import round_numbers
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

METHODS: dict[str, tuple[Method, ...]] = {
    **{repr(method).removesuffix("()"): (method,) for method in AUTO},
    "auto": AUTO,
}
TEXT = """\
Maps are learnt from calibration documents drawn at random until they have so many items, and
applied to the test items; a change below 0 is a gain. Each change is the mean over several draws of
calibration documents, with an interval paired by test document. "worse" is in how many draws the
map made the test items worse. The SVM is compared with its scaled margins, and its maps are learnt
from 1 / (1 + exp(−margin / s)), where s is the standard deviation of its training margins, so that
Platt is Platt scaling."""


class GainRow(NamedTuple):
    """The change of the loss by one method, learnt from so many items."""

    task: str
    classifier: str
    size: int
    documents: float  # mean over draws and rotations
    method: str
    before: float  # Brier score as it comes
    change: Estimate
    change_of_loss: Estimate
    worse: int
    draws: int

    @property
    def share(self) -> float:
        """The change of the Brier score in per cent."""
        return 100 * self.change.value / self.before


class Lesson(NamedTuple):
    """One draw of calibration pairs of one rotation, and the rotation itself."""

    pairs: Pairs
    part: Part


def gains(
    predicted: Sequence[Predicted], sizes: Sequence[int], draws: int, progress: Progress
) -> Section[GainRow]:
    """Every method for every classifier, learnt from calibration sets of these sizes."""
    wanted = [(each, size) for each in predicted for size in fitting(each, sizes)]
    rows: list[GainRow] = []
    for each, size in progress.track(wanted, len(wanted), "Recalibrating"):
        rows += _rows(each, size, draws)
    return Section(
        name="recalibration",
        title="What recalibration gains",
        columns={
            "task": "task",
            "classifier": "classifier",
            "size": "calibration items",
            "documents": "documents",
            "method": "method",
            "before": "Brier as it comes",
            "change": "change of Brier",
            "share": "in per cent",
            "change_of_loss": "change of log loss",
            "worse": "worse",
            "draws": "draws",
        },
        rows=rows,
        text=TEXT,
        in_report=False,
        only_files={"change.signature": "signature"},
    )


def fitting(predicted: Predicted, sizes: Sequence[int]) -> list[int]:
    """The sizes that the calibration items of every rotation reach."""
    most = min(len(each.calibration) for each in predicted.parts)
    return [size for size in sizes if size <= most]


def _rows(predicted: Predicted, size: int, draws: int) -> Iterator[GainRow]:
    lessons = [
        [Lesson(_drawn(part.calibration, size, seed), part) for part in predicted.parts]
        for seed in range(draws)
    ]
    documents = float(np.mean([each.pairs.groups for drawn in lessons for each in drawn]))
    before = joined([predicted.as_is] * draws)
    for name, methods in METHODS.items():
        mapped = [joined([_mapped(each, methods) for each in drawn]) for drawn in lessons]
        after = joined(mapped)
        worse = sum(Brier()(each) > Brier()(predicted.as_is) for each in mapped)
        yield GainRow(
            predicted.task,
            predicted.classifier,
            size,
            documents,
            name,
            Brier()(predicted.as_is),
            change(before, after, Brier()),
            change(before, after, LOSS),
            worse,
            draws,
        )


def change(before: Pairs, after: Pairs, rule: MeanLoss) -> Estimate:
    """The loss after minus that before, with an interval paired by document.

    Pairs may be several copies of the test pairs, mapped differently: the documents stay the
    independent units, so the interval is that of the mean over the copies.
    """
    with round_numbers():
        found = compare_pairs({"before": before, "after": after}, rule, LEVEL, Bootstrap())
    first, _ = next(iter(found.differences))
    return found.difference.turned() if first == "before" else found.difference


def learnt(pairs: Pairs, methods: Sequence[Method]) -> Map:
    """The map of the method that cross-fitting by document chooses; as it is if none helps."""
    if pairs.y.min() == pairs.y.max():  # one answer only: nothing to learn from
        return IDENTITY
    cells = folded_cells(pairs.tied, 0)
    method = choose_method(cells, methods, Brier())
    return IDENTITY if method is None else method.learn(cells.without())


def _mapped(lesson: Lesson, methods: Sequence[Method]) -> Pairs:
    """The test pairs, mapped by what the calibration pairs teach."""
    found = learnt(lesson.pairs, methods)
    return lesson.part.test.with_predictions(found(lesson.part.test.q))


def _drawn(pairs: Pairs, size: int, seed: int) -> Pairs:
    assert pairs.group is not None
    return pairs.take(np.flatnonzero(drawn_documents(pairs.group, size, seed)))
