import numpy as np
import pandas
import polars
import pyarrow
import pytest

import calibrant as cb
from calibrant.checks.matrices import tolerance
from calibrant.errors import InputError, ParameterError

ROWS = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]
NAMES = ["noun", "verb", "other"]


def softmax(z, dtype):
    z = z.astype(dtype)
    z = np.exp(z - z.max(axis=1, keepdims=True), dtype=dtype)
    return z / z.sum(axis=1, keepdims=True, dtype=dtype)


def test_the_matrix_is_kept_and_cannot_be_changed():
    for dtype in (np.float16, np.float32, np.float64):
        matrix = np.array(ROWS, dtype)
        posterior = cb.Labels(matrix)
        assert posterior.probabilities.dtype == dtype
        assert np.shares_memory(posterior.probabilities, matrix)
        assert posterior.marginals is posterior.probabilities
        with pytest.raises(ValueError, match="read-only"):
            posterior.probabilities[0, 0] = 1


def test_what_it_says_of_itself():
    posterior = cb.Labels(ROWS, NAMES)
    assert len(posterior) == 2
    assert repr(posterior) == "Labels(2 items, 3 classes: noun, verb, other)"
    assert repr(cb.Labels(np.full((1, 20), 0.05))) == (
        "Labels(1 item, 20 classes: 0, 1, 2, 3, 4, 5, 6, 7, ...)"
    )
    assert posterior.mode.tolist() == ["noun", "other"]
    assert cb.Labels(ROWS).mode.tolist() == [0, 2]


def test_of_equal_labels_the_first_class_is_the_mode():
    assert cb.Labels([[0.2, 0.4, 0.4]], NAMES).mode.tolist() == ["verb"]
    assert cb.Labels([[0.4, 0.2, 0.4]], NAMES).mode.tolist() == ["noun"]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_columns_of_frames_are_classes(frame):
    values = dict(zip(NAMES, np.array(ROWS, np.float32).T, strict=True))
    posterior = cb.Labels(frame(values))
    assert posterior.classes == tuple(NAMES)
    np.testing.assert_array_equal(posterior.probabilities, np.array(ROWS, np.float32))
    assert cb.Labels(frame(values), ["a", "b", "c"]).classes == ("a", "b", "c")


def test_unnamed_columns_of_pandas_are_numbers():
    posterior = cb.Labels(pandas.DataFrame(np.array(ROWS)))
    assert posterior.codes([2, 0]).tolist() == [2, 0]


def test_whole_numbers_are_probabilities_too():
    assert cb.Labels(np.eye(3, dtype=int)).probabilities.dtype == np.float64


def test_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 3)), rng.choice(["b", "a", "c"], 200)
    posterior = cb.Labels.from_classifier(model := LogisticRegression().fit(x, y), x)
    assert posterior.classes == ("a", "b", "c")
    assert posterior.mode.tolist() == model.predict(x).tolist()
    right = cb.ask(posterior, y, cb.TopLabel())
    assert right.mean(right.y) == pytest.approx(model.score(x, y))
    floats = cb.Labels.from_classifier(LogisticRegression().fit(x, (y == "a") + 1.0), x)
    assert floats.classes == (1, 2)


def test_classifiers_that_will_not_do():
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import RidgeClassifier

    with pytest.raises(InputError, match="RidgeClassifier has no predict_proba"):
        cb.Labels.from_classifier(RidgeClassifier(), [[0]])
    with pytest.raises(InputError, match="no classes_: fit it first"):
        cb.Labels.from_classifier(RandomForestClassifier(), [[0]])
    both = RandomForestClassifier(2).fit([[0], [1]], [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="predicts 2 labels for each item"):
        cb.Labels.from_classifier(both, [[0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 50, 5000])
def test_rounded_softmaxes_are_accepted(dtype, classes):
    z = np.random.default_rng(classes).normal(0, 4, (200, classes))
    cb.Labels(softmax(z, np.float64).astype(dtype))
    computed = softmax(z, dtype)
    cb.Labels(computed)
    cb.Labels(computed.astype(np.float64))  # as precise as it was before


def test_single_precision_of_neural_networks():
    """Rows that summed to 1.00002 were called logits."""
    row = np.array([[1.00002, 0.0], [0.50001, 0.50001], [0.9, 0.1]], np.float32)
    for matrix in (row, row.astype(np.float64)):
        posterior = cb.Labels(matrix)
        assert posterior.probabilities.dtype == matrix.dtype
        assert posterior.probabilities[0].tolist() == [1.0, 0.0]  # clipped
        np.testing.assert_array_equal(posterior.probabilities[1:], matrix[1:])  # not rescaled
        assert len(cb.ask(posterior, [0, 1, 0], cb.EveryLabel())) == 6
    with pytest.raises(InputError, match=r"float32 .* row 0 sums to 1\.002.* divide by their sums"):
        cb.Labels(np.array([[0.501, 0.501]], np.float32))
    with pytest.raises(InputError, match=r"is 1\.00\d+ .* If that is rounding, clip"):
        cb.Labels(np.array([[1.005, 0.0]], np.float32))
    with pytest.raises(InputError, match="softmax"):
        cb.Labels(np.array([[1.2, -0.2]], np.float32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_edge_of_the_tolerance(dtype):
    allowed = tolerance(dtype, 4)
    for times, fine in ((0.9, True), (1.1, False)):
        matrix = np.full((6, 4), 0.25, dtype)
        # two entries that share what is too much, one of them near 0, where digits are plenty
        matrix[3, :2] = 0.5 - 2.0**-9, times * allowed + 2.0**-9
        assert (abs(matrix[3].sum(dtype=float) - 1) <= allowed) == fine
        if fine:
            cb.Labels(matrix)
            continue
        name = np.dtype(dtype).name
        with pytest.raises(InputError, match=rf"for {name} and 4 .* row 3 .*\(1 of 6 rows does"):
            cb.Labels(matrix)


BAD = {
    "logits": ([[2.0, -1.0], [0.5, 0.5]], {}, r"\[0, 0\] \(class 0\) is 2.0 \(2 of 4 .*softmax"),
    "negative": ([[1.1, -0.1]], {"classes": ["a", "b"]}, r"\[0, 0\] \(class 'a'\) is 1.1"),
    "percentages": ([[70.0, 30.0]], {}, "probabilities / 100"),
    "logarithms": ([[-0.1, -2.4]], {}, r"log-likelihoods .* each row: scipy.special.softmax"),
    "rounding": ([[1.0000001, 0.0]], {}, "numpy.clip"),
    "nan": ([[0.5, 0.5], [0.5, np.nan]], {}, r"finite, but probabilities\[1, 1\].*\(1 of 4"),
    "infinite": ([[np.inf, 0.5]], {}, "must be finite"),
    "sums": ([[0.5, 0.5], [0.5, 0.3], [1, 1]], {}, r"row 1 sums to 0.8 \(2 of 3 rows do not\)"),
    "rounded": ([[0.333, 0.333, 0.333]], {}, "divide by their sums"),
    "multi-label": ([[0.9, 0.8]], {}, "several labels can be true"),
    "vector": ([0.5, 0.5], {}, r"shape is \(2,\). .*pass Pairs"),
    "cube": (np.zeros((2, 2, 2)), {}, r"shape is \(2, 2, 2\)"),
    "number": (0.5, {}, "must be a matrix"),
    "one class": ([[1.0], [1.0]], {}, "at least two classes, but probabilities has 1 column"),
    "empty": (np.zeros((0, 3)), {}, "at least one item"),
    "ragged": ([[0.5, 0.5], [1.0]], {}, "must have the same length"),
    "text": ([["a", "b"]], {}, r"holds <U1 values \(probabilities\[0, 0\] is 'a'\)"),
    "objects": ([[0.5, None]], {}, r"probabilities\[0, 1\] is None"),
    "masked": (np.ma.masked_greater(ROWS, 0.5), {}, "some are masked"),
    "few names": (ROWS, {"classes": ["a", "b"]}, "2 names and 3 columns"),
    "same names": (ROWS, {"classes": ["a", "b", "a"]}, r"\[0\] and classes\[2\] are both 'a'"),
    "fractions": (ROWS, {"classes": [1.5, 2, 3]}, r"classes\[0\] is 1.5"),
    "mixed names": (ROWS, {"classes": ["a", 1, 2]}, r"all of one kind, but classes\[1\] is 1"),
    "lazy": (polars.LazyFrame({"a": [0.5], "b": [0.5]}), {}, "not LazyFrame: collect it first"),
    "missing": (polars.DataFrame({"a": [0.5, None], "b": [0.5, 1]}), {}, "must be finite"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_matrices(case):
    matrix, options, message = BAD[case]
    with pytest.raises(InputError, match=message):
        cb.Labels(matrix, **options)


BAD_GOLD = {
    "short": (NAMES, ["noun"], "one label for each of the 2 items, but it has 1"),
    "none": (NAMES, [], "but it has 0"),
    "unknown": (NAMES, ["noun", "nuon"], r"gold\[1\] is 'nuon' \(1 of 2 .*nearest is 'noun'"),
    "numbers": (NAMES, [0, 1], "gold.0. is 0 and the first class is 'noun'"),
    "names": (None, ["noun", "verb"], r"columns have none: pass Labels\(probabilities, classes="),
    "outside": (None, [1, 7], r"gold\[1\] is 7 \(1 of 2 values is not\). .*including\(gold\)"),
    "negative": (None, [-1, 1], r"gold\[0\] is -1"),
    "from one": (None, [1, 3], r"if labels count from 1, pass gold - 1"),
    "floats": (None, [1.0, 2.0], r"astype\(int\)"),
    "missing": (None, [1.0, np.nan], r"gold\[1\] is nan"),
    "mixed": (NAMES, ["noun", None], r"gold\[1\] is None"),
}


@pytest.mark.parametrize("case", BAD_GOLD)
def test_bad_gold(case):
    classes, gold, message = BAD_GOLD[case]
    with pytest.raises(InputError, match=message):
        cb.Labels(ROWS, classes).codes(gold)


def test_gold_of_many_kinds():
    posterior = cb.Labels(ROWS, NAMES)
    series = pandas.Series(["verb", "noun"], index=[5, 9])
    for gold in (series, series.astype("category"), polars.Series(["verb", "noun"])):
        assert posterior.codes(gold).tolist() == [1, 0]
    assert cb.Labels(ROWS).codes(np.array([2, 1], np.uint16)).tolist() == [2, 1]
    assert cb.Labels([[0.5, 0.5]]).codes([True]).tolist() == [1]


def test_labels_that_the_model_does_not_know():
    posterior = cb.Labels(np.array(ROWS, np.float16), NAMES)
    wider = posterior.including(["noun", "GW", "FW"])
    assert wider.classes == (*NAMES, "FW", "GW")
    assert wider.probabilities.dtype == np.float16
    assert not wider.probabilities[:, 3:].any()
    assert posterior.including(["noun", "verb"]) is posterior
    assert cb.Labels(ROWS).including([0, 9]).codes([9, 1]).tolist() == [3, 1]


def test_samples_have_the_marginals():
    rng = np.random.default_rng(3)
    matrix = rng.dirichlet([0.5, 1, 2], 5)
    matrix[0] = [0, 1, 0]
    posterior = cb.Labels(matrix, NAMES)
    drawn = posterior.sample(4000, seed=1)
    assert drawn.shape == (4000, 5)
    for k, name in enumerate(NAMES):
        error = 4.5 * np.sqrt(matrix[:, k] * (1 - matrix[:, k]) / 4000)
        assert (np.abs((drawn == name).mean(axis=0) - matrix[:, k]) <= error).all()
    np.testing.assert_array_equal(drawn[:3], posterior.sample(3, seed=1))
    with pytest.raises(ParameterError, match="count must be a whole number"):
        posterior.sample(0)


def test_singular_and_plural():
    with pytest.raises(InputError, match="but probabilities has 0 columns"):
        cb.Labels(np.zeros((3, 0)))
    with pytest.raises(InputError, match="there is 1 name and 2 columns"):
        cb.Labels([[0.5, 0.5]], ["a"])
    with pytest.raises(InputError, match=r"\(1 of 1 row does not\)"):
        cb.Labels([[0.5, 0.6]])
    with pytest.raises(InputError, match="one label for the only item, but it has 2"):
        cb.Labels([[0.5, 0.5]]).codes([0, 1])
