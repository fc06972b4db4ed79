import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax as reference
from sklearn.neural_network import MLPClassifier

import calibrant as cb
from calibrant.errors import InputError


class Tensor:
    """What a tensor on the CPU offers: numpy(), by way of __array__."""

    def __init__(self, values, grad=False):
        self.values, self.grad = np.asarray(values), grad

    def __array__(self, dtype=None, copy=None):
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")
        return self.values.astype(dtype or self.values.dtype)


class Other:
    """A tensor that has numpy() alone."""

    def numpy(self):
        return np.array([[2.0, 0.0], [0.0, 1.0]])


def test_anything_with_numpy_is_an_array():
    found = cb.Labels.from_logits(Other())
    np.testing.assert_array_equal(
        found.probabilities, cb.Labels.from_logits(Other().numpy()).probabilities
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_softmax_in_double_precision(dtype):
    logits = (np.random.default_rng(1).normal(size=(50, 7)) * 6).astype(dtype)
    found = cb.Labels.from_logits(logits, list("abcdefg"))
    assert found.probabilities.dtype == np.float64
    expected = reference(logits.astype(np.float64), axis=1)
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-13)
    assert cb.Labels.from_logits(Tensor(logits)).names == tuple(range(7))


def test_a_network_of_scikit_learn():
    """An independent softmax: the last layer of a network that keeps its logits to itself."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 3, 200)
    model = MLPClassifier((5,), max_iter=20, random_state=0)
    with pytest.warns(UserWarning, match="Maximum iterations"):
        model.fit(X, y)
    hidden = np.maximum(X @ model.coefs_[0] + model.intercepts_[0], 0)
    logits = hidden @ model.coefs_[1] + model.intercepts_[1]
    found = cb.Labels.from_logits(logits, model.classes_)
    np.testing.assert_allclose(found.probabilities, model.predict_proba(X), rtol=1e-10)


def test_a_constant_changes_nothing():
    logits = np.random.default_rng(2).normal(size=(5, 3))
    moved = cb.Labels.from_logits(logits + 1e3)
    np.testing.assert_allclose(
        moved.probabilities, cb.Labels.from_logits(logits).probabilities, atol=1e-12
    )


def test_large_logits_and_forbidden_classes():
    found = cb.Labels.from_logits([[1e4, 0, -np.inf], [0, 0, -np.inf]])
    np.testing.assert_array_equal(found.probabilities, [[1, 0, 0], [0.5, 0.5, 0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_probabilities_are_refused(dtype):
    """The trap: a second softmax gives rows that sum to 1, and far too little confidence."""
    q = reference(np.random.default_rng(3).normal(size=(20, 4)) * 3, axis=1).astype(dtype)
    assert reference(q, axis=1).max() < 0.5 < q.max()
    with pytest.raises(InputError, match="all rows are probabilities already"):
        cb.Labels.from_logits(q)


def test_what_is_refused():
    with pytest.raises(InputError, match=r"Pairs\(y, scipy.special.expit\(logits\[:, 0\]\)\)"):
        cb.Labels.from_logits([[1.0], [2.0]])
    with pytest.raises(InputError, match=r"shape is \(2, 3, 4\). Choose a token of each word"):
        cb.Labels.from_logits(np.ones((2, 3, 4)))
    with pytest.raises(InputError, match=r"logits\[1, 0\] is nan \(1 of 4 entries\)"):
        cb.Labels.from_logits([[1, 2], [np.nan, 1]])
    with pytest.raises(InputError, match=r"logits\[0, 0\] is -inf"):
        cb.Labels.from_logits([[-np.inf, -np.inf]])
    with pytest.raises(InputError, match="logits is empty"):
        cb.Labels.from_logits([])
    with pytest.raises(InputError, match="must hold numbers"):
        cb.Labels.from_logits([["a", "b"]])
    with pytest.raises(InputError, match="cannot be read as an array: Can't call numpy"):
        cb.Labels.from_logits(Tensor([[1, 2]], grad=True))


def test_frames_name_their_classes():
    rows = np.array([[2.0, 0.0], [0.0, 1.0]])
    frame = pd.DataFrame(rows, columns=["good", "bad"])
    found = cb.Labels.from_logits(frame)
    assert found.names == ("good", "bad")
    np.testing.assert_array_equal(found.probabilities, cb.Labels.from_logits(rows).probabilities)
    assert cb.Labels.from_logits(frame, ["a", "b"]).names == ("a", "b")


def test_masked_logits():
    """The trap: the values under the mask would be used."""
    with pytest.raises(InputError, match=r"logits must have no missing values, .* \(1 of 4\)"):
        cb.Labels.from_logits(np.ma.masked_greater([[2.0, 0.0], [0.0, 1.0]], 1))
    unmasked = np.ma.masked_array([[2.0, 0.0], [0.0, 1.0]])
    assert len(cb.Labels.from_logits(unmasked)) == 2
