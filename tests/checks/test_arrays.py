"""Arrays that come in; `tests/pairs/test_pairs.py` has what `Pairs` refuses."""

import numpy as np
import pytest

from calibrant.checks import arrays
from calibrant.errors import InputError, command_line


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [
        (-1e-6, 1.0, "clip"),
        (0.0, 1 + 9e-6, "clip"),
        (0.0, 95.0, "q / 100"),
        (0.0, 1.5, "expit"),
        (-3.0, 2.0, "expit"),
        (-3.0, -0.1, "softmax"),
        (-3.0, 0.0, "softmax"),
    ],
)
def test_what_predictions_may_be_instead(low, high, says):
    assert says in arrays.advice(low, high)
    with command_line():
        words = arrays.advice(low, high)
    assert "numpy" not in words
    assert "scipy" not in words
    assert "q" not in words.replace("question", "")  # columns have other names


@pytest.mark.parametrize(
    ("labels", "says"), [({-1, 1}, "y > 0"), ({1, 2}, "y == 2"), ({0, 2}, ""), ({3}, "")]
)
def test_what_labels_may_be_instead(labels, says):
    assert says in arrays.label_advice(labels)
    assert bool(arrays.label_advice(labels)) == bool(says)


def test_a_bad_value_is_named_and_counted():
    values = np.array([0.1, 1.5, 2.5])
    assert arrays.describe(values, values > 1, "q", "outside") == (
        "q[1] is 1.5 (2 of 3 values are outside)"
    )
    assert arrays.describe(values, values > 2, "q", "outside").endswith("1 of 3 values is outside)")


def test_numbers_keep_their_type_where_they_can():
    for dtype in (np.bool_, np.int8, np.uint16, np.int64, np.float32, np.float64):
        values = np.zeros(3, dtype)
        assert arrays.numeric(values, "x") is values
    assert arrays.numeric(np.zeros(3, np.float16), "x").dtype == np.float32
    assert arrays.numeric(np.zeros(3, np.float16), "x", half=True).dtype == np.float16
    assert arrays.numeric(np.zeros(3, ">i4"), "x").dtype == np.dtype("=i4")
    assert arrays.numeric(np.zeros(3, np.longdouble), "x").dtype == np.float64


@pytest.mark.parametrize(
    "group",
    [
        [3, 1, 3, 2],
        [10**12, -5, 10**12, 7],
        np.array([2**64 - 1, 0, 2**64 - 1, 5], np.uint64),
        ["b", "a", "b", "aa"],
        [0.5, -1.0, 0.5, 0.25],
        [True, False, True, False],
    ],
    ids=str,
)
def test_codes_are_those_of_sorted_labels(group):
    labels = arrays.labels(group, "group")
    wanted = np.unique(labels, return_inverse=True)[1]
    assert arrays.codes(labels).tolist() == wanted.tolist()


def test_codes_without_sorting_are_those_with():
    group = np.random.default_rng(0).integers(-30, 30, 500)
    assert arrays.codes(group).tolist() == np.unique(group, return_inverse=True)[1].tolist()


def test_whole_weights_are_counts_and_others_are_scaled():
    counts = np.array([1.0, 2.0, 5.0])
    assert arrays.unit_weights(counts) is counts
    scaled = arrays.unit_weights(np.array([0.5, 1.5, 4.0]))
    assert scaled.mean() == pytest.approx(1)
    assert scaled / scaled[0] == pytest.approx([1, 3, 8])
    huge = arrays.unit_weights(np.array([1e300, 2.5e300]))
    assert huge == pytest.approx([2 / 3.5, 5 / 3.5])


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([1, 2.5], r"whole numbers, but x\[1\] is 2.5"),
        ([1, np.inf], r"x\[1\] is inf"),
        ([2.0**53], r"less than 2\*\*53"),
        (np.array([2**63], np.uint64), r"less than 2\*\*53, but x\[0\] is 9223372036854775808"),
    ],
)
def test_numbers_that_count_nothing(values, says):
    with pytest.raises(InputError, match=says):
        arrays.whole_numbers(values, "x")


def test_nested_lists_are_described_in_words():
    with pytest.raises(InputError, match=r"x\[0\] has 2 values and x\[2\] has 1 value\.$"):
        arrays.as_array([[1, 2], [3, 4], [5]], "x")
    with pytest.raises(InputError, match="items differ in shape"):
        arrays.as_array([[[1], [2]], [[3], [4, 5]]], "x")


def test_labels_in_bytes_that_end_in_nul():
    with pytest.raises(InputError, match="end in a NUL character"):
        arrays.labels([b"a", b"a\0"], "group")
    assert arrays.labels(["a\0b", "a"], "group").tolist() == ["a\0b", "a"]


def test_sums_by_label():
    assert arrays.sum_by(np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]), 4).tolist() == [4, 0, 2, 0]


def test_missing_values_are_counted():
    import pandas as pd

    for values, said in (([1, None, 0], "1 of 3 is"), ([None, None, 0], "2 of 3 are")):
        with pytest.raises(InputError, match=said):
            arrays.refuse_missing(pd.array(values, dtype="Int64"), "y")


class Tensor:
    """What matters of a tensor of torch, on a device, with a gradient."""

    def __init__(self, values, dtype="torch.float32", ready=False):
        self.values, self.dtype, self.ready = values, dtype, ready

    def detach(self):
        return Tensor(self.values, self.dtype, ready=True)

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.values, ready=self.ready)

    def __array__(self, dtype=None, copy=None):
        if not self.ready:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if "bfloat16" in self.dtype:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.array(self.values)


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16"])
def test_tensors_on_a_device_with_a_gradient(dtype):
    assert arrays.as_array(Tensor([0.25, 0.5], dtype), "q").tolist() == [0.25, 0.5]
