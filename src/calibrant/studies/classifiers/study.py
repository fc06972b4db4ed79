"""The study of classifiers: which are calibrated as they come, and what recalibration gains."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibrant.studies.classifiers.figures import draw_curves, draw_gains
from calibrant.studies.classifiers.gains import gains
from calibrant.studies.classifiers.items import Split
from calibrant.studies.classifiers.judged import ShapeRow, as_they_come
from calibrant.studies.classifiers.learners import need_sklearn
from calibrant.studies.classifiers.newsgroups import (
    class_findings,
    class_gains,
    read_newsgroups,
)
from calibrant.studies.classifiers.plan import ClassifiersPlan
from calibrant.studies.classifiers.predicted import Predicted, predict
from calibrant.studies.classifiers.strengths import strengths, strengths_section
from calibrant.studies.classifiers.summaries import findings, summary
from calibrant.studies.classifiers.tasks import Task
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Section, Study
from calibrant.studies.writing import run_study


def run_classifiers(plan: ClassifiersPlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Train the classifiers, judge and recalibrate them; write tables and figures to a folder."""
    need_sklearn()
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: ClassifiersPlan, progress: Progress) -> Draft:
    published = read_newsgroups(plan.seed) if plan.newsgroups else None
    loaded = {task: task.load(plan.most) for task in plan.tasks}
    for task, splits in loaded.items():
        progress.say(f"{task.name}: {_sizes(splits)}")
    every = _predicted(plan, loaded, progress)
    if published is not None:
        every.append(published.top)
    largest = _largest(every)
    shapes = as_they_come(every, progress)
    recalibrated = gains(largest, plan.calibration, plan.draws, progress)
    gained = summary(recalibrated.rows)
    sections: list[Section[Any]] = [shapes, gained, recalibrated]
    told = list(findings(_rows_of(shapes, largest), gained))
    if published is not None:
        whole = class_gains(published, plan.calibration, plan.draws, progress)
        sections.append(whole)
        told += class_findings(whole)
    if plan.strengths:
        rows = [
            row
            for task, splits in loaded.items()
            for row in strengths(task, splits, plan.strengths, plan.seed)
        ]
        sections.append(strengths_section(rows))
    return Draft(
        title="Classifiers: whose probabilities can be taken as they come?",
        sections=sections,
        findings=told,
        facts={
            "study": "classifiers",
            "items": "; ".join(f"{task.name}: {_sizes(each)}" for task, each in loaded.items()),
            "questions": "; ".join(f"{task.name}: {task.question}" for task in plan.tasks),
            "draws of calibration documents": plan.draws,
            "seed": plan.seed,
        },
        figures=[draw_curves(largest), *draw_gains(recalibrated.rows)],
    )


def _predicted(
    plan: ClassifiersPlan, loaded: dict[Task, tuple[Split, ...]], progress: Progress
) -> list[Predicted]:
    """Every classifier on every task with every number of training items."""
    wanted = [
        (task, classifier, size)
        for task in plan.tasks
        for classifier in plan.classifiers
        for size in task.sizes
    ]
    return [
        predict(task, loaded[task], classifier, size, plan.seed)
        for task, classifier, size in progress.track(wanted, len(wanted), "Training")
    ]


def _largest(predicted: Sequence[Predicted]) -> list[Predicted]:
    """Of each task and classifier, the predictions after most training items."""
    found: dict[tuple[str, str], Predicted] = {}
    for each in predicted:
        place = each.task, each.classifier
        if place not in found or (each.trained or 0) > (found[place].trained or 0):
            found[place] = each
    return list(found.values())


def _rows_of(shapes: Section[ShapeRow], predicted: Sequence[Predicted]) -> list[ShapeRow]:
    wanted = {(each.task, each.classifier, each.trained) for each in predicted}
    return [row for row in shapes.rows if (row.task, row.classifier, row.trained) in wanted]


def _sizes(splits: Sequence[Split]) -> str:
    """How many items there are, such as "3608 to train, 1819 to calibrate, 1829 to test"."""
    train, calibration = (
        round(sum(len(getattr(each, name)) for each in splits) / len(splits))
        for name in ("train", "calibration")
    )
    test = sum(len(each.test) for each in splits)
    rotated = f", in {len(splits)} rotations" if len(splits) > 1 else ""
    return f"{train} to train, {calibration} to calibrate, {test} to test{rotated}"
