"""Slots: the numbers of groups, or of folds if there are too many groups, as rows come in."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.kernels.pairs.folds import MOST, find_labels, fold_labels
from calibrant.pairs.cell_sums import CellSums
from calibrant.pairs.summary_size import MOST_GROUPS, finest_bits

if TYPE_CHECKING:
    import polars

Int = NDArray[np.int64]
KNOWN_TEXTS = 1 << 22  # labels whose fold is remembered, because MD5 is slow
ROOM = 2  # places in a table of labels for every label


class Known:
    """A table of labels, each with a number in the order of appearance."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._label = np.zeros(ROOM * most, np.int64)
        self._code = np.full(ROOM * most, -1, np.int64)

    def number(self, label: Int, first: int, code: Int) -> int:
        """Write the numbers of labels from row `first` on; return the first row without room."""
        stopped, self.count = find_labels(
            label, self._label, self._code, self.count, self.most, first, code
        )
        return int(stopped)


class Slots:
    """Gives every row a slot: the number of its group, or its fold.

    Groups are kept until there are too many of them. Then they are folded, those of earlier rows
    too.
    """

    def __init__(self, folds: int | None) -> None:
        self.folds = folds
        self.labels: list[object] = []  # the group of each slot, unless groups are folded
        self.kind: str | None = None  # of all labels so far: "integers" or "text"
        self.mixed = False  # whether labels of both kinds have been seen
        self._known = Known(MOST_GROUPS)
        self._texts = TextFolds()

    def number(self, group: "polars.Series", sums: CellSums) -> Int:
        """The slot of each row; may fold the rows that `sums` holds."""
        kind = "integers" if group.dtype.is_integer() else "text"
        self.mixed = self.mixed or self.kind not in (None, kind)
        self.kind = kind
        if self.folds is None:
            slot = self._given(group)
            if slot is not None:
                sums.coarsen_to(min(sums.bits, finest_bits(len(self.labels), sums.most)))
                return slot
            self._fold(sums)
        assert self.folds is not None
        if self.mixed:
            raise InputError(
                "Some groups are integers and others are text, so that equal labels would have "
                "different folds: store groups as one type in all files (those in CSV are text)."
            )
        return self._folded(group, self.folds)

    def order(self) -> Int | None:
        """The place of each slot in the order of labels; None if slots are in order."""
        if self.folds is not None or not self.labels:
            return None
        place = np.empty(len(self.labels), np.int64)
        place[np.argsort(_as_array(self.labels))] = np.arange(place.size)
        return place

    def groups(self, slot: Int) -> NDArray[np.generic]:
        """The group of rows with these slots: a label, or the number of a fold."""
        return slot if self.folds is not None else _as_array(self.labels)[slot]

    def _given(self, group: "polars.Series") -> Int | None:
        """Numbers of the groups; None if there are too many."""
        code = np.empty(group.len(), np.int64)
        before = self._known.count
        if self._known.number(_as_integers(group), 0, code) < code.size:
            return None
        self.labels += [group[int(row)] for row in _appearances(code, before)]
        return code

    def _fold(self, sums: CellSums) -> None:
        """Fold the groups so far into as many sets as there may be."""
        self.folds = MOST_GROUPS
        if self.labels:
            sums.relabel(fold_labels(_as_array(self.labels), self.folds))
        sums.coarsen_to(min(sums.bits, finest_bits(self.folds, sums.most)))
        self.labels = []

    def _folded(self, group: "polars.Series", folds: int) -> Int:
        if group.dtype.is_integer():
            return fold_labels(group.to_numpy(), folds)
        return self._texts.fold(group) // (MOST // folds)


class TextFolds:
    """Folds of text, remembered for a few million labels."""

    def __init__(self) -> None:
        self._known: Known | None = None  # takes memory, so it waits for the first text

    def _forget(self) -> None:
        self._known = Known(KNOWN_TEXTS)
        self._fold = np.zeros(0, np.int64)

    def fold(self, group: "polars.Series") -> Int:
        """The fold of each text."""
        label, code = _as_integers(group), np.empty(group.len(), np.int64)
        fold = np.empty(group.len(), np.int64)
        if self._known is None:
            self._forget()
        first = 0
        while first < code.size:
            assert self._known is not None
            stopped = self._known.number(label, first, code)
            part = code[first:stopped]
            rows = first + _appearances(part, self._fold.size)
            texts = group.gather(rows).to_numpy()
            self._fold = np.concatenate([self._fold, fold_labels(texts)])
            fold[first:stopped] = self._fold[part]
            if stopped < code.size:
                self._forget()
            first = stopped
        return fold


def _as_array(labels: list[object]) -> NDArray[np.generic]:
    """Labels as integers if all of them are, else as text."""
    if not all(isinstance(each, int) for each in labels):
        return np.array([str(each) for each in labels])
    try:
        return np.array(labels, np.int64)
    except OverflowError:
        return np.array(labels, np.uint64)


def _as_integers(group: "polars.Series") -> Int:
    """Integers that tell groups apart: the labels, or hashes of text."""
    whole = group if group.dtype.is_integer() else group.hash()
    return whole.to_numpy().astype(np.int64, copy=False)


def _appearances(code: Int, before: int) -> Int:
    """The rows in which codes from `before` on appear first; codes appear in ascending order."""
    highest = np.maximum.accumulate(np.concatenate([[before - 1], code]))
    return np.flatnonzero(np.diff(highest) > 0)
