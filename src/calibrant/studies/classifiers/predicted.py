"""Predictions of a classifier about calibration and test items, as pairs grouped by document."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from calibrant.pairs import Pairs
from calibrant.studies.classifiers.items import Items, Split
from calibrant.studies.classifiers.learners import Answers, Classifier, Fitted, fit
from calibrant.studies.classifiers.tasks import Task


class Part(NamedTuple):
    """What one trained model says about the items to learn maps from, and about test items.

    Margins are logits in both. `as_is` has the test items with probabilities as they come.
    """

    calibration: Pairs
    test: Pairs
    as_is: Pairs


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of a classifier with so many training items.

    Attributes
    ----------
    task, classifier
        The names.
    trained
        The number of training items (the mean over rotations); None if others trained it.
    chosen
        The settings that were chosen, in words.
    parts
        One for each model of the rotations.
    """

    task: str
    classifier: str
    trained: int | None
    chosen: str
    parts: Sequence[Part]

    @property
    def as_is(self) -> Pairs:
        """The probabilities of all test items, as they come."""
        return joined([each.as_is for each in self.parts])

    @property
    def accuracy(self) -> float:
        """The percentage of test items for which the more probable answer is right."""
        tests = joined([each.test for each in self.parts])
        return 100 * float(np.mean((tests.q > 0.5) == tests.y))


def joined(pairs: Sequence[Pairs]) -> Pairs:
    """All pairs in one set."""
    return reduce(add, pairs)


def predict(
    task: Task, splits: Sequence[Split], classifier: Classifier, size: int | None, seed: int
) -> Predicted:
    """Train a classifier on each split, and ask it about the other two parts."""
    parts, fits, trained = [], [], []
    for split in splits:
        train = split.train.some(size, seed)
        fitted = fit(classifier, train, seed)
        parts.append(_part(split, fitted))
        fits.append(fitted)
        trained.append(len(train))
    mean = round(float(np.mean(trained)))
    return Predicted(task.name, classifier.name, mean, _settings(fits), parts)


def _part(split: Split, fitted: Fitted) -> Part:
    calibration, test = fitted.answers(split.calibration), fitted.answers(split.test)
    pairs = _pairs(split.test, test)
    as_is = pairs.with_predictions(test.as_is)
    return Part(_pairs(split.calibration, calibration), pairs, as_is)


def _pairs(items: Items, answers: Answers) -> Pairs:
    return Pairs(items.y, answers.logistic, group=items.document)


def _settings(fits: Sequence[Fitted]) -> str:
    """The chosen settings, such as "C = 10"; several if rotations differ."""
    told = [
        ", ".join(f"{name} = {value:g}" for name, value in each.chosen.items()) for each in fits
    ]
    return " or ".join(dict.fromkeys(told))
