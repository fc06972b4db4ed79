"""A classifier of scikit-learn with recalibrated probabilities.

>>> from sklearn.datasets import make_classification
>>> from sklearn.naive_bayes import GaussianNB
>>> from calibrant.scikit import RecalibratedClassifier
>>> X, y = make_classification(1000, n_informative=4, n_redundant=12, random_state=0)
>>> model = RecalibratedClassifier(GaussianNB(), method="Platt").fit(X, y)
>>> model.recalibrator_.verdict
'use it'
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_predict
from sklearn.utils import get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from calibrant.calibration.recalibration import Method, Recalibrator
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.structures.labels.labels import Labels
from calibrant.structures.labels.logits import softmax
from calibrant.verbs import recalibrate

Float = NDArray[np.float64]


class RecalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # no types there
    """A classifier whose probabilities go through a map, learnt on items it had not seen.

    The classifier predicts every item after it was fitted to other folds; with groups, folds are of
    whole groups. A map is learnt from these predictions by `calibrant.recalibrate`, which also says
    what it gains. Then the classifier is fitted to all items, as `CalibratedClassifierCV` does with
    `ensemble=False`.

    Parameters
    ----------
    estimator
        A classifier (default: `LogisticRegression()`). Without `predict_proba`, its
        `decision_function` is taken for logits.
    method
        A method of recalibration, its printed form, or "auto" (default).
    rule
        The proper scoring rule to judge maps by (default: Brier).
    folds
        The number of folds (fewer if a class has fewer items).
    always
        Whether to use the map whatever the verdict is. By default, predictions are left as they are
        unless the verdict is "use it".
    seed
        The seed of the folds.

    Attributes
    ----------
    estimator_
        The classifier, fitted to all items.
    recalibrator_
        The map with its evidence, a `Recalibrator`.
    classes_
        The classes.
    """

    def __init__(
        self,
        estimator: Any = None,  # noqa: ANN401 - any classifier
        *,
        method: Method | str = "auto",
        rule: Any = None,  # noqa: ANN401 - a rule or its printed form
        folds: int = 5,
        always: bool = False,
        seed: int = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.rule = rule
        self.folds = folds
        self.always = always
        self.seed = seed

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Fit the classifier, and learn the map from predictions of items it had not seen."""
        X, y, groups = indexable(X, y, groups)
        given = LogisticRegression() if self.estimator is None else self.estimator
        self.estimator_ = clone(given).fit(X, y)  # refuses what it cannot read
        check_classification_targets(y)
        y = column_or_1d(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise InputError(
                f"There must be at least two classes, but there is one class: {self.classes_[0]}."
            )
        folds = self._folds(codes, groups)
        name = "predict_proba" if hasattr(given, "predict_proba") else "decision_function"
        found = cross_val_predict(clone(given), X, y, cv=folds, method=name, groups=groups)
        self.recalibrator_ = self._learnt(_rows(found, name), codes, groups)
        for each in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, each):
                setattr(self, each, getattr(self.estimator_, each))
        return self

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        """What the classifier takes, this one takes."""
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _folds(self, codes: NDArray[Any], groups: Any) -> Any:  # noqa: ANN401
        """Folds of whole groups, or with as many of each class as there are."""
        if groups is not None:
            return GroupKFold(self.folds)
        fewest = int(np.bincount(codes).min())
        if fewest < 2:
            raise InputError("There must be at least two items of each class, in different folds.")
        folds = min(self.folds, fewest)
        return StratifiedKFold(folds, shuffle=True, random_state=self.seed)

    def _learnt(self, rows: Float, codes: NDArray[Any], groups: Any) -> Recalibrator:  # noqa: ANN401
        how: dict[str, Any] = {"score": self.rule, "seed": self.seed}
        if self.classes_.size == 2:
            pairs = Pairs(codes, rows[:, 1], group=groups)
            return recalibrate(pairs, self.method, **how)
        return recalibrate(Labels(rows), self.method, gold=codes, group=groups, **how)

    def predict_proba(self, X: Any) -> Float:  # noqa: ANN401
        """The recalibrated probabilities, a row per item and a column per class."""
        check_is_fitted(self)
        name = "predict_proba" if hasattr(self.estimator_, "predict_proba") else "decision_function"
        rows = _rows(getattr(self.estimator_, name)(X), name)
        if not (self.always or self.recalibrator_.verdict == "use it"):
            return rows
        if self.classes_.size > 2:
            found: Float = self.recalibrator_.map(rows)
            return found
        q = self.recalibrator_.map(rows[:, 1])
        return np.column_stack([1 - q, q])

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401
        """The most probable class of each item."""
        check_is_fitted(self)
        found: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found


def _rows(found: Any, name: str) -> Float:  # noqa: ANN401
    """Rows of probabilities; margins are taken for logits."""
    given = np.asarray(found, np.float64)
    if name == "predict_proba":
        return given
    return softmax(np.column_stack([np.zeros_like(given), given]) if given.ndim == 1 else given)
