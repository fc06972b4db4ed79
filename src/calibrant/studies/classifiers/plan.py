"""The plan of the study of classifiers."""

from dataclasses import dataclass, replace

from calibrant.studies.classifiers.learners import CLASSIFIERS, Classifier
from calibrant.studies.classifiers.tasks import TASKS, Task


@dataclass(frozen=True)
class ClassifiersPlan:
    """The settings of the study.

    Attributes
    ----------
    tasks
        The questions.
    classifiers
        What answers them.
    most
        The number of words after which a part of a corpus of words may stop; None means all.
    calibration
        The sizes of the calibration set.
    draws
        How many calibration sets of each size to draw.
    strengths
        The settings of C for logistic regression; an empty tuple skips this table.
    newsgroups
        Whether to judge the published posteriors of 20 newsgroups too.
    seed
        The seed of training and of the divisions of documents.
    """

    tasks: tuple[Task, ...] = TASKS
    classifiers: tuple[Classifier, ...] = CLASSIFIERS
    most: int | None = 6000
    calibration: tuple[int, ...] = (30, 200, 1000, 5000)
    draws: int = 5
    strengths: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
    newsgroups: bool = True
    seed: int = 0


PLAN = ClassifiersPlan()
MORE = 20_000  # words to train on


def _more(task: Task) -> Task:
    """The task with more words to train on, if it has a limit."""
    return task if task.sizes[-1] is None else replace(task, sizes=(*task.sizes, MORE))


FULL = replace(PLAN, tasks=tuple(map(_more, TASKS)), most=None, draws=20)
