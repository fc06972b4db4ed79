"""Arrays that come in: which library and device they belong to; types and shapes checked at once.

Values are not looked at: that would make a GPU wait for every batch.
"""

import sys
from typing import Any, NamedTuple

import numpy as np

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.tensors.cells import Array
from calibrant.tensors.sums import device_of

KINDS = {"f": "floating-point numbers", "i": "whole numbers", "b": "booleans"}


class PairBatch(NamedTuple):
    """Flat arrays of one library on one device."""

    y: Array
    q: Array
    group: Array | None


class RowBatch(NamedTuple):
    """A matrix of logits, with the label and the group of each row."""

    logits: Array
    labels: Array
    group: Array | None


def pair_batch(y: object, q: object, group: object) -> PairBatch:
    """Check the arrays of `add`: shapes that agree, numbers of the right kind."""
    predictions = native(q, "q")
    observations = beside(predictions, y, "y")
    if kind_of(predictions) != "f":
        raise InputError(
            f"q must hold floating-point numbers, but it holds {_types(predictions)}. The "
            "arguments are add(y, q): observations first."
        )
    _check_kind(observations, "y", "bif")
    _check_shape(observations, "y", predictions, "q")
    label = None if group is None else _groups(predictions, group, predictions.shape, "q")
    return PairBatch(observations.reshape(-1), predictions.reshape(-1), label)


def row_batches(logits: object, labels: object, group: object) -> list[RowBatch]:
    """Check the arrays of `add_logits`: a label for each row, and at least two columns."""
    x = native(logits, "logits")
    _check_kind(x, "logits", "f")
    if x.ndim < 2 or x.shape[-1] < 2:
        raise InputError(
            "logits must have a row per item and a column for each of at least two labels, but "
            f"their shape is {tuple(x.shape)}."
        )
    gold = beside(x, labels, "labels")
    _check_kind(gold, "labels", "i")
    if tuple(gold.shape) != tuple(x.shape[:-1]):
        raise InputError(
            f"labels must have one value for each row of logits, so the shape "
            f"{tuple(x.shape[:-1])}, but theirs is {tuple(gold.shape)}."
        )
    number = None if group is None else _groups(x, group, x.shape[:-1], "labels")
    return _matrices(x, _long(gold), None if number is None else number.reshape(gold.shape))


def _matrices(x: Array, labels: Array, group: Array | None) -> list[RowBatch]:
    """Matrices without a copy: a slice of a batch of sequences is one matrix per sequence."""
    if x.ndim == 2:
        return [RowBatch(x, labels, group)]
    whole = x.is_contiguous() if is_tensor(x) else x.flags.c_contiguous
    if whole:
        flat = None if group is None else group.reshape(-1)
        return [RowBatch(x.reshape(-1, x.shape[-1]), labels.reshape(-1), flat)]
    parts = range(x.shape[0])
    return [
        each
        for i in parts
        for each in _matrices(x[i], labels[i], None if group is None else group[i])
    ]


def native(values: object, name: str) -> Array:
    """An array of torch, cupy or numpy, where it is; arrays of jax become tensors of torch."""
    given: Any = values
    if is_tensor(given):
        there = given.cpu() if given.device.type == "mps" else given  # which has no float64
        return there.detach().as_subclass(sys.modules["torch"].Tensor)
    if type(given).__module__.partition(".")[0] in ("cupy", "jax", "jaxlib"):
        return _handed_over(given, name)
    array = arrays.as_array(given, name)
    return array if array.size == 0 else arrays.numeric(array, name)


def is_tensor(values: object) -> bool:
    """Whether this is a tensor of torch, without importing torch."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def _handed_over(values: Any, name: str) -> Array:  # noqa: ANN401
    """The same memory as a tensor; without torch, cupy is kept, and jax is copied to numpy."""
    torch = _torch()
    on_cpu = hasattr(values, "platform") and values.platform() == "cpu"
    if torch is not None and (on_cpu or torch.cuda.is_available()):
        return torch.from_dlpack(values)
    return values if hasattr(values, "get") else arrays.as_array(values, name)


def _torch() -> Any:  # noqa: ANN401
    try:
        import torch
    except ImportError:
        return None
    return torch


def beside(first: Array, values: object, name: str) -> Array:
    """An array of the same library and on the same device as the first."""
    array = native(values, name)
    if is_tensor(first) and isinstance(array, np.ndarray) and device_of(first) == "cpu":
        array = _torch().from_numpy(np.ascontiguousarray(array))
    if is_tensor(first) != is_tensor(array) or device_of(array) != device_of(first):
        raise InputError(
            f"All arrays of a batch must be on one device, but {name} is on {device_of(array)} "
            f"and the predictions are on {device_of(first)}. Move {name} there."
        )
    return array


def kind_of(array: Array) -> str:
    """The kind of its numbers, a key of `KINDS`; ? for others."""
    if not is_tensor(array):
        kind = array.dtype.kind
        return {"u": "i"}.get(kind, kind) if kind in "fiub" else "?"
    if array.is_complex():
        return "?"
    if array.is_floating_point():
        return "f"
    return "b" if "bool" in str(array.dtype) else "i"


def _types(array: Array) -> str:
    return f"{str(array.dtype).removeprefix('torch.')} values"


def _check_kind(array: Array, name: str, kinds: str) -> None:
    if kind_of(array) not in kinds:
        wanted = " or ".join(KINDS[each] for each in kinds)
        raise InputError(f"{name} must hold {wanted}, but it holds {_types(array)}.")


def _check_shape(array: Array, name: str, first: Array, other: str) -> None:
    if tuple(array.shape) != tuple(first.shape):
        raise InputError(
            f"{name} and {other} must have the same shape, but {name} has {tuple(array.shape)} "
            f"and {other} has {tuple(first.shape)}."
        )


def _groups(first: Array, group: object, shape: tuple[int, ...], like: str) -> Array:
    """The numbers of the groups: flat, as 64-bit integers."""
    if isinstance(group, np.ndarray | list | tuple) and np.asarray(group).dtype.kind in "USTO":
        raise InputError(
            "group must hold whole numbers here, but it holds text. Number the groups first, "
            "such as with numpy.unique(group, return_inverse=True)[1]."
        )
    number = beside(first, group, "group")
    _check_kind(number, "group", "i")
    if tuple(number.shape) != tuple(shape):
        raise InputError(
            f"group must have the shape of {like}, {tuple(shape)}, but its shape is "
            f"{tuple(number.shape)}."
        )
    if "uint64" in str(number.dtype):
        raise InputError("group must hold signed integers, but it holds uint64 values.")
    return _long(number.reshape(-1))


def _long(array: Array) -> Array:
    return array.long() if is_tensor(array) else array.astype("int64", copy=False)
