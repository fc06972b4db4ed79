"""What an engine has summed over cells and groups."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.cell_sums import Sums
from calibrant.tables.scanning.expressions import BAD, MISSING
from calibrant.tables.scanning.slots import Slots

if TYPE_CHECKING:
    import polars
    from narwhals import DataFrame

Int = NDArray[np.int64]
WHOLE, REAL = Sums._fields[2:6], Sums._fields[6:]  # the names of sums of integers and of floats


class Totals(NamedTuple):
    """Sums over cells and labels; some rows have the state of wrong rows instead of a cell."""

    cell: Int
    many: Int  # rows; not the number of pairs, if these have weights
    sums: list[NDArray[Any]]
    label: "polars.Series | None"

    @classmethod
    def of(cls, found: "DataFrame[Any]") -> "Totals":
        """The totals in the result of a query."""
        return cls(
            cell=found["cell"].to_numpy(),
            many=found["count" if "count" in found.columns else "n"].to_numpy(),
            sums=[found[name].to_numpy() for name in (*WHOLE, *REAL)],
            label=found["label"].to_polars() if "label" in found.columns else None,
        )

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.many.sum())

    @property
    def wrong(self) -> tuple[int, int]:
        """How many rows have no group, and how many others are wrong."""
        missing, bad = (int(self.many[self.cell == state].sum()) for state in (MISSING, BAD))
        return missing, bad

    def of_cells(self, slots: Slots) -> Sums:
        """The sums over cells and slots; `slots` learns the labels."""
        kept = np.flatnonzero(self.cell >= 0)
        slot = np.zeros(kept.size, np.int64)
        if self.label is not None:
            slot = _slots(self.label.gather(kept), slots)
        return Sums(slot, self.cell[kept], *(column[kept] for column in self.sums))


def _slots(label: "polars.Series", slots: Slots) -> Int:
    """The slot of each label: its fold, or its number among the labels."""
    if slots.folds is not None:
        return label.to_numpy().astype(np.int64)
    distinct = label.unique()
    slots.labels = distinct.to_list()
    numbers = np.arange(distinct.len())
    return label.replace_strict(distinct, numbers).to_numpy().astype(np.int64)
