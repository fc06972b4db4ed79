"""Accumulated pairs are those of `Pairs.compress`, on every library and device."""

import copy

import numpy as np
import pytest
from made_tensors import NO_CUDA, NO_TORCH, given

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.tensors import Accumulator


def sample(seed=0, size=20_000):
    rng = np.random.default_rng(seed)
    q = np.concatenate(
        [rng.random(size), 10 ** rng.uniform(-25, -3, size), 1 - 10 ** rng.uniform(-7, -3, size)]
    ).astype(np.float32)
    q[:30] = np.repeat([0, 1, 0.5], 10)
    return (rng.random(q.size) < q).astype(np.uint8), q


def filled(library, y, q, **options):
    accumulator = Accumulator(**options)
    for part in np.array_split(np.arange(q.size), 3):
        accumulator.add(given(library, y[part]), given(library, q[part]))
    return accumulator


def test_all_libraries_agree_with_compress(library):
    y, q = sample()
    y, q = y[(q == 0) | (q > 1e-19)], q[(q == 0) | (q > 1e-19)]
    found, wanted = filled(library, y, q).pairs(), cb.Pairs(y, q).compress(bits=10)
    assert (found.weight == wanted.weight).all()
    assert np.allclose(found.y, wanted.y, rtol=1e-15)
    assert np.allclose(found.q, wanted.q, rtol=1e-15, atol=2.0**-64)
    assert np.allclose(found.moments.cross, wanted.moments.cross, rtol=1e-14, atol=2.0**-64)


def test_all_libraries_agree_exactly(library):
    y, q = sample(1)
    assert filled(library, y, q).pairs() == filled("numpy", y, q).pairs()


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_precisions_agree_exactly(library, dtype):
    if library.startswith("jax") and dtype == np.float64:
        pytest.skip("jax has double precision only if asked for it")
    y, q = sample(2)
    q = q.astype(dtype) * dtype(0.9)
    assert filled(library, y, q).pairs() == filled("numpy", y, q).pairs()


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.int64, np.float32, np.float64])
def test_types_of_y(library, dtype):
    y, q = sample(3, 1000)
    assert filled(library, y.astype(dtype), q).pairs() == filled("numpy", y, q).pairs()


def test_every_number_of_bits(library):
    y, q = sample(4, 2000)
    for bits in range(11):
        found = filled(library, y, q, bits=bits).pairs()
        assert found == filled("numpy", y, q, bits=bits).pairs()
        assert found.n == q.size


@pytest.mark.parametrize("bits", [3, 6, 10])
def test_brier_keeps_its_bound(bits):
    rng = np.random.default_rng(5)
    q = np.concatenate([rng.random(50_000), [0.25, np.nextafter(0.25 + 2.0 ** -(bits + 2), 0)] * 9])
    y = rng.random(q.size) < q
    lost = cb.Brier()(cb.Pairs(y, q)) - cb.Brier()(filled("numpy", y, q, bits=bits).pairs())
    assert -1e-14 < lost < 2.0 ** (-2 * bits - 6)
    assert lost > 2.0 ** (-2 * bits - 12)  # the bound is not idle


def test_scores_are_those_of_compressed_pairs():
    y, q = sample(6)
    found, wanted = filled("numpy", y, q).pairs(), cb.Pairs(y, q).compress(bits=10)
    for name in ("CalibScore()", "ECE()", "LogLoss()"):
        assert cb.score(found, name, interval=None).value == pytest.approx(
            cb.score(wanted, name, interval=None).value, rel=1e-12
        )


def test_groups_become_folds(library):
    y, q = sample(7)
    group = np.arange(q.size) // 20 - 500
    accumulator = Accumulator(bits=4, folds=32)
    accumulator.add(given(library, y), given(library, q), given(library, group))
    pairs = accumulator.pairs()
    fold = accumulator._grid.fold(np, group)
    assert pairs.groups == 32
    for each in range(32):
        mine, wanted = pairs.group == each, fold == each
        assert pairs.weight[mine].sum() == wanted.sum()
        assert (pairs.weight * pairs.y)[mine].sum() == pytest.approx(y[wanted].sum())
        total = (pairs.weight * pairs.q)[mine].sum()
        assert total == pytest.approx(q[wanted].sum(dtype=np.float64), rel=1e-12)


def test_small_groups_of_other_types(library):
    y, q, group = np.array([0, 1]), np.array([0.25, 0.5]), np.array([-3, 7], np.int8)
    accumulator = Accumulator(bits=2, folds=2)
    accumulator.add(*(given(library, each) for each in (y, q, group)))
    wanted = Accumulator(bits=2, folds=2)
    wanted.add(y, q, group.astype(np.int64))
    assert accumulator.pairs() == wanted.pairs()


def test_default_bits_fit_into_memory():
    assert [Accumulator(folds=each).bits for each in (None, 64, 1024, 4096)] == [10, 10, 7, 5]


@pytest.mark.parametrize("wrong", [1.5, -0.25, np.nan, np.inf])
def test_wrong_predictions_are_raised_at_the_end(library, wrong):
    y, q = sample(8, 100)
    q[[5, 17]] = wrong
    accumulator = filled(library, y, q)
    for act in (
        accumulator.pairs,
        accumulator.state_dict,
        lambda: Accumulator().merge(accumulator),
    ):
        with pytest.raises(InputError, match=rf"2 values of q do not \({wrong:g} for example\)"):
            act()
    assert accumulator.n == q.size - 2


def test_wrong_observations_are_raised_at_the_end(library):
    y, q = sample(9, 100)
    y[7] = 3
    with pytest.raises(InputError, match=r"1 value of y is not \(3 for example\)"):
        filled(library, y, q).pairs()
    y = y.astype(np.float32)
    y[7] = np.nan
    with pytest.raises(InputError, match=r"1 value of y is not \(nan for example\)"):
        filled(library, y, q).pairs()


def test_advice_comes_with_the_error():
    accumulator = Accumulator()
    accumulator.add([0, 1], [55.0, 80.0])
    with pytest.raises(InputError, match="percentages"):
        accumulator.pairs()


def test_merging_is_adding(library):
    y, q = sample(10)
    one, other = filled(library, y[::2], q[::2]), filled("numpy", y[1::2], q[1::2])
    one.merge(other)
    one.merge(Accumulator())
    assert one.pairs() == filled("numpy", y, q).pairs()
    empty = Accumulator()
    empty.merge(one)
    assert empty.pairs() == one.pairs()
    one.add(given(library, y[:100]), given(library, q[:100]))
    assert one.n == q.size + 100


def test_only_like_accumulators_merge():
    with pytest.raises(InputError, match="bits=10, folds=2 "):
        Accumulator(bits=10, folds=2).merge(Accumulator(bits=9))


def test_checkpoints(library):
    y, q = sample(11)
    whole = filled(library, y, q)
    begun = filled(library, y[:100], q[:100])
    resumed = Accumulator()
    resumed.load_state_dict(begun.state_dict())
    assert resumed.pairs() == begun.pairs()
    resumed.add(given(library, y[100:]), given(library, q[100:]))
    assert resumed.pairs() == whole.pairs()


def test_copies(library):
    y, q = sample(17, 100)
    accumulator = filled(library, y, q)
    copied = copy.deepcopy(accumulator)
    copied.add(given(library, y), given(library, q))
    assert (accumulator.n, copied.n) == (q.size, 2 * q.size)


def test_checkpoints_keep_what_was_skipped():
    accumulator = Accumulator()
    accumulator.add_logits(np.eye(3), np.array([0, -100, -100]))
    resumed = Accumulator()
    resumed.load_state_dict(accumulator.state_dict())
    assert (resumed.skipped, resumed.n) == (2, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bits": 9}, "bits=9"),
        ({"folds": 2}, "folds=2"),
        ({"sums": np.zeros((2, 3), np.int64)}, "damaged"),
        ({"sums": np.zeros((3, 3))}, "damaged"),
        ({"sums": np.array([[5, 4], [1, 1], [0, 0]])}, "damaged"),
        ({"sums": np.array([[4, 4], [1, 1], [0, 0]])}, "damaged"),
        ({"sums": np.array([[4], [0], [0]])}, "damaged"),
        ({"sums": np.array([[4], [1], [2**25]])}, "damaged"),
        ({"sums": np.array([[4], [1], [-1]])}, "damaged"),
        ({"sums": np.array([[2**40], [1], [0]])}, "damaged"),
        ({"skipped": -1}, "skipped"),
    ],
)
def test_damaged_checkpoints_are_refused(change, message):
    state = filled("numpy", *sample(12, 50)).state_dict()
    with pytest.raises(ValueError, match=message):
        Accumulator().load_state_dict(state | change)


def test_incomplete_checkpoints_are_refused():
    with pytest.raises(InputError, match="'folds'"):
        Accumulator().load_state_dict({"bits": 10})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0.5]), "same shape"),
        (([0.2, 0.3], [0, 1]), "observations first"),
        (([1 + 2j, 0], [0.5, 0.5]), "y must hold numbers"),
        ((["a", "b"], [0.5, 0.5]), "y must hold numbers"),
        (([0, 1], ["a", "b"]), "q must hold numbers"),
    ],
)
def test_types_and_shapes_are_checked_at_once(arguments, message):
    with pytest.raises(InputError, match=message):
        Accumulator().add(*arguments)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        (["a", "b"], "Number the groups first"),
        ([0.0, 1.0], "whole numbers"),
        ([1], "shape"),
        (np.array([1, 2], np.uint64), "uint64"),
        (None, "needs a group"),
    ],
)
def test_groups_are_checked_at_once(group, message):
    with pytest.raises(InputError, match=message):
        Accumulator(folds=2).add([0, 1], [0.5, 0.5], group)


def test_groups_need_folds():
    with pytest.raises(ParameterError, match="folds=4096"):
        Accumulator().add([0, 1], [0.5, 0.5], [1, 2])


@pytest.mark.parametrize("options", [{"bits": 11}, {"bits": -1}, {"folds": 3}, {"folds": 8192}])
def test_wrong_parameters(options):
    with pytest.raises(ParameterError):
        Accumulator(**options)


def test_nothing_was_added():
    accumulator = Accumulator()
    accumulator.add(np.array([], bool), np.array([], np.float32))
    assert (len(accumulator), repr(accumulator)) == (0, "Accumulator(bits=10: 0 pairs)")
    with pytest.raises(InputError, match="none was added"):
        accumulator.pairs()


def test_any_shape(library):
    y, q = sample(13, 100)
    accumulator = Accumulator()
    accumulator.add(given(library, y.reshape(30, -1).T), given(library, q.reshape(30, -1).T))
    assert accumulator.pairs() == filled("numpy", y, q).pairs()


@NO_TORCH
def test_one_library_at_a_time():
    import torch

    accumulator = filled("numpy", *sample(14, 10))
    with pytest.raises(InputError, match=r"cpu \(numpy\).* cpu \(torch\)"):
        accumulator.add(torch.tensor([1]), torch.tensor([0.5]))


@NO_TORCH
def test_half_precision_of_tensors():
    import torch

    q = torch.rand(1000, generator=torch.Generator().manual_seed(0)).bfloat16()
    accumulator, wanted = Accumulator(), Accumulator()
    accumulator.add(torch.ones(1000), q.requires_grad_())
    wanted.add(np.ones(1000), q.detach().float().numpy())
    assert accumulator.pairs() == wanted.pairs()


@NO_CUDA
def test_other_devices_are_refused():
    import torch

    accumulator = Accumulator()
    with pytest.raises(InputError, match="y is on cpu and the predictions are on cuda:0"):
        accumulator.add([1], torch.tensor([0.5], device="cuda"))


@NO_CUDA
@pytest.mark.parametrize("folds", [None, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_ties_within_a_warp(folds, dtype):
    rng = np.random.default_rng(16)
    q = rng.choice([0, 1, 0.37, 0.3701, 0.99, 1e-9], 100_001).astype(dtype)
    y = rng.random(q.size) < 0.5
    group = () if folds is None else (np.arange(q.size) % 5,)
    found, wanted = Accumulator(folds=folds), Accumulator(folds=folds)
    found.add(*(given("cuda", each) for each in (y, q, *group)))
    wanted.add(y, q, *group)
    assert found.pairs() == wanted.pairs()


@NO_CUDA
def test_packed_counts_do_not_overflow():
    """More pairs of one cell than a packed count holds, in one batch and in many."""
    import torch

    size = (1 << 20) + 12_345  # at 0 bits a packed count has 20 bits
    q = torch.full((size,), float(np.nextafter(np.float32(0.5), np.float32(0))), device="cuda")
    y = torch.ones(size, dtype=torch.bool, device="cuda")
    accumulator = Accumulator(bits=0)
    for _ in range(3):
        accumulator.add(y, q)
    for part in torch.split(q, 300_000):
        accumulator.add(y[: part.numel()], part)
    pairs = accumulator.pairs()
    assert (pairs.weight.tolist(), pairs.y.tolist()) == ([4.0 * size], [1.0])
    assert pairs.q[0] == float(q[0])


@NO_CUDA
@pytest.mark.filterwarnings("ignore:Synchronization debug mode")
def test_adding_does_not_wait_for_the_device():
    import torch

    y, q = (given("cuda", each) for each in sample(15))
    logits, labels = torch.randn(10, 50, device="cuda"), torch.zeros(10, device="cuda").long()
    accumulator = Accumulator()
    accumulator.add(y, q)
    accumulator.add_logits(logits, labels)
    torch.cuda.set_sync_debug_mode("error")
    try:
        accumulator.add(y, q)
        accumulator.add_logits(logits, labels)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert accumulator.n == 2 * (q.numel() + 10)


def test_only_accumulators_are_merged():
    made = Accumulator()
    made.add(np.array([0, 1]), np.array([0.25, 0.75]))
    with pytest.raises(InputError, match="An Accumulator was expected, not Pairs: add pairs to"):
        made.merge(made.pairs())
