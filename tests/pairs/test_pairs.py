import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from made_pairs import KINDS, predictions, set_b, set_c

import calibrant as cb
from calibrant import Pairs
from calibrant.errors import InputError, ParameterError

Y, Q = [0, 1, 1], [0.2, 0.7, 0.9]


class OnlyArray:
    def __init__(self, values):
        self.values = np.array(values)

    def __array__(self, dtype=None, copy=None):
        return self.values


class OnlyDlpack:
    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pl.Series,
        pa.array,
        OnlyArray,
        OnlyDlpack,
        lambda values: pa.chunked_array([values]),
        lambda values: pd.Series(values).convert_dtypes(),
    ],
)
def test_any_array_like(make):
    pairs = Pairs(make(Y), make(Q))
    np.testing.assert_array_equal(pairs.y, Y)
    np.testing.assert_array_equal(pairs.q, Q)


def test_arrays_are_kept_as_they_came():
    y, q, group = np.array(Y), np.array(Q, np.float32), np.array(["a", "a", "b"])
    pairs = Pairs(y, q, group=group)
    for mine, theirs in ((pairs.y, y), (pairs.q, q), (pairs.group, group)):
        assert np.shares_memory(mine, theirs)
        assert mine.dtype == theirs.dtype
        assert theirs.flags.writeable


def test_pairs_cannot_be_changed():
    pairs = Pairs(Y, Q)
    with pytest.raises(ValueError, match="read-only"):
        pairs.q[0] = 0.5
    with pytest.raises(AttributeError):
        pairs.q = np.array(Q)


def test_half_precision_and_booleans():
    pairs = Pairs(np.array([False, True]), np.array([0.25, 0.5], np.float16))
    assert pairs.q.tolist() == [0.25, 0.5]
    assert pairs.mean(pairs.y) == 0.5


def test_printed_form():
    assert repr(Pairs([1], [0.5])) == "Pairs(1 pair: 100 % positive, mean q 0.5)"
    text = repr(Pairs(Y, Q, weight=[2, 1, 1], group=["a", "a", "b"]))
    assert text == "Pairs(4 pairs on 3 rows in 2 groups: 50 % positive, mean q 0.5)"
    assert "<code>" in Pairs(Y, Q)._repr_html_()


BAD = {
    "NaN in q": (([0, 1], [0.1, np.nan]), {}, r"q must be finite, but q\[1\] is nan \(1 of 2"),
    "infinite q": (([0, 1], [np.inf, 0.2]), {}, r"q\[0\] is inf"),
    "NaN in y": (([0, np.nan], [0.1, 0.2]), {}, r"y\[1\] is nan \(1 of 2 values is NaN\)"),
    "q above 1": (([0, 1, 1], [0.1, 1.3, 4]), {}, r"q\[1\] is 1.3 \(2 of 3 values are outside\)"),
    "q a little above 1": (([0, 1], [0.1, 1 + 1e-7]), {}, "rounding"),
    "q below 0": (([0, 1], [-0.1, 0.2]), {}, r"q\[0\] is -0.1 .*expit"),
    "percentages": (([0, 1], [20.0, 80.0]), {}, "percentages, divide them: q / 100"),
    "y of -1 and 1": (([-1, 1], [0.1, 0.2]), {}, r"y\[0\] is -1 .*take y > 0"),
    "y of 1 and 2": (([1, 2], [0.1, 0.2]), {}, r"y\[1\] is 2 .*take y == 2"),
    "one y of 2": (([0, 2, 1], [0.1, 0.2, 0.3]), {}, r"y\[1\] is 2 \(1 of 3 values is neither\)"),
    "swapped": (([0.1, 0.9], [0, 1]), {}, "look swapped"),
    "lengths": (([0, 1], [0.1]), {}, "y has 2, q has 1"),
    "empty": (([], []), {}, "at least one pair"),
    "empty pandas": ((pd.Series([], dtype=object), pd.Series([], dtype=object)), {}, "empty"),
    "2-D y": (([[0, 1]], [0.1, 0.2]), {}, r"shape is \(1, 2\)"),
    "2-D q": (([0, 1], [[0.9, 0.1], [0.8, 0.2]]), {}, r"Pass one column, such as q\[:, 1\]"),
    "scalar": ((1, 0.5), {}, "single value 1"),
    "ragged": (
        ([[0], [1, 2]], [0.1, 0.2]),
        {},
        r"^All items of y must have the same length, but y\[0\] has 1 value and y\[1\] has 2",
    ),
    "partly nested": (([0, 1], [0.1, [0.2]]), {}, r"q\[0\] is a single value and q\[1\] has 1 val"),
    "log-likelihoods": (([0, 1], [-2.5, -0.3]), {}, r"softmax\(row\).* numpy.exp"),
    "weights too far apart": (
        ([0, 1], [0.1, 0.2]),
        {"weight": [1e300, 1e-300]},
        "Weights differ too much: the largest is 1e\\+300, so the smallest, 1e-300",
    ),
    "groups that end in NUL": (
        ([0, 1], [0.1, 0.2]),
        {"group": ["a", "a\0"]},
        r"group\[1\] is 'a\\x00'",
    ),
    "objects that end in NUL": (
        ([0, 1], [0.1, 0.2]),
        {"group": pl.Series(["a\0", "a"])},
        r"group\[0\] is 'a\\x00'",
    ),
    "negative weight": (([0, 1], [0.1, 0.2]), {"weight": [1, -1]}, r"weight\[1\] is -1 \(1 of 2"),
    "zero weight": (([0, 1], [0.1, 0.2]), {"weight": [0, 1]}, r"weight\[0\] is 0"),
    "infinite weight": (([0, 1], [0.1, 0.2]), {"weight": [1, np.inf]}, r"weight\[1\] is inf"),
    "NaN weight": (([0, 1], [0.1, 0.2]), {"weight": [1, np.nan]}, r"weight\[1\] is nan"),
    "weight length": (([0, 1], [0.1, 0.2]), {"weight": [1]}, "weight has 1"),
    "group length": (([0, 1], [0.1, 0.2]), {"group": [1, 2, 3]}, "group has 3"),
    "objects": ((np.array([0, None]), [0.1, 0.2]), {}, r"array of objects: y\[1\] is None"),
    "strings": (([0, 1], ["0.1", "0.2"]), {}, r"q must hold numbers, .*q\[0\] is '0.1'"),
    "complex": (([0, 1], [0.1j, 0.2]), {}, "complex128"),
    "mixed groups": (
        ([0, 1], [0.1, 0.2]),
        {"group": np.array(["a", None], object)},
        r"group\[1\] is None",
    ),
    "words and numbers": (([0, 1], [0.1, 0.2]), {"group": ["a", 1]}, r"group\[1\] is 1"),
    "NaN group": (([0, 1], [0.1, 0.2]), {"group": [1.0, np.nan]}, r"group\[1\] is nan"),
    "pandas missing": (
        (pd.Series([0, 1]), pd.Series([0.1, None])),
        {},
        r"q\[1\] is missing \(1 of 2",
    ),
    "pandas nullable": ((pd.array([0, None], "Int64"), [0.1, 0.2]), {}, r"y\[1\] is missing"),
    "polars missing": ((pl.Series([None, 1]), [0.1, 0.2]), {}, r"y\[0\] is missing"),
    "pyarrow missing": ((pa.array([0, 1]), pa.array([0.1, None])), {}, r"q\[1\] is missing"),
    "masked": (([0, 1], np.ma.masked_array([0.1, 0.2], [1, 0])), {}, r"q\[0\] is missing"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    arguments, options, message = BAD[name]
    with pytest.raises(InputError, match=message):
        Pairs(*arguments, **options)


def test_index_of_a_pandas_series_is_ignored():
    y, q = pd.Series(Y, index=[5, 6, 7]), pd.Series(Q, index=[7, 6, 5])
    assert Pairs(y, q) == Pairs(Y, Q)


def test_addition_pools_rows():
    b, c = Pairs(*set_b()), Pairs(*set_c())
    both = b + c
    assert both.n == b.n + c.n
    score = cb.CalibScore(size=100)
    assert score(both) == score(c + b)
    assert score(both) == score(b.compress() + c) == score(b + c.compress())


def test_addition_of_groups():
    one, two = Pairs([0, 1], [0.1, 0.2], group=[1, 2]), Pairs([1], [0.5], group=[2])
    assert (one + two).groups == 2  # equal labels are one group
    with pytest.raises(InputError, match="give both a group, or neither"):
        one + Pairs([1], [0.5])
    with pytest.raises(InputError, match="labels of one type"):
        one + Pairs([1], [0.5], group=["a"])
    with pytest.raises(TypeError):
        one + 3


@pytest.mark.parametrize("kind", KINDS)
def test_compressing_to_distinct_values_changes_nothing(kind):
    q = predictions(kind, 2000)
    pairs = Pairs((np.random.default_rng(0).random(2000) < q).astype(int), q)
    small = pairs.compress()
    assert len(small) == np.unique(q).size
    for score in (cb.CalibScore(), cb.CalibMSE(size=70), cb.ECE(), cb.MCE(), cb.Brier()):
        assert score(small) == pytest.approx(score(pairs), abs=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_compressing_to_a_grid_keeps_its_promise(seed):
    pairs = cb.synthetic.sample(50_000, cb.synthetic.inward(0.1), seed=seed)
    small = pairs.compress(bits=10)
    assert len(small) < 25_000
    assert small.n == pairs.n
    assert small.mean(small.q) == pytest.approx(pairs.mean(pairs.q), rel=1e-13)
    assert cb.Brier()(small) == pytest.approx(cb.Brier()(pairs), rel=1e-12)
    assert cb.LogLoss()(small) == pytest.approx(cb.LogLoss()(pairs), rel=1e-6)
    for score in (cb.CalibScore(), cb.ECE(), cb.CalibScore(debiased=False)):
        assert score(small) == pytest.approx(score(pairs), abs=1e-3)
    assert len(pairs.compress(bits=20)) > len(small)


def test_compressed_bins_are_those_of_tied_members():
    """Replace each q by the mean of its cell: plain adaptive bins must then agree exactly."""
    pairs = cb.synthetic.sample(5000, seed=2)
    small = pairs.compress(bits=4)
    ends = np.cumsum(small.weight[np.argsort(small.q)]).astype(int)
    tied = np.repeat(np.sort(small.q), np.diff(np.concatenate([[0], ends])))
    order = np.argsort(pairs.q)
    expanded = Pairs(pairs.y[order], tied)
    for score in (cb.CalibScore(), cb.ECE(count=12), cb.MCE()):
        assert score(small) == pytest.approx(score(expanded), abs=1e-13)


def test_predictions_next_to_one_survive_compression():
    near = 1 - 2.0**-53
    small = Pairs([0, 0, 1], [near, near, near], weight=[1, 3, 7]).compress(bits=10)
    assert small.q.tolist() == [near]


def test_compressed_cells_are_narrow():
    q = np.concatenate([predictions(kind, 3000, 1) for kind in KINDS])
    small = Pairs(np.zeros(q.size, int), q).compress(bits=8)
    nearest = small.q[np.abs(small.q[None, :] - q[::50, None]).argmin(1)]
    room = np.minimum(q[::50], 1 - q[::50]) * 2.0**-8
    assert (np.abs(nearest - q[::50]) <= np.maximum(room, 2.0**-52)).all()


def test_compression_is_checked():
    with pytest.raises(ParameterError, match="bits must be a whole number from 1 to 20"):
        Pairs(Y, Q).compress(bits=0)


def test_selection():
    pairs = Pairs(Y, Q, group=[1, 2, 2], weight=[1, 2, 3])
    assert pairs.select(above=0.2) == Pairs([1, 1], [0.7, 0.9], group=[2, 2], weight=[2, 3])
    assert len(pairs.select(above=0.2, below=0.7)) == 1
    with pytest.raises(InputError, match=r"No pair has q > 0.95: q runs from 0.2 to 0.9"):
        pairs.select(above=0.95)


def test_resampling_keeps_groups_whole():
    pairs = cb.synthetic.sample_groups(40, size=5, seed=1)
    again = pairs.resample(seed=3)
    assert again.groups == 40
    assert len(again) == 200
    original = {tuple(pairs.q[pairs.group == g]) for g in range(40)}
    assert {tuple(again.q[again.group == g]) for g in range(40)} <= original
    assert again == pairs.resample(seed=3)
    assert again != pairs.resample(seed=4)


def test_resampling_rows():
    pairs = Pairs(Y, Q)
    assert set(pairs.resample(1).q) <= set(Q)


def test_group_labels_are_values():
    words, numbers = ["b", "a", "b"], [7_000_000_000, -5, 7_000_000_000]
    for labels in (words, numbers, [1.5, 0.5, 1.5]):
        assert Pairs(Y, Q, group=labels).codes.tolist() == [1, 0, 1]


def test_large_numbers_keep_their_digits():
    pairs = Pairs([0, 1], [0.1, 0.2], weight=[1_234_566, 1])
    assert "1234567 pairs" in repr(pairs)
    assert "n=1234567|" in cb.score(pairs, interval=None).signature


@pytest.mark.parametrize("dtype", [">f8", ">f4", "longdouble", "float16"])
def test_any_kind_of_float(dtype):
    q = np.random.default_rng(0).random(40_000).astype(dtype)
    y = np.zeros(40_000, ">i4")
    assert cb.CalibScore()(Pairs(y, q)) == pytest.approx(
        np.sqrt(np.mean(q.astype(float) ** 2)), 1e-2
    )


def test_small_integers_are_not_merged():
    group = (np.arange(50_000) % 201 - 100).astype(np.int8)
    assert Pairs(np.zeros(50_000, int), np.zeros(50_000), group=group).groups == 201
    large = np.array([2**64 - 1, 5, 2**64 - 1], np.uint64)
    assert Pairs(Y, Q, group=large).groups == 2


def test_comparison():
    assert Pairs(Y, Q) == Pairs(Y, Q)
    assert Pairs(Y, Q) != Pairs(Y, Q, group=[1, 1, 1])
    assert Pairs(Y, Q) != "pairs"


def test_compressed_pairs_are_equal_only_if_their_moments_are():
    """Both have one row with mean q 0.5 and mean y 0.5, but not with the same mean q²."""
    q = 0.5 - 2.0**-12
    one, other = Pairs([0, 1], [q, q]), Pairs([0, 1], [q - 2.0**-13, q + 2.0**-13])
    one, other = one.compress(bits=2), other.compress(bits=2)
    assert (one.y, one.q, one.weight) == (other.y, other.q, other.weight)
    assert one != other
    assert one == Pairs([0, 1], [q, q]).compress(bits=2)


def test_means_stay_within_what_is_averaged():
    rng = np.random.default_rng(0)
    for n in range(2, 200):
        pairs = Pairs(np.ones(n, int), np.full(n, 0.1), weight=rng.random(n) + 0.01)
        assert pairs.mean(pairs.y) == 1
        assert pairs.mean(pairs.q) == 0.1


def test_no_order_of_weighted_rows_moves_a_mean():
    rng = np.random.default_rng(1)
    q, weight = rng.random(500), rng.random(500) + 0.01
    orders = [rng.permutation(500) for _ in range(50)]
    pairs = [Pairs(np.zeros(500, int), q[at], weight=weight[at]) for at in orders]
    assert len({each.mean(each.q) for each in pairs}) == 1


def test_weights_of_very_different_size_all_count():
    pairs = Pairs([0, 1], [0.1, 0.2], weight=[1e-150, 1e150])
    assert pairs.weight.min() > 0
