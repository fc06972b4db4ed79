"""How labels were drawn: rows or whole groups, with which chances."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError, option

if TYPE_CHECKING:
    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
RANDOM = ("random", "random rows", "random groups")
UNLIKELY = 4.0  # standard errors
LEAST_SUSPECT = 10  # units
FARTHEST = 3.0  # times the number of rows that weights may add up to
TOUCHED = 0.8  # share of the groups that random rows would touch, below which groups were drawn


@dataclass(frozen=True, eq=False)
class Drawn:
    """The labelled units, and how they were drawn.

    `unit` numbers what was drawn: a row, or a whole group. `chance` is the chance of each labelled
    row to have been drawn. Where only some rows of a drawn group are labelled, the rest of the
    collection is represented by them, and `complete` is False.
    """

    rows: Int  # the labelled rows
    unit: Int  # what each of them was drawn with: 0, 1, ...
    weight: Float  # how many rows of the collection each stands for
    chance: Float  # of each row's unit; 1 if everything is labelled
    grouped: bool
    complete: bool

    @property
    def units(self) -> int:
        """How many units were drawn."""
        return int(self.unit.max()) + 1 if self.unit.size else 0

    @property
    def told(self) -> str:
        """What was drawn, in words."""
        what = "groups" if self.grouped else "rows"
        return f"{self.units} {what}" + ("" if self.complete else ", labelled in part")


def how_drawn(tallies: "Tallies", labels: str | None, design: Float | None) -> Drawn:
    """How the labels were drawn.

    `labels` is "random", "random rows" or "random groups"; `design` has a weight for each labelled
    unit, the inverse of its chance to be labelled.
    """
    rows = np.flatnonzero(tallies.labelled)
    everything = rows.size == len(tallies)
    if labels is None and design is None and not everything:
        raise InputError(
            f"{rows.size} of {len(tallies)} rows are labelled. Were they drawn at random? Say "
            f"{option('labels', 'random')}, or give the weights of their design with "
            f"{option('label_weight')}. Labels chosen otherwise, by the model's confidence for "
            "instance, do not represent the rest."
        )
    if labels is not None and labels not in RANDOM:
        raise ParameterError(
            f"{option('labels')} must be one of {', '.join(map(repr, RANDOM))}, but it is "
            f"{labels!r}."
        )
    if rows.size < 2:
        raise InputError(f"At least two labelled rows are needed, but there is {rows.size}.")
    grouped, complete = _groups_drawn(tallies, rows, labels)
    unit = np.unique(_codes(tallies)[rows], return_inverse=True)[1] if grouped else _count(rows)
    if unit.max() == 0:
        raise InputError(
            "All labels belong to one group, so variation between groups cannot be estimated: "
            "label rows of other groups too."
        )
    if design is None:
        chance = _even_chances(tallies, rows, unit, grouped, complete)
        return Drawn(rows, unit, _once(tallies)[rows], chance, grouped, complete)
    chance = _stated_chances(design, rows, everything)
    _check_sum(design, rows, everything)
    weight = _once(tallies)[rows] / chance
    return Drawn(rows, unit, weight, chance if complete else 0 * chance, grouped, complete)


def _once(tallies: "Tallies") -> Float:
    return np.ones(len(tallies)) if tallies.weight is None else tallies.weight


def _count(rows: Int) -> Int:
    return np.arange(rows.size)


def _codes(tallies: "Tallies") -> Int:
    assert tallies.codes is not None
    return np.asarray(tallies.codes, np.int64)


def _groups_drawn(tallies: "Tallies", rows: Int, labels: str | None) -> tuple[bool, bool]:
    """Whether whole groups were drawn, and whether all rows of those are labelled."""
    if tallies.codes is None:
        if labels == "random groups":
            raise InputError("There are no groups to have been drawn: name their column.")
        return False, True
    codes = _codes(tallies)
    size = np.bincount(codes)
    held = np.bincount(codes[rows], minlength=size.size)
    complete = bool((held[held > 0] == size[held > 0]).all())
    if labels == "random rows" or size.max() == 1:
        return False, True
    if labels == "random groups":
        return True, complete
    if complete:
        return True, True
    missed = 1 - (held.sum() / size.sum())
    expected = float(np.sum(1 - missed**size))  # groups that as many random rows would touch
    whole = bool((held > 0).sum() < TOUCHED * expected)
    return whole, not whole


def _even_chances(tallies: "Tallies", rows: Int, unit: Int, grouped: bool, complete: bool) -> Float:
    """Equal chances; 0, as for a small part of a large whole, if groups are labelled in part."""
    if not grouped:
        return np.full(rows.size, rows.size / len(tallies))
    if not complete:
        return np.zeros(rows.size)
    drawn, every = int(unit.max()) + 1, int(_codes(tallies).max()) + 1
    return np.full(rows.size, drawn / every)


def _check_sum(design: Float, rows: Int, everything: bool) -> None:
    """Refuse weights that do not add up to roughly all rows, such as those divided by their mean.

    The sum of inverse chances over what was drawn estimates the number of rows. What was drawn are
    the rows with a weight, or those with a label if all rows have a weight.
    """
    drawn, units = np.isfinite(design), design.size
    weight = design[rows] if drawn.all() else design[drawn]
    total = float(weight.sum())
    if everything or weight.size < LEAST_SUSPECT or units / FARTHEST < total < units * FARTHEST:
        return
    raise InputError(
        "The weights of a design are inverse chances of being drawn, so they add up to about the "
        f"number of rows, {units}, but these add up to {total:.4g}."
    )


def _stated_chances(design: Float, rows: Int, everything: bool) -> Float:
    weight = design[rows]
    bad = ~(np.isfinite(weight) & (weight >= 1 - 1e-9))
    if bad.any():
        where = int(np.argmax(bad))
        raise InputError(
            "A weight of the design is the inverse of a chance, so it is at least 1, but that of "
            f"row {rows[where] + 1} is {weight[where]:g} ({int(bad.sum())} of {rows.size} are not)."
        )
    return np.ones(rows.size) if everything else np.minimum(1 / weight, 1.0)


def suspicion(tallies: "Tallies", drawn: Drawn) -> list[str]:
    """A warning if the labelled units look chosen: their predictions differ from those of all.

    Predictions, and how uncertain they are, are compared by units; what would happen once in
    10,000 random draws is told.
    """
    once, asked = _once(tallies), tallies.asked
    rows = drawn.rows
    if rows.size == len(tallies) or asked.sum() == 0:
        return []
    for what, values in (
        ("predictions", tallies.expected),
        ("uncertainty of predictions", tallies.variance),
    ):
        everywhere = float(np.sum(once * values) / np.sum(once * asked))
        away = np.bincount(drawn.unit, drawn.weight * (values[rows] - everywhere * asked[rows]))
        spread = float(np.sqrt(np.sum((away - away.mean()) ** 2)))
        if away.size >= LEAST_SUSPECT and abs(away.sum()) > UNLIKELY * spread:
            return [
                f"the labelled rows look chosen, not drawn at random: their mean {what} differs "
                "from that of all rows."
            ]
    return []


def unlabelled_draws(tallies: "Tallies", design: Float | None) -> list[str]:
    """A warning if rows were drawn, so that they have a weight, but have no label."""
    if design is None:
        return []
    drawn = np.isfinite(design)
    missing = drawn & ~tallies.labelled
    if not missing.any() or drawn.all():
        return []
    return [
        f"{int(missing.sum())} of {int(drawn.sum())} drawn rows have no label. Counts are right "
        "only if those are a random part of the drawn ones."
    ]
