"""What recalibration gains on test documents, by method and size of the calibration set."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import choose_method
from calibrant.calibration.recalibration.maps import Map, logits
from calibrant.calibration.recalibration.method import PairMethod
from calibrant.calibration.recalibration.recalibrating import AUTO as PULLED
from calibrant.calibration.recalibration.sizes import FEWEST
from calibrant.calibration.scores import Brier, MeanLoss
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.studies.classifiers.items import drawn_documents
from calibrant.studies.classifiers.judged import LEVEL, LOSS
from calibrant.studies.classifiers.predicted import Predicted, joined
from calibrant.studies.language_models.judged import round_numbers
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

Mapped = Callable[[NDArray[np.float64]], NDArray[np.float64]]  # a map of predictions
TEXT = """\
Maps are learnt from calibration documents drawn at random until they have so many items, and
applied to the test items; a change below 0 is a gain. Each change is the mean over several draws of
calibration documents, with an interval paired by test document; sizes for which a draw has fewer
than four documents are left out. "worse" is in how many draws the map made the test items worse.
The SVM is compared with its scaled margins; its maps are learnt from 1 / (1 + exp(−margin / s)),
where s is the standard deviation of its training margins, so that Platt is Platt scaling. "Not
pulled" are the two maps of most other packages, fitted by scikit-learn without a pull towards
leaving predictions as they are: a line on the logit scale, and isotonic regression."""


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


def gains(
    predicted: Sequence[Predicted], sizes: Sequence[int], draws: int, progress: Progress
) -> Section[GainRow]:
    """Every method for every classifier, learnt from calibration sets of these sizes."""
    wanted = [(each, size) for each in predicted for size in fitting(each, sizes, draws)]
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


def fitting(predicted: Predicted, sizes: Sequence[int], draws: int) -> list[int]:
    """The sizes that calibration items reach, with documents that maps can be learnt from."""
    most = min(len(each.calibration) for each in predicted.parts)
    return [
        size
        for size in sizes
        if size <= most and all(map(_teaches, chain(*_lessons(predicted, size, draws))))
    ]


def _teaches(pairs: Pairs) -> bool:
    """Whether there are both answers, and four documents: `recalibrate` refuses fewer."""
    return bool(pairs.groups >= FEWEST and pairs.y.min() < pairs.y.max())


def _lessons(predicted: Predicted, size: int, draws: int) -> list[list[Pairs]]:
    """The drawn calibration pairs of every rotation, for each draw."""
    return [
        [_drawn(part.calibration, size, seed) for part in predicted.parts] for seed in range(draws)
    ]


def _rows(predicted: Predicted, size: int, draws: int) -> Iterator[GainRow]:
    lessons = _lessons(predicted, size, draws)
    documents = float(np.mean([each.groups for each in chain(*lessons)]))
    before = joined([predicted.as_is] * draws)
    for name, learn in METHODS.items():
        mapped = [_mapped(predicted, drawn, learn) for drawn in lessons]
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


def learnt(pairs: Pairs, methods: Sequence[PairMethod]) -> Map:
    """The map of the method that cross-fitting by document chooses; as it is if none helps."""
    cells = folded_cells(pairs.tied, 0)
    method = choose_method(cells, methods, Brier())
    return cells.unchanged if method is None else cells.learnt([method])[0]


def unpulled_line(pairs: Pairs) -> Mapped:
    """Logistic regression on logits, as good as without a penalty."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1e6, max_iter=2000).fit(logits(pairs.q)[:, None], pairs.y)
    return lambda q: np.asarray(model.predict_proba(logits(q)[:, None])[:, 1], np.float64)


def unpulled_steps(pairs: Pairs) -> Mapped:
    """Isotonic regression, which may reach 0 and 1."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(pairs.q, pairs.y)
    return lambda q: np.asarray(model.predict(q), np.float64)


METHODS: dict[str, Callable[[Pairs], Mapped]] = {
    **{repr(method).removesuffix("()"): partial(learnt, methods=(method,)) for method in PULLED},
    "auto": partial(learnt, methods=PULLED),
    "Platt, not pulled": unpulled_line,
    "Isotonic, not pulled": unpulled_steps,
}


def _mapped(
    predicted: Predicted, lessons: Sequence[Pairs], learn: Callable[[Pairs], Mapped]
) -> Pairs:
    """The test pairs of every rotation, mapped by what its calibration pairs teach."""
    return joined(
        [
            part.test.with_predictions(learn(lesson)(part.test.q))
            for part, lesson in zip(predicted.parts, lessons, strict=True)
        ]
    )


def _drawn(pairs: Pairs, size: int, seed: int) -> Pairs:
    assert pairs.group is not None
    return pairs.take(np.flatnonzero(drawn_documents(pairs.group, size, seed)))
