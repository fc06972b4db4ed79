"""The strength of L2 and logistic regression: accuracy and calibration."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from calibrant.studies.classifiers.items import Split
from calibrant.studies.classifiers.judged import Shape, shape
from calibrant.studies.classifiers.learners import LOGISTIC
from calibrant.studies.classifiers.predicted import predict
from calibrant.studies.classifiers.tasks import Task
from calibrant.studies.sections import Section


class StrengthRow(NamedTuple):
    """Logistic regression with one setting of C, the inverse of the strength of L2."""

    task: str
    c: float
    trained: int | None
    accuracy: float
    shape: Shape


def strengths(
    task: Task, splits: Sequence[Split], values: Sequence[float], seed: int
) -> list[StrengthRow]:
    """Logistic regression with each setting of C, trained on most items of the task."""
    rows = []
    for value in values:
        classifier = replace(LOGISTIC, grid={"C": (value,)})
        found = predict(task, splits, classifier, task.sizes[-1], seed)
        rows.append(
            StrengthRow(task.name, value, found.trained, found.accuracy, shape(found.as_is))
        )
    return rows


def strengths_section(rows: Sequence[StrengthRow]) -> Section[StrengthRow]:
    """The rows of all tasks as a table."""
    return Section(
        name="l2",
        title="The strength of L2 and logistic regression",
        columns={
            "task": "task",
            "c": "C",
            "trained": "trained on",
            "accuracy": "accuracy",
            "shape.calibration": "CalibScore",
            "shape.slope": "Cox slope",
            "shape.words": "in words",
            "shape.brier": "Brier",
        },
        rows=rows,
        text="C is the inverse of the strength of L2 on features of length 1.",
        only_files={"shape.calibration.signature": "signature"},
    )
