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
BLOCK = 1 << 20  # pairs at a time: temporary arrays stay in the cache


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
    count: NDArray[np.int64]
    place: NDArray[np.int64]


class Softmax(NamedTuple):
    """The probabilities of rows of logits; r is q, but 1 − q for a top label above ½."""

    r: Array
    top: Array
    upper: Array
    sound: Array


class Sums:
    """Sums of numpy arrays, or of cupy arrays where torch is missing."""

    block = BLOCK

    def __init__(self, grid: Grid, like: Array) -> None:
        self.grid = grid
        self.xp = self._module(like)
        self.device = device_of(like)
        self.state = self._zeros(like, (2, grid.slots + len(Aside)), self.xp.int64)
        self.examples = self._zeros(like, (len(Aside),), self.xp.float64)

    def _module(self, like: Array) -> Any:  # noqa: ANN401
        return import_module(library_of(like))

    def _zeros(self, like: Array, shape: tuple[int, ...], dtype: Any) -> Array:  # noqa: ANN401
        return self.xp.zeros(shape, dtype)

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
        why = xp.where(soft.sound, Aside.NOWHERE, Aside.ROW)
        why = xp.where(known, why, Aside.LABEL)
        why = xp.where(labels == IGNORED, Aside.SKIPPED, why)
        self._note(Aside.LABEL, why == Aside.LABEL, labels)
        cell, place = self.grid.place(xp, soft.r, soft.upper)
        begin = 0 if fold is None else fold * self.grid.cells
        kept = why == Aside.NOWHERE
        if every:
            column = xp.arange(logits.shape[1], **self._there())
            slot = 2 * ((begin if fold is None else begin[:, None]) + cell)
            slot = slot + (column[None, :] == labels[:, None])
            aside = self.grid.slots + Aside.NOWHERE
            slot = xp.where(kept[:, None], slot, aside).reshape(-1)
            self._deposit(slot, xp.where(kept[:, None], place, 0).reshape(-1))
            self._deposit(self.grid.slots + why, xp.zeros_like(why))
        else:
            slot = 2 * (begin + cell) + (soft.top == labels)
            self._deposit(
                xp.where(kept, slot, self.grid.slots + why), xp.where(kept, place, 0)
            )

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
        """How to make an array on this device."""
        return {}

    def _parts(self, rows: int, columns: int = 1) -> Iterator[slice]:
        size = max(1, self.block // max(1, columns))
        return (slice(start, start + size) for start in range(0, rows, size))

    def _note(self, why: Aside, bad: Array, values: Array) -> None:
        """Remember one of the bad values, without asking the device whether there is one."""
        xp = self.xp
        first = xp.argmax(xp.asarray(bad, dtype=xp.int8))
        found = xp.asarray(values[first], dtype=xp.float64)
        self.examples[why] = xp.where(bad[first], found, self.examples[why])

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
        slot, count, place = (xp.asarray(each, **there) for each in filled)
        self.state[0, slot] += count
        self.state[1, slot] += place
        self.state[0, self.grid.slots + Aside.SKIPPED] += skipped

    def join(self, other: "Sums") -> None:
        """Add everything of another state of the same grid, library and device."""
        other.settle()
        self.state += other.state
        self.examples += other.examples

    @property
    def library(self) -> str:
        """The library of the arrays."""
        return library_of(self.state)

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
