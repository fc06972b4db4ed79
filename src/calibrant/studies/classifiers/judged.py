"""Which classifiers are calibrated as they come: scores and the shape of the error, in words."""

from collections.abc import Sequence
from typing import NamedTuple

from calibrant.calibration.analyses.describing import describe_pairs
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import Brier, CalibScore, LogLoss
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.studies.classifiers.predicted import Predicted
from calibrant.studies.language_models.judged import round_numbers
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

LEVEL = 0.95
LOSS = LogLoss(clip=1e-6)  # neighbours and forests are certain, and then wrong: no finite loss
EXTREME, TIMID = "too extreme", "too timid"
HIGH, LOW = "too high", "too low"
BENT, CALIBRATED = "miscalibrated in another way", "no miscalibration shown"
SHOWN = (EXTREME, TIMID, HIGH, LOW, BENT)
TEXT = """\
Test items are of documents that no training or calibration item is from; intervals are over
documents. Margins of the SVM are scaled to [0, 1] by the smallest and largest margin of its
training items. "certain" is the percentage of probabilities of exactly 0 or 1, which the Cox slope
leaves out. The log loss moves probabilities into [10⁻⁶, 1 − 10⁻⁶] first. "in words": too extreme or
too timid if the interval of the Cox slope lies below or above 1; too high or too low if that of
mean q − frequency does not contain 0."""


class Shape(NamedTuple):
    """The scores of probabilities, and the shape of their error."""

    calibration: Estimate
    slope: Estimate
    excess: Estimate
    auc: Estimate
    brier: Estimate
    loss: Estimate
    certain: float  # percentage of q of exactly 0 or 1

    @property
    def words(self) -> str:
        """How predictions err."""
        told = []
        if _beyond(self.slope, 1.0):
            told.append(EXTREME if self.slope.value < 1 else TIMID)
        if _beyond(self.excess, 0.0):
            told.append(HIGH if self.excess.value > 0 else LOW)
        if not told and _beyond(self.calibration, 0.0):
            told.append(BENT)
        return ", ".join(told) or CALIBRATED


def shape(pairs: Pairs) -> Shape:
    """Score probabilities as they come."""
    with round_numbers():  # the shares of neighbours
        told = describe_pairs(pairs, LEVEL)
        scores = (
            estimate_score(pairs, score, Bootstrap(), LEVEL)
            for score in (CalibScore(), Brier(), LOSS)
        )
        calibration, brier, loss = scores
    certain = 100 * told.certain / pairs.n
    return Shape(calibration, told.slope, told.excess, told.auc, brier, loss, certain)


def _beyond(estimate: Estimate, value: float) -> bool:
    low, high = estimate.low, estimate.high
    return low is not None and high is not None and not low <= value <= high


class ShapeRow(NamedTuple):
    """A classifier as it comes, on one task, after so many training items."""

    task: str
    classifier: str
    trained: int | None
    chosen: str
    accuracy: float
    shape: Shape


def as_they_come(predicted: Sequence[Predicted], progress: Progress) -> Section[ShapeRow]:
    """Every classifier on every task, as it comes."""
    rows = [
        ShapeRow(
            each.task, each.classifier, each.trained, each.chosen, each.accuracy, shape(each.as_is)
        )
        for each in progress.track(predicted, len(predicted), "Scoring")
    ]
    return Section(
        name="as-they-come",
        title="Probabilities as they come",
        columns={
            "task": "task",
            "classifier": "classifier",
            "trained": "trained on",
            "accuracy": "accuracy",
            "shape.calibration": "CalibScore",
            "shape.slope": "Cox slope",
            "shape.excess": "mean q − frequency",
            "shape.words": "in words",
            "shape.brier": "Brier",
            "shape.loss": "log loss",
            "shape.auc": "AUC",
            "shape.certain": "certain",
        },
        rows=rows,
        text=TEXT,
        only_files={"chosen": "settings", "shape.calibration.signature": "signature"},
    )
