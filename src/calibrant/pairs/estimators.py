"""The probabilities of scikit-learn's classifiers, recognised by their methods."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError


class Predicted(NamedTuple):
    """What a classifier predicts: a row per item, and the names of the columns."""

    probabilities: Any
    classes: Any


class Binary(NamedTuple):
    """Whether each item has the positive class, and its predicted probability."""

    y: NDArray[np.bool_]
    q: NDArray[Any]


def class_probabilities(model: Any, X: Any) -> Predicted:  # noqa: ANN401 - any classifier
    """The probabilities of a fitted classifier; refuse models that do not give any."""
    name = type(model).__name__
    if not hasattr(model, "predict_proba"):
        only = " (decision_function gives scores, not probabilities)"
        raise InputError(
            f"{name} has no predict_proba{only * hasattr(model, 'decision_function')}: use a "
            "classifier that gives probabilities, or wrap it in "
            "sklearn.calibration.CalibratedClassifierCV."
        )
    if not hasattr(model, "classes_"):
        raise InputError(f"{name} has no classes_: fit it first.")
    found = model.predict_proba(X)
    if isinstance(found, list):
        raise InputError(
            f"{name} predicts {len(found)} labels for each item: pass the probabilities of "
            "one of them, Labels(model.predict_proba(X)[0], model.classes_[0])."
        )
    return Predicted(found, model.classes_)


def positive_probabilities(
    model: Any,  # noqa: ANN401
    X: Any,  # noqa: ANN401
    y: object,
    positive: object,
) -> Binary:
    """Ask a classifier of two classes about the positive one."""
    predicted = class_probabilities(model, X)
    classes = np.asarray(predicted.classes)
    if classes.size != 2:
        raise InputError(
            f"Pairs need a classifier of two classes, but {type(model).__name__} has "
            f"{classes.size}: pass Labels.from_classifier(model, X) to score_classes or ask."
        )
    column = _column(classes, positive)
    q = arrays.as_array(predicted.probabilities, "predict_proba")[:, column]
    return Binary(_positives(y, classes, column), q)


def positives(y: object, positive: object) -> NDArray[np.bool_]:
    """Which labels are the positive class, for predictions without their model."""
    labels = arrays.labels(y, "y")
    if labels.dtype.kind == "b":
        labels = labels.astype(np.int64)
    known = np.unique(labels)
    if positive is None:
        if not np.isin(known, (0, 1)).all():
            raise InputError(
                "y must be 0 or 1 unless positive names the positive class, but it has "
                f"{_listed(known)}."
            )
        return np.asarray(labels == 1)
    if known.size > 2:
        raise InputError(f"y must have two classes, but it has {known.size}: {_listed(known)}.")
    _column(known, positive)
    return np.asarray(labels == positive)


def _column(classes: NDArray[Any], positive: object) -> int:
    """The column of the positive class: the second, unless it is named."""
    if positive is None:
        return classes.size - 1
    found = np.flatnonzero(classes == positive)
    if found.size != 1:
        raise InputError(f"positive must be one of {_listed(classes)}, but it is {positive!r}.")
    return int(found[0])


def _positives(y: object, classes: NDArray[Any], column: int) -> NDArray[np.bool_]:
    labels = arrays.labels(y, "y")
    known = np.isin(labels, classes)
    if not known.all():
        raise InputError(
            f"y must hold the classes of the model, {_listed(classes)}, but "
            f"{arrays.describe(labels, ~known, 'y', 'not')}."
        )
    return np.asarray(labels == classes[column])


def _listed(classes: NDArray[Any]) -> str:
    shown = [repr(each) for each in classes[:4].tolist()]
    return (
        " and ".join(shown)
        if classes.size <= 2
        else ", ".join(shown) + ", ..." * (classes.size > 4)
    )
