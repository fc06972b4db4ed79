"""The probabilities of scikit-learn's classifiers, recognised by their methods."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.items import described
from calibrant.checks.matrices import checked_rows
from calibrant.errors import InputError
from calibrant.results.wording import counted, joined

SHOWN = 4  # classes that messages list


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
    if isinstance(model, type):
        raise InputError(
            f"model must be a fitted classifier, but it is the class {model.__name__} itself: pass "
            f"a fitted instance, such as {model.__name__}().fit(X, y)."
        )
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
    if isinstance(found, list) and found and np.ndim(found[0]) == 2:
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
    classes = _two_classes(predicted.classes, type(model).__name__)
    column = _column(classes, positive)
    q = _two_columns(predicted.probabilities, classes, type(model).__name__)[:, column]
    return Binary(_positives(y, classes, column), q)


def _two_classes(given: object, name: str) -> NDArray[Any]:
    """The classes of a classifier; refuse any number but two."""
    classes = arrays.as_array(given, "classes_")
    if classes.ndim != 1:
        raise InputError(
            f"classes_ of {name} must be a list of two classes, but it is {described(given)}."
        )
    if classes.size == 2:
        return classes
    if classes.size < 2:
        found = f"only one, {_listed(classes)}" if classes.size else "none"
        raise InputError(
            f"Pairs need a classifier of two classes, but {name} has {found}: fit it on items of "
            "both classes."
        )
    raise InputError(
        f"Pairs need a classifier of two classes, but {name} has {classes.size}: pass "
        "Labels.from_classifier(model, X) to score_classes or ask."
    )


def _two_columns(found: Any, classes: NDArray[Any], name: str) -> NDArray[Any]:  # noqa: ANN401
    """The probabilities of both classes; rows must sum to 1, as those of `Labels` must."""
    rule = f"predict_proba of {name} must return an array with a row per item and two columns"
    if found is None or isinstance(found, tuple) or hasattr(found, "toarray"):
        raise InputError(f"{rule}, but it returns {described(found)}.")
    array = arrays.as_array(found, "predict_proba(X)")
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"{rule}, but the shape is {tuple(array.shape)}.")
    matrix = arrays.numeric(array, "predict_proba(X)", half=True)
    if not len(matrix):
        raise InputError("There must be at least one item, but predict_proba(X) has no rows.")
    matrix = matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)
    return checked_rows(matrix, classes.tolist())


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
    if known.size == 1 and not (known == positive).any():
        raise InputError(
            f"positive must be a class of y, but y has one class only, {_listed(known)}, and "
            f"positive is {positive!r}."
        )
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
    shown = [repr(each) for each in classes[:SHOWN].tolist()]
    if classes.size <= SHOWN:
        return joined(shown)
    others = classes.size - SHOWN
    return f"{', '.join(shown)} and {counted(others, 'other')}"
