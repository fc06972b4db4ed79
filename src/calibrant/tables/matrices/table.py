"""`ClassTable`: a probability for every class of every item, and the true class."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import FileError
from calibrant.tables.checking import LOGITS, ROUNDED
from calibrant.tables.columns import LISTED

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
EXACT, PRECISE = 1e-8, 1e-6  # row sums closer to 1 are kept as they are; need no note


class ClassTable(NamedTuple):
    """A row of probabilities per item, the names of the classes, the truth, and the groups."""

    probabilities: Float
    classes: tuple[Any, ...]
    gold: NDArray[Any]
    group: NDArray[Any] | None


class UnlabelledClasses(NamedTuple):
    """All columns of a file, and which of them hold the probabilities of which class."""

    columns: "polars.DataFrame"
    names: Mapping[str, str]  # the class of each column
    probabilities: Float


class ClassColumns(NamedTuple):
    """Which columns to read: names or patterns of classes, the true class, and groups."""

    classes: Sequence[str] = ()
    gold: str | None = None
    group: str | bool | None = None  # False: no groups, do not guess


def listed(names: Sequence[object]) -> str:
    """Names separated by commas, at most forty of them."""
    return ", ".join(map(str, names[:LISTED])) + (", ..." if len(names) > LISTED else "")


def summed(
    matrix: Float, file: str, place: Callable[[int], str], note: Callable[[str], None]
) -> Float:
    """Refuse rows that do not sum to 1; divide rows of rounded numbers by their sums."""
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1)
    bad = ~(off <= ROUNDED)
    if bad.any():
        row, many = int(np.argmax(bad)), int(bad.sum())
        others = f" ({many} of {bad.size} rows do not)" if many > 1 else ""
        raise FileError(
            f"{file}, {place(row)}: the probabilities of all classes must sum to 1, but they sum "
            f"to {sums[row]:.6g}{others}. Are all classes there? {LOGITS}"
        )
    if off.max() <= EXACT:
        return matrix
    if off.max() > PRECISE:
        note(f"{file}: rows sum to 1 ± {off.max():.2g}, so they are divided by their sums.")
    inside = matrix.clip(0.0, 1.0)
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))
