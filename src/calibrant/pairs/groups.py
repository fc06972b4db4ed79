"""Labels of groups: given by the user, or numbered here if the user gave none.

Two sets of pairs may share groups with labels from the user: document "a" of one is document "a"
of the other. Numbered groups are never shared, so adding two sets renumbers them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError


class Numbered(np.ndarray[Any, np.dtype[np.int64]]):
    """Numbers of groups without labels, such as sentences counted 0, 1, 2, ...

    `Pairs(..., group=numbered(n)[sentence])` keeps them apart from the groups of other sets.
    Indexing and `numpy.repeat` keep the type.
    """


def numbered(count: int) -> Numbered:
    """The numbers 0, 1, ..., count − 1, for groups without labels."""
    return np.arange(count, dtype=np.int64).view(Numbered)


class Groups(NamedTuple):
    """The group of each row, and which groups are numbered (None: all labels were given)."""

    label: NDArray[Any]
    numbered: NDArray[np.bool_] | None

    @property
    def marks(self) -> NDArray[np.bool_]:
        """Whether the group of each row is numbered rather than labelled."""
        return np.zeros(self.label.size, bool) if self.numbered is None else self.numbered


def all_numbered(rows: int) -> NDArray[np.bool_]:
    """The marks of rows whose groups are all numbered, without memory per row."""
    return np.broadcast_to(np.True_, (rows,))


def pool(mine: Groups, theirs: Groups) -> Groups:
    """Pool the groups of two sets; only labels from the user can be shared."""
    label = _concatenated(mine.label, theirs.label)
    if mine.numbered is None and theirs.numbered is None:
        return Groups(label, None)
    marks = np.concatenate([mine.marks, theirs.marks])
    one, other = (arrays.codes(each.label[each.marks]) for each in (mine, theirs))
    number = np.concatenate([one, other + one.max(initial=-1) + 1])
    label[marks] = _beyond(label[~marks], int(number.max()) + 1) + number
    return Groups(label, marks)


def _beyond(given: NDArray[Any], count: int) -> int:
    """The first of `count` whole numbers that are larger than every label given."""
    first = int(np.floor(given.max())) + 1 if given.size else 0
    if first + count > np.iinfo(np.int64).max:
        raise InputError(
            f"Groups without names are numbered after those given, but the label {first - 1} is "
            "too large for that: use smaller labels."
        )
    return first


def _concatenated(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    kinds = {"text" if each.dtype.kind in "UST" else "numbers" for each in (mine, theirs)}
    both = np.result_type(mine, theirs) if len(kinds) == 1 else None
    whole = mine.dtype.kind in "biu" and theirs.dtype.kind in "biu"
    if both is None or (whole and both.kind == "f"):  # int64 and uint64 would lose digits
        raise InputError(
            f"The groups of both sets must have labels of one type, but one has {mine.dtype} "
            f"labels and the other {theirs.dtype} labels."
        )
    return np.concatenate([mine, theirs])


def effective_number(weight: NDArray[Any]) -> float:
    """How many groups of equal weight these groups are worth: 1 / Σ share².

    >>> effective_number(np.ones(4)), round(effective_number(np.array([9.0, 1.0])), 2)
    (4.0, 1.22)
    """
    weight = np.sort(weight)  # sums of fractions depend on their order, so fix it
    share = weight / weight.sum()
    return float(1 / np.sum(share**2))
