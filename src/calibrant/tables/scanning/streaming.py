"""Sum the rows of files and lazy frames, batch by batch, on all cores."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibrant.checks.arrays import advice
from calibrant.errors import FileError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.cell_sums import NO_GROUP, CellRows, CellSums, Faults, Sums
from calibrant.pairs.given_sums import rows_of_sums
from calibrant.pairs.rows import Moments, Rows
from calibrant.pairs.summary_size import FINEST, finest_bits
from calibrant.tables.checking import RULES
from calibrant.tables.columns import Columns
from calibrant.tables.scanning.batches import Batch
from calibrant.tables.scanning.slots import Slots

if TYPE_CHECKING:
    import polars

LARGEST_WEIGHT = 2.0**36  # times a part of a mantissa of 26 bits, it stays below 2^62
Place = Callable[[int], str]  # where a row of a file is: its line, or its number


@dataclass
class Stream:
    """The sums of all rows so far, and what was wrong with some of them."""

    columns: Columns
    slots: Slots
    sums: CellSums
    rows: int = 0
    wrong: int = 0
    first: str = ""  # the message about the first wrong row

    @property
    def grouped(self) -> bool:
        """Whether rows have groups."""
        return self.columns.group is not None

    def add_all(self, batches: Iterator[Batch], file: str, place: Place) -> Iterator[int]:
        """Add the rows of one file; yields how many it had so far."""
        done = 0
        for batch in batches:
            self._add(batch, partial(_place_in, file, place, done))
            done += batch.q.size
            yield done
        self.rows += done

    def pairs(self) -> Pairs:
        """The summary of all rows; raises an error if some were wrong."""
        if self.wrong:
            others = f" ({self.wrong} of {self.rows} rows are bad)" if self.wrong > 1 else ""
            raise FileError(self.first.format(others=others))
        if self.rows == 0:
            raise FileError("There are column names but no rows.")
        return self._as_pairs(self.sums.rows(self.slots.order()))

    def pairs_of(self, sums: Sums) -> Pairs:
        """The summary of rows that an engine has summed; no cell and slot occurs twice."""
        if sums.cell.size <= self.sums.most:
            return self._as_pairs(rows_of_sums(sums, self.sums.bits, self.slots.order()))
        self.sums.add_sums(sums)  # merges cells until they fit
        return self.pairs()

    def _as_pairs(self, found: CellRows) -> Pairs:
        rows = Rows(y=found.y, q=found.q, weight=found.weight, moments=found.moments)
        if self.grouped:
            folds, kind = self.slots.folds, self.slots.kind
            rows = rows._replace(
                group=self.slots.groups(found.slot),
                folds=folds,
                folded_from=None if folds is None else kind,
            )
        return Pairs._of(rows)

    def _add(self, batch: Batch, place: Place) -> None:
        slot = NO_GROUP
        if batch.group is not None:
            _refuse_missing(batch.group, place, str(self.columns.group))
            slot = self.slots.number(batch.group, self.sums)
        if batch.weight is None:
            faults = self.sums.add(batch.y, batch.q, slot)
        else:
            faults = self._add_weighted(batch, batch.weight, slot, place)
        if faults.many and not self.wrong:
            self.first = self._fault(batch, faults.first, place)
        self.wrong += faults.many

    def _add_weighted(
        self, batch: Batch, weight: np.ndarray, slot: np.ndarray, place: Place
    ) -> Faults:
        y, q = np.asarray(batch.y, np.float64), batch.q
        good = ((y == 0) | (y == 1)) & (q >= 0) & (q <= 1)
        whole = (weight == np.floor(weight)) & (weight > 0) & (weight < LARGEST_WEIGHT)
        if not whole.all():
            row = int(np.argmin(whole))
            raise UnsupportedError(
                f"{place(row)}, column {self.columns.weight}: weights must be whole numbers of at "
                f"least 1 to be summed in cells, but this one is {weight[row]:g}."
            )
        kept = np.flatnonzero(good)
        y, q, weight = y[kept], q[kept], weight[kept]
        moments = Moments(q * q, q * y)
        self.sums.add_means(y, q, weight, moments, slot if slot.size == 1 else slot[kept])
        return Faults(good.size - kept.size, int(np.argmin(good)))

    def _fault(self, batch: Batch, row: int, place: Place) -> str:
        """The message about a wrong row, with room for the number of others."""
        role = "q" if not 0 <= batch.q[row] <= 1 else "y"
        value = float((batch.q if role == "q" else batch.y)[row])
        name = getattr(self.columns, role)
        found = "is missing or not a number" if np.isnan(value) else f"is {_digits(value)}"
        hint = ""
        if role == "q" and np.isfinite(value):
            finite = batch.q[np.isfinite(batch.q)]
            hint = " " + advice(float(finite.min()), float(finite.max()))
        where = f"{place(row)}, column {name}".replace("{", "{{").replace("}", "}}")
        return f"{where}: {role} must be {RULES[role]}, but it {found}{{others}}.{hint}"


def open_stream(columns: Columns, folds: int | None, rows: int) -> Stream:
    """A stream of rows with these columns, which holds none so far."""
    if columns.yes is not None:
        raise UnsupportedError("Shares of draws cannot be summed in cells: read them instead.")
    bits = FINEST if folds is None or columns.group is None else finest_bits(folds, rows)
    return Stream(columns, Slots(folds), CellSums(bits, rows))


def _digits(value: float) -> str:
    """A number with as many digits as it needs: 1.3, but 1.0000000000000002.

    >>> _digits(2.0), _digits(1.0000000000000002)
    ('2', '1.0000000000000002')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _place_in(file: str, place: Place, before: int, row: int) -> str:
    return f"{file}, {place(before + row)}"


def _refuse_missing(group: "polars.Series", place: Place, name: str) -> None:
    import polars

    missing = group.is_null()
    if group.dtype == polars.String:
        missing = missing | (group == "")
    if missing.any():
        row = int(missing.arg_max() or 0)
        many = int(missing.sum())
        others = f" ({many} rows of this batch are bad)" if many > 1 else ""
        raise FileError(
            f"{place(row)}, column {name}: group must be a label, but it is missing{others}."
        )
