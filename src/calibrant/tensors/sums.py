"""The sums of each slot, on the device of the predictions; here for numpy, cupy and plain torch.

The state is one array of integers: row 0 counts the pairs of a slot, row 1 adds up their places in
the cell. Integers add up to the same sum in any order, so devices and processes agree exactly.
The last slots count what was refused or skipped, because looking at each batch would stall a GPU.
"""

from collections.abc import Iterator
from enum import IntEnum
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.tensors.cells import Array, Grid

IGNORED = -100  # the label of positions without an answer, as in torch and transformers
BLOCK = 1 << 16  # pairs at a time: temporary arrays stay in the cache
DEVICE_BLOCK = 1 << 24  # on a GPU: few launches, 128 MB for a temporary array


class Aside(IntEnum):
    """Slots after those of the cells: what was left out, and why."""

    Q = 0  # q outside [0, 1]
    Y = 1  # y neither 0 nor 1
    LABEL = 2  # a label without a logit
    ROW = 3  # logits without probabilities
    SKIPPED = 4  # rows whose label is IGNORED
    NOWHERE = 5  # the pairs of rows that were left out


class Filled(NamedTuple):
    """The slots that hold pairs, with their sums, as numpy arrays."""

    slot: NDArray[np.int64]
    many: NDArray[np.int64]
    place: NDArray[np.int64]


class Softmax(NamedTuple):
    """The probabilities of rows of logits; r is q, but 1 − q for a top label above ½."""

    r: Array
    top: Array
    upper: Array
    sound: Array


class Sums:
    """Sums of numpy arrays, or of cupy arrays where torch is missing."""

    def __init__(self, grid: Grid, like: Array) -> None:
        self.grid = grid
        self.library = library_of(like)
        self.device = device_of(like)
        self.block = BLOCK if self.device == "cpu" else DEVICE_BLOCK
        self.state = self._zeros((2, grid.slots + len(Aside)), "int64")
        self.examples = self._zeros((len(Aside),), "float64")

    @property
    def xp(self) -> Any:  # noqa: ANN401
        """The module of the arrays; not stored, so that sums can be copied."""
        return import_module(self.library)

    def _zeros(self, shape: tuple[int, ...], dtype: str) -> Array:
        return self.xp.zeros(shape, dtype=getattr(self.xp, dtype), **self._there())

    def settle(self) -> None:
        """Bring the state up to date, where sums are kept elsewhere for a while."""

    def add(self, y: Array, q: Array, group: Array | None) -> None:
        """Add pairs: flat arrays of equal length."""
        xp = self.xp
        for part in self._parts(q.shape[0], 1):
            exact = xp.asarray(q[part], dtype=xp.float64)
            upper = exact > 0.5
            cell, place = self.grid.place(xp, xp.where(upper, 1 - exact, exact), upper)
            yes = y[part] == 1
            fold = 0 if group is None else self.grid.fold(xp, group[part])
            slot = 2 * (fold * self.grid.cells + cell) + yes
            bad_y = ~(yes | (y[part] == 0))
            bad_q = ~((exact >= 0) & (exact <= 1))
            slot = xp.where(bad_y, self.grid.slots + Aside.Y, slot)
            slot = xp.where(bad_q, self.grid.slots + Aside.Q, slot)
            self._note(Aside.Q, bad_q, exact)
            self._note(Aside.Y, bad_y & ~bad_q, y[part])
            self._deposit(slot, xp.where(bad_y | bad_q, 0, place))

    def add_logits(self, logits: Array, labels: Array, every: bool, group: Array | None) -> None:
        """Add rows of logits: the top label of each, or every label."""
        for part in self._parts(*logits.shape):
            fold = None if group is None else self.grid.fold(self.xp, group[part])
            self._add_rows(logits[part], labels[part], every, fold)

    def _add_rows(self, logits: Array, labels: Array, every: bool, fold: Array | None) -> None:
        xp = self.xp
        soft = self._softmax(logits, every)
        known = (labels >= 0) & (labels < logits.shape[1])
        why = xp.where(soft.sound, int(Aside.NOWHERE), int(Aside.ROW))
        why = xp.where(known, why, int(Aside.LABEL))
        why = xp.where(labels == IGNORED, int(Aside.SKIPPED), why)
        kept = why == int(Aside.NOWHERE)
        self._note(Aside.LABEL, why == int(Aside.LABEL), labels)
        cell, place = self.grid.place(xp, soft.r, soft.upper)
        first = xp.zeros_like(labels) if fold is None else fold * self.grid.cells
        aside = self.grid.slots + why
        if not every:
            slot = 2 * (first + cell) + (soft.top == labels)
            self._deposit_kept(kept, slot, place, aside)
            return
        column = xp.arange(logits.shape[1], **self._there())
        slot = 2 * (first[:, None] + cell) + (column[None, :] == labels[:, None])
        self._deposit_kept(kept[:, None], slot, place, aside[:, None])

    def _deposit_kept(self, kept: Array, slot: Array, place: Array, aside: Array) -> None:
        """Add the pairs of rows that are kept; count the other rows once each."""
        xp = self.xp
        nowhere = self.grid.slots + Aside.NOWHERE
        self._deposit(
            xp.where(kept, slot, nowhere).reshape(-1), xp.where(kept, place, 0).reshape(-1)
        )
        self._deposit(aside.reshape(-1), xp.zeros_like(aside).reshape(-1))

    def _softmax(self, logits: Array, every: bool) -> Softmax:
        """Probabilities in single precision (double for doubles), without 1 − q losing digits."""
        xp = self.xp
        with np.errstate(invalid="ignore"):  # infinities and NaN are counted
            x = xp.asarray(logits, dtype=xp.float64 if "64" in str(logits.dtype) else xp.float32)
            top, peak = xp.argmax(x, 1), xp.amax(x, 1)
            row = xp.arange(x.shape[0], **self._there())
            power = xp.exp(x - peak[:, None])
            power[row, top] = 0
            others = power.sum(1)
            sound = xp.isfinite(peak) & xp.isfinite(others)
            upper = others < 1
            r = xp.where(upper, others, 1) / (1 + others)
            if not every:
                return Softmax(r, top, upper, sound)
            power /= 1 + others[:, None]
            power[row, top] = r
            column = xp.arange(x.shape[1], **self._there())
            above = (column[None, :] == top[:, None]) & upper[:, None]
            return Softmax(power, top, above, sound)

    def _there(self) -> dict[str, Any]:
        """What to tell functions that make an array, so that they make it on this device."""
        return {}

    def _parts(self, rows: int, columns: int = 1) -> Iterator[slice]:
        size = max(1, self.block // max(1, columns))
        return (slice(start, start + size) for start in range(0, rows, size))

    def _note(self, why: Aside, bad: Array, values: Array) -> None:
        """Remember one of the bad values, without asking the device whether there is one."""
        xp = self.xp
        first = xp.argmax(xp.asarray(bad, dtype=xp.int8))
        found = xp.asarray(xp.take(values, first), dtype=xp.float64)
        self.examples[why] = xp.where(xp.take(bad, first), found, self.examples[why])

    def _deposit(self, slot: Array, place: Array) -> None:
        self.xp.add.at(self.state[0], slot, 1)
        self.xp.add.at(self.state[1], slot, place)

    def filled(self) -> Filled:
        """The slots that hold pairs; the device is read."""
        self.settle()
        counts, places = self.state[:, : self.grid.slots]
        slot = self.xp.where(counts != 0)[0]
        return Filled(*(self.to_host(each) for each in (slot, counts[slot], places[slot])))

    def aside(self) -> NDArray[np.int64]:
        """What was left out, by reason; the device is read."""
        self.settle()
        counted: NDArray[np.int64] = self.to_host(self.state[0, self.grid.slots :])
        return counted

    def count(self) -> int:
        """The number of pairs; the device is read."""
        self.settle()
        return int(self.state[0, : self.grid.slots].sum())

    def to_host(self, array: Array) -> NDArray[Any]:
        """A numpy array of the same numbers."""
        return array if isinstance(array, np.ndarray) else np.asarray(array.get())

    def take_in(self, filled: Filled, skipped: int) -> None:
        """Add the sums of slots, each listed once."""
        xp, there = self.xp, self._there()
        slot, many, place = (xp.asarray(each, **there) for each in filled)
        self.state[0, slot] += many
        self.state[1, slot] += place
        self.state[0, self.grid.slots + Aside.SKIPPED] += skipped

    def join(self, other: "Sums") -> None:
        """Add everything of another state of the same grid, library and device."""
        other.settle()
        self.state += other.state
        self.examples += other.examples

    def holds(self, like: Array) -> bool:
        """Whether the sums are of the same library and on the same device."""
        return library_of(like) == self.library and device_of(like) == self.device


def library_of(array: Array) -> str:
    """The library of an array: numpy, cupy or torch."""
    return type(array).__module__.partition(".")[0]


def device_of(array: Array) -> str:
    """The device of an array, in words."""
    library = library_of(array)
    if library == "numpy":
        return "cpu"
    return f"cuda:{array.device.id}" if library == "cupy" else str(array.device)
