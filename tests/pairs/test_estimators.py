import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import calibrant as cb
from calibrant.errors import InputError
from calibrant.pairs.estimators import positives


def data(classes=("ham", "spam"), seed=0, count=600):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 3))
    code = (X[:, 0] + rng.logistic(size=count) > 0).astype(int)
    return X, np.array(classes)[code]


@pytest.mark.parametrize("classes", [("ham", "spam"), (0, 1), (False, True), (-1.0, 1.0)])
def test_the_second_class_is_positive(classes):
    X, y = data(classes)
    model = LogisticRegression().fit(X[:200], y[:200])
    pairs = cb.Pairs.from_estimator(model, X[200:], y[200:])
    assert pairs == cb.Pairs(y[200:] == classes[1], model.predict_proba(X[200:])[:, 1])


def test_either_class_may_be_positive():
    """Relabelling yes and no turns q around and changes no symmetric score."""
    X, y = data()
    model = LogisticRegression().fit(X, y)
    second = cb.Pairs.from_estimator(model, X, y)
    first = cb.Pairs.from_estimator(model, X, y, positive="ham")
    np.testing.assert_array_equal(first.y, ~second.y)
    np.testing.assert_allclose(first.q, 1 - second.q, rtol=0, atol=1e-15)
    assert cb.Brier()(first) == pytest.approx(cb.Brier()(second), rel=1e-12)


def test_pairs_are_those_of_labels():
    X, y = data()
    model = LogisticRegression().fit(X, y)
    asked = cb.ask(cb.Labels.from_classifier(model, X), y, cb.LabelIs("spam"))
    assert cb.Pairs.from_estimator(model, X, y) == asked


def test_weights_and_groups_pass_through():
    X, y = data()
    model = LogisticRegression().fit(X, y)
    X, y = X[:6], y[:6]
    weight, group = [1, 2, 1, 1, 3, 1], list("aabbcc")
    pairs = cb.Pairs.from_estimator(model, X, y, weight=weight, group=group)
    assert pairs.weight.tolist() == weight
    assert pairs.group.tolist() == group


def test_scores_are_not_probabilities():
    X, y = data()
    model = LinearSVC().fit(X, y)
    with pytest.raises(InputError, match=r"LinearSVC has no predict_proba \(decision_function giv"):
        cb.Pairs.from_estimator(model, X, y)


def test_what_is_refused():
    X, y = data()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match="has no classes_: fit it first"):
        cb.Pairs.from_estimator(LogisticRegression(), X, y)
    with pytest.raises(InputError, match="positive must be one of 'ham' and 'spam', but it is 1"):
        cb.Pairs.from_estimator(model, X, y, positive=1)
    with pytest.raises(
        InputError, match=r"y must hold the classes of the model, .* y\[0\] is 'egg"
    ):
        cb.Pairs.from_estimator(model, X, ["egg", *y[1:]])
    three = LogisticRegression().fit(X, np.arange(len(X)) % 3)
    with pytest.raises(InputError, match="two classes, but LogisticRegression has 3: pass Labels"):
        cb.Pairs.from_estimator(three, X, np.arange(len(X)) % 3)
    one = DummyClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(
        InputError,
        match=r"two classes, but DummyClassifier has only one, 0\.0",
    ):
        cb.Pairs.from_estimator(one, X, np.zeros(len(X)))
    many = MultiOutputClassifier(LogisticRegression()).fit(X, np.column_stack([y, y]))
    with pytest.raises(InputError, match="predicts 2 labels for each item"):
        cb.Pairs.from_estimator(many, X, y)


def test_training_data_hide_overconfidence():
    """The trap: the same tree is certain and always right on the data that it was fitted on."""
    X, y = data(count=2000)
    model = DecisionTreeClassifier(random_state=0).fit(X[:1000], y[:1000])
    own = cb.score(cb.Pairs.from_estimator(model, X[:1000], y[:1000]), interval=None)
    new = cb.score(cb.Pairs.from_estimator(model, X[1000:], y[1000:]), interval=None)
    assert own.value == 0
    assert new.value > 0.3


def test_positives_without_a_model():
    assert positives([0, 1, 1], None).tolist() == [False, True, True]
    assert positives([True, False], None).tolist() == [True, False]
    assert positives(["a", "b"], "a").tolist() == [True, False]
    with pytest.raises(InputError, match="unless positive names the positive class, but it has 'a"):
        positives(["a", "b"], None)
    with pytest.raises(InputError, match="two classes, but it has 3: 'a', 'b' and 'c'"):
        positives(["a", "b", "c"], "a")
    with pytest.raises(InputError, match="positive must be one of 'a' and 'b', but it is 'c'"):
        positives(["a", "b"], "c")


class Fixed:
    """A classifier that always returns the same, as a wrapper of another library may."""

    def __init__(self, found, classes=("ham", "spam")):
        self.found, self.classes_ = found, np.array(classes)

    def predict_proba(self, X):
        return self.found


ROWS = np.array([[0.25, 0.75], [0.5, 0.5]])
WRONG = {
    "one dimension": (ROWS[:, 1], r"a row per item and two columns, but the shape is \(2,\)"),
    "one column": (ROWS[:, 1:], r"a row per item and two columns, but the shape is \(2, 1\)"),
    "nothing": (None, "predict_proba of Fixed must return an array .* but it returns None"),
    "a tuple": ((ROWS, ROWS), "must return an array .* but it returns a tuple"),
    "sparse": (csr_matrix(ROWS), "must return an array .* but it returns a csr_matrix"),
    "logits": (ROWS * 8 - 4, r"must lie in \[0, 1\]"),
    "rows that do not sum to 1": (ROWS * 0.9, "Every row of probabilities must sum to 1"),
    "no rows": (ROWS[:0], "at least one item"),
    "masked": (np.ma.masked_greater(ROWS, 0.6), "some are masked"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_predict_proba_may_return(case):
    found, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        cb.Pairs.from_estimator(Fixed(found), None, ["ham", "spam"])


def test_rows_may_be_lists():
    pairs = cb.Pairs.from_estimator(Fixed(ROWS.tolist()), None, ["ham", "spam"])
    assert pairs.q.tolist() == [0.75, 0.5]


def test_refusals_lead_somewhere():
    with pytest.raises(InputError, match=r"y must have one dimension.* \(2, 1\)\. Pass y\[:, 0\]"):
        cb.Pairs.from_estimator(Fixed(ROWS), None, [["ham"], ["spam"]])
    with pytest.raises(InputError, match=r"model must be .* but it is the class Fixed itself"):
        cb.Pairs.from_estimator(Fixed, None, ["ham", "spam"])
    with pytest.raises(InputError, match="Fixed has only one, 'spam': fit it on items of both"):
        cb.Pairs.from_estimator(Fixed(ROWS[:, :1] * 0 + 1, ["spam"]), None, ["spam", "spam"])
    with pytest.raises(InputError, match="y has one class only, 'spam', and positive is 'ham'"):
        positives(["spam", "spam"], "ham")
    with pytest.raises(InputError, match=r"it has 0\.0, 0\.125, 0\.25, 0\.375 and 5 others\.$"):
        positives(np.linspace(0, 1, 9), None)
