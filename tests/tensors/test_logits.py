"""Pairs from logits against a softmax in double precision."""

import numpy as np
import pytest
from made_tensors import NO_TORCH, given
from scipy.special import softmax

from calibrant.errors import InputError
from calibrant.tensors import Accumulator

ROUNDING = 1e-5  # of a softmax in single precision


def made(kind, rows=40, size=1003):
    """Logits that float16 and bfloat16 hold exactly, and labels."""
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(0, 3, (rows, size)) * 4) / 4
    top = rng.integers(0, size, rows)
    if kind == "peaked":
        x[np.arange(rows), top] = 24
    if kind == "flat":
        x[:] = 1.5
        x[np.arange(rows), top] = 16
    if kind == "masked":
        x[:, 5:] = -np.inf
        x[::2, 5:] = -60000
        x[::3, 3] = 0
    if kind == "tiny":
        x *= 2.0**-12
    if kind == "wide":
        x *= 16
    labels = np.where(rng.random(rows) < 0.5, x.argmax(axis=1), rng.integers(0, 5, rows))
    return x, labels


def total(pairs, mask=slice(None)):
    """The number of pairs, of positive ones, and the sum of predictions."""
    weight = pairs.weight[mask]
    return np.array([weight.sum(), (weight * pairs.y[mask]).sum(), (weight * pairs.q[mask]).sum()])


def wanted_pairs(x, labels, every):
    q = softmax(x.astype(np.float64), axis=1)
    top = q.argmax(axis=1)
    rows = np.arange(labels.size)
    if not every:
        return top == labels, q[rows, top]
    return (np.arange(x.shape[1]) == labels[:, None]).ravel(), q.ravel()


@pytest.mark.parametrize("kind", ["normal", "peaked", "flat", "masked", "tiny", "wide"])
@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_against_double_precision(library, kind, every, dtype):
    if dtype == "bfloat16" and library not in ("torch", "cuda", "plain cuda"):
        pytest.skip("this library has no such numbers, or gets them from torch")
    if dtype != "float64" and library in ("cupy", "cupy alone"):
        pytest.skip("covered by the tensors that cupy becomes")
    x, labels = made(kind)
    accumulator = Accumulator()
    accumulator.add_logits(given(library, x, dtype), given(library, labels), every=every)
    y, q = wanted_pairs(x, labels, every)
    pairs = accumulator.pairs()
    assert accumulator.n == q.size
    assert total(pairs) == pytest.approx([q.size, y.sum(), q.sum()], rel=ROUNDING)
    for edge in (1e-18, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-4):
        low, high = edge * (1 - 2e-3), edge * (1 + 2e-3)
        assert (q <= low).sum() <= pairs.weight[pairs.q <= edge].sum() <= (q <= high).sum()
        close = int(((q > low) & (q <= high)).sum())
        found, there = total(pairs, pairs.q > edge), q > edge
        assert abs(found[1] - y[there].sum()) <= close
        assert found[2] == pytest.approx(q[there].sum(), rel=ROUNDING, abs=close)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sure_predictions_keep_their_distance_from_one(library, dtype):
    x = np.zeros((1, 3))
    x[0, 1] = 20
    accumulator = Accumulator()
    accumulator.add_logits(given(library, x, dtype), given(library, np.array([1])))
    rest = 2 * np.exp(-20.0)
    assert 1 - accumulator.pairs().q[0] == pytest.approx(rest / (1 + rest), rel=1e-6)


def test_the_first_of_tied_labels_is_the_top(library):
    x = np.array([[1.0, 2, 2, 0], [3, 0, 0, 3]])
    accumulator = Accumulator()
    accumulator.add_logits(given(library, x), given(library, np.array([1, 3])))
    assert total(accumulator.pairs())[1] == 1


def test_ignored_rows_are_skipped_and_counted(library):
    x, labels = made("normal", 6)
    kept = np.array([0, 2, 5])
    few = np.full(6, -100)
    few[kept] = labels[kept]
    for every in (False, True):
        found, wanted = Accumulator(), Accumulator()
        found.add_logits(given(library, x), given(library, few), every=every)
        wanted.add_logits(given(library, x[kept]), given(library, labels[kept]), every=every)
        assert found.pairs() == wanted.pairs()
        assert (found.skipped, wanted.skipped) == (3, 0)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_rows_without_probabilities_are_refused(library, every, wrong):
    x, labels = made("normal", 4)
    x[1, 3] = wrong
    if wrong == -np.inf:
        x[1] = wrong
    accumulator = Accumulator()
    accumulator.add_logits(given(library, x, "float32"), given(library, labels), every=every)
    with pytest.raises(InputError, match="1 row is not"):
        accumulator.pairs()
    assert accumulator.n == 3 * (x.shape[1] if every else 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32])
def test_types_of_labels(library, dtype):
    x, labels = made("normal")
    labels %= 100
    found, wanted = Accumulator(), Accumulator()
    found.add_logits(given(library, x), given(library, labels.astype(dtype)), every=True)
    wanted.add_logits(given(library, x), given(library, labels), every=True)
    assert found.pairs() == wanted.pairs()


@pytest.mark.parametrize("wrong", [-1, 1003])
def test_unknown_labels_are_refused(library, wrong):
    x, labels = made("normal", 4)
    labels[2] = wrong
    accumulator = Accumulator()
    accumulator.add_logits(given(library, x), given(library, labels), every=True)
    with pytest.raises(InputError, match=rf"1 label is not \({wrong} for example\)"):
        accumulator.pairs()


@pytest.mark.parametrize("every", [False, True])
def test_groups_of_rows(library, every):
    x, labels = made("normal")
    group = np.arange(40) // 4
    accumulator = Accumulator(bits=6, folds=8)
    accumulator.add_logits(
        given(library, x), given(library, labels), every, group=given(library, group)
    )
    pairs = accumulator.pairs()
    fold = accumulator._grid.fold(np, group)
    y, q = (each.reshape(40, -1) for each in wanted_pairs(x, labels, every))
    for each in set(fold.tolist()):
        mine = fold == each
        assert total(pairs, pairs.group == each) == pytest.approx(
            [y[mine].size, y[mine].sum(), q[mine].sum()], rel=ROUNDING
        )


def test_sequences_and_slices(library):
    """Logits of sequences, shifted by one as those of a language model, without a copy."""
    x, labels = made("normal", 40, 64)
    x, labels = x.reshape(4, 10, 64), labels.reshape(4, 10)
    for every in (False, True):
        whole, shifted, flat = Accumulator(), Accumulator(), Accumulator()
        whole.add_logits(given(library, x), given(library, labels), every)
        shifted.add_logits(given(library, x)[:, :-1], given(library, labels)[:, 1:], every)
        flat.add_logits(
            given(library, x[:, :-1].reshape(-1, 64)),
            given(library, labels[:, 1:].ravel()),
            every,
        )
        assert whole.n == 40 * (64 if every else 1)
        assert shifted.pairs() == flat.pairs()


@NO_TORCH
@pytest.mark.parametrize("columns", [slice(3, None), slice(None, None, 2)])
def test_columns_that_are_not_aligned(columns):
    import torch

    x, labels = made("normal", 8)
    labels %= 100
    for device in ["cpu"] + ["cuda"] * torch.cuda.is_available():
        found, wanted = Accumulator(), Accumulator()
        logits = torch.from_numpy(x).to(device, torch.bfloat16)
        gold = torch.from_numpy(labels).to(device)
        found.add_logits(logits[:, columns], gold, every=True)
        wanted.add_logits(logits[:, columns].clone(), gold, every=True)
        assert found.n == wanted.n == logits[:, columns].numel()
        q = softmax(x[:, columns], axis=1)
        assert total(found.pairs())[2] == pytest.approx(q.sum(), rel=ROUNDING)
        assert total(found.pairs()) == pytest.approx(total(wanted.pairs()), rel=ROUNDING)


@pytest.mark.parametrize(
    ("logits", "labels", "message"),
    [
        (np.zeros(3), np.zeros(3, int), "column for each"),
        (np.zeros((3, 1)), np.zeros(3, int), "at least two"),
        (np.zeros((3, 2)), np.zeros(2, int), r"shape \(3,\)"),
        (np.zeros((3, 2)), np.zeros(3), "labels must hold whole numbers"),
        (np.zeros((3, 2), int), np.zeros(3, int), "logits must hold floating-point numbers"),
    ],
)
def test_types_and_shapes(logits, labels, message):
    with pytest.raises(InputError, match=message):
        Accumulator().add_logits(logits, labels)
