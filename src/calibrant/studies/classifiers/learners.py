"""The classifiers of the study, those of scikit-learn, and what they answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.recalibration.maps import expit
from calibrant.errors import UnsupportedError
from calibrant.studies.classifiers.items import Items

Float = NDArray[np.float64]
Weighting = str
COUNTS, PRESENCE, TFIDF = "counts", "presence", "tf-idf"
TUNING_FOLDS = 3
RARE = 2  # a feature of fewer training items is left out


@dataclass(frozen=True)
class Classifier:
    """A kind of classifier.

    Attributes
    ----------
    name
        Its name in tables.
    make
        Makes the estimator of scikit-learn, given a seed.
    weighting
        How features are weighted: "counts", "presence" or "tf-idf".
    grid
        Settings to choose among, by name.
    margins
        Whether it gives margins instead of probabilities.
    """

    name: str
    make: Callable[[int], Any]
    weighting: Weighting
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    margins: bool = False


class Answers(NamedTuple):
    """What a classifier answers.

    Attributes
    ----------
    as_is
        Probabilities as they come. Margins are scaled to [0, 1], as in the paper.
    logistic
        What maps are learnt from: the same, but 1 / (1 + exp(−margin / s)) for margins, where s is
        the standard deviation over training items. So the map `Platt` is Platt scaling.
    """

    as_is: Float
    logistic: Float


class Margins(NamedTuple):
    """The margins of training items: the smallest, the largest, and their standard deviation."""

    low: float
    high: float
    deviation: float

    def answers(self, margins: Float) -> Answers:
        """(margin − low) / (high − low), clipped (Niculescu-Mizil and Caruana, 2005)."""
        scaled = np.clip((margins - self.low) / (self.high - self.low), 0.0, 1.0)
        return Answers(scaled, expit(margins / self.deviation))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A classifier that was trained, with the settings that were chosen."""

    classifier: Classifier
    estimator: Any
    weigh: Callable[[Sequence[Sequence[str]]], Any]
    chosen: Mapping[str, float]
    margins: Margins | None

    def answers(self, items: Items) -> Answers:
        """Its answers about other items."""
        matrix = self.weigh(items.features)
        if self.margins is not None:
            return self.margins.answers(self.estimator.decision_function(matrix))
        found = self.estimator.predict_proba(matrix)[:, 1].astype(np.float64)
        return Answers(found, found)


def fit(classifier: Classifier, train: Items, seed: int) -> Fitted:
    """Train a classifier; settings are chosen on documents of the training part that are left out.

    They are chosen by the Brier score, or by accuracy where there are margins only.
    """
    weigh, matrix = _weighted(classifier.weighting, train.features)
    estimator, chosen = classifier.make(seed), {}
    if classifier.grid:
        from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold

        folds = StratifiedGroupKFold(TUNING_FOLDS)
        by = "accuracy" if classifier.margins else "neg_brier_score"
        search = GridSearchCV(estimator, dict(classifier.grid), scoring=by, cv=folds)
        search.fit(matrix, train.y, groups=train.document)
        estimator, chosen = search.best_estimator_, search.best_params_
    else:
        estimator.fit(matrix, train.y)
    margins = None
    if classifier.margins:
        trained = estimator.decision_function(matrix)
        margins = Margins(float(trained.min()), float(trained.max()), float(trained.std()))
    return Fitted(classifier, estimator, weigh, chosen, margins)


def _weighted(
    weighting: Weighting, features: Sequence[Sequence[str]]
) -> tuple[Callable[[Sequence[Sequence[str]]], Any], Any]:
    """How to make a matrix of features, and that of the training items."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    counter = CountVectorizer(analyzer=_as_given, min_df=RARE, binary=weighting == PRESENCE)
    counts = counter.fit_transform(features).astype(np.float64)
    if weighting != TFIDF:
        return lambda others: counter.transform(others).astype(np.float64), counts
    idf = TfidfTransformer(sublinear_tf=True).fit(counts)
    return lambda others: idf.transform(counter.transform(others)), idf.transform(counts)


def _as_given(features: Sequence[str]) -> Sequence[str]:
    return features


def need_sklearn() -> None:
    """Refuse to begin without scikit-learn."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise UnsupportedError(
            "This study trains classifiers of scikit-learn, which is not installed: "
            'pip install "calibrant[studies]".'
        ) from error


def _naive_bayes(seed: int) -> Any:  # noqa: ANN401
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


def _logistic(seed: int) -> Any:  # noqa: ANN401
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=2000)


def _margins(seed: int) -> Any:  # noqa: ANN401
    from sklearn.svm import LinearSVC

    return LinearSVC(random_state=seed, max_iter=20_000)


def _adaboost(seed: int) -> Any:  # noqa: ANN401
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=3, max_features="sqrt")
    return AdaBoostClassifier(tree, n_estimators=200, random_state=seed)


def _gradient_boosting(seed: int) -> Any:  # noqa: ANN401
    from sklearn.ensemble import GradientBoostingClassifier

    settings = {"n_estimators": 200, "max_depth": 4, "max_features": "sqrt"}
    return GradientBoostingClassifier(**settings, random_state=seed)


def _forest(seed: int) -> Any:  # noqa: ANN401
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(100, random_state=seed)


def _neighbours(seed: int) -> Any:  # noqa: ANN401
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(metric="cosine")  # a text without known words is near to none


LOGISTIC = Classifier("logistic regression", _logistic, TFIDF, {"C": (0.1, 1.0, 10.0, 100.0)})
CLASSIFIERS = (
    Classifier("naive Bayes", _naive_bayes, COUNTS, {"alpha": (0.01, 0.1, 1.0)}),
    LOGISTIC,
    Classifier("SVM", _margins, TFIDF, {"C": (0.01, 0.1, 1.0, 10.0)}, margins=True),
    Classifier("AdaBoost", _adaboost, PRESENCE),
    Classifier("gradient boosting", _gradient_boosting, PRESENCE),
    Classifier("random forest", _forest, PRESENCE),
    Classifier("nearest neighbours", _neighbours, TFIDF, {"n_neighbors": (5, 15, 45)}),
)
