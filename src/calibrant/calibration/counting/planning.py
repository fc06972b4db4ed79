"""Which units to label, and how many, for an interval of a wanted width.

The variance of a rectified share is Σ (1/π − 1) s² / M², where π is the chance of a unit to be
drawn and s the standard deviation of the model's error on it. For a given number of labels it is
smallest if π is proportional to s (Neyman, 1934; Zrnic and Candès, 2024, arXiv:2403.03208). A part
of the chances is spread evenly, so that no weight 1/π is large and mistakes about s do little harm.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.categories import TOTAL, categories
from calibrant.calibration.counting.elsewhere import Learnt, learn
from calibrant.calibration.groups.few_groups import reach
from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, ParameterError, option
from calibrant.pairs import Pairs
from calibrant.results.digits import fixed
from calibrant.results.tabular import Tabular
from calibrant.version import __version__

if TYPE_CHECKING:
    import polars

    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
EVEN = 0.2  # part of the chances that is spread evenly: no weight exceeds 5 times the even one
CORRELATION = 0.1  # of errors within a group, if no pilot tells
ROUNDING = 1e-9
FEWEST_UNITS = 10  # with fewer labels, an interval says little about its own width


class Part(NamedTuple):
    """How many units of one category to label."""

    name: str
    units: int
    random: int  # if drawn evenly
    planned: int  # if drawn by the plan
    width: float  # expected


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Tabular):
    """What to label for an interval of a wanted width.

    Attributes
    ----------
    parts
        For each category, how many units it has and how many to label.
    rows
        The rows to label, in ascending order.
    weight
        The weight of each of them, the inverse of its chance to be drawn.
    grouped
        Whether whole groups were drawn.
    assumption
        What the expected width rests on.
    signature
        What reproduces the plan, in one line.
    """

    parts: tuple[Part, ...]
    rows: Int
    weight: Float
    grouped: bool
    assumption: str
    signature: str

    @property
    def sentence(self) -> str:
        """How many labels, and what that rests on."""
        what = "groups" if self.grouped else "rows"
        planned, even = (
            sum(getattr(each, k) for each in self.parts) for k in ("planned", "random")
        )
        rows = f" with {self.rows.size} rows" if self.grouped else ""
        return f"Label {planned} {what}{rows} ({even} if drawn evenly). {self.assumption}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        what = "groups" if self.grouped else "rows"
        header = ["", what, "to label", "drawn evenly", "expected width"]
        rows = [
            [each.name, str(each.units), str(each.planned), str(each.random), fixed(each.width, 4)]
            for each in self.parts
        ]
        return header, rows

    def to_dicts(self) -> list[dict[str, Any]]:
        """One record per category."""
        return [each._asdict() | {"signature": self.signature} for each in self.parts]

    def to_frame(self) -> "polars.DataFrame":
        """One row per category."""
        import polars

        return polars.DataFrame(self.to_dicts())

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return self.sentence


class Units(NamedTuple):
    """What is drawn: rows or groups, the questions of each, and the typical size of its error."""

    of_row: Int
    asked: Float
    error: Float


def plan_labels(
    tallies: "Tallies",
    width: float,
    *,
    by: str | None = None,
    groups: bool = False,
    pilot: Pairs | None = None,
    even: float = EVEN,
    level: float = 0.95,
    seed: int = 0,
) -> Plan:
    """Plan labels for a rectified share whose interval is `width` wide, in each category of `by`.

    `pilot` has labelled pairs, from here or from elsewhere, which tell how large errors are.
    Without them the model is taken to be calibrated.
    """
    _check(tallies, width, groups, even)
    learnt = None if pilot is None else learn(pilot, 0)  # the seed is that of the draw
    cut = categories(tallies, by)
    rng = np.random.default_rng(seed)
    parts, rows, weights = [], [], []
    for k, name in enumerate(cut.labels if by is not None else (TOTAL,)):
        mine = np.flatnonzero(cut.codes == k)
        units = _units(tallies, mine, learnt, groups)
        many, chance = _fewest(units, width, even, level)
        random = _fewest(units, width, 1.0, level)[0]
        wide = _width(units, chance, level)
        parts.append(Part(name, units.asked.size, random, many, wide))
        drawn = draw_systematic(chance, rng)
        chosen = np.isin(units.of_row, drawn)
        rows.append(mine[chosen])
        weights.append(1 / chance[units.of_row[chosen]])
    order = np.argsort(np.concatenate(rows), kind="stable")
    return Plan(
        tuple(parts),
        np.concatenate(rows)[order],
        np.concatenate(weights)[order],
        groups,
        _assumption(learnt, groups),
        f"plan|width={width:g}|even={even:g}|drawn={'groups' if groups else 'rows'}|"
        f"level={level:g}|seed={seed}|calibrant={__version__}",
    )


def _check(tallies: "Tallies", width: float, groups: bool, even: float) -> None:
    if not 0 < width < 1:
        raise ParameterError(
            f"{option('width')} is that of the interval of a share, between 0 and 1, but it is "
            f"{width!r}."
        )
    if not 0 < even <= 1:
        raise ParameterError(
            f"{option('even')} must be above 0 and at most 1, so that weights stay bounded, but it "
            f"is {even!r}."
        )
    if groups and tallies.codes is None:
        raise InputError(f"There are no groups to draw: name their column with {option('group')}.")
    if not tallies.rows:
        raise InputError("Labels are planned for single questions, with a prediction for each.")


def _units(tallies: "Tallies", rows: Int, learnt: Learnt | None, groups: bool) -> Units:
    """The rows, or the groups, with the standard deviation of the error of each."""
    q = tallies.expected[rows]
    once = np.ones(rows.size) if tallies.weight is None else tallies.weight[rows]
    p = q if learnt is None else learnt.map(q)
    away = p - q
    away = away - np.sum(once * away) / once.sum()  # a mean error is corrected by any labels
    own = once**2 * (p * (1 - p) + away**2)
    if not groups:
        return Units(np.arange(rows.size), once, np.sqrt(own))
    assert tallies.codes is not None
    unit = np.unique(tallies.codes[rows], return_inverse=True)[1]
    shared = CORRELATION if learnt is None else learnt.correlation
    total = sum_by(unit, own)
    both = sum_by(unit, np.sqrt(own)) ** 2 - total
    return Units(unit, sum_by(unit, once), np.sqrt(total + shared * both))


def chances(error: Float, many: int, even: float) -> Float:
    """Chances that sum to `many`: in part even, in part proportional to the error; at most 1.

    >>> chances(np.array([1.0, 1.0, 2.0]), 2, 0.5).round(3)
    array([0.583, 0.583, 0.833])
    """
    total = error.sum()
    part = error / total if total > 0 else np.full(error.size, 1 / error.size)
    mixed = (1 - even) * part + even / error.size
    certain = np.zeros(error.size, bool)
    found = np.ones(error.size)
    for _ in range(error.size):
        rest = many - certain.sum()
        found = np.where(certain, 1.0, rest * mixed / max(mixed[~certain].sum(), 1e-300))
        over = (found >= 1) & ~certain
        if not over.any():
            break
        certain |= over
    return np.minimum(found, 1.0)


def _width(units: Units, chance: Float, level: float) -> float:
    """The expected width of the interval."""
    variance = np.sum((1 / chance - 1) * units.error**2) / units.asked.sum() ** 2
    return float(2 * reach(level, float(chance.sum())) * np.sqrt(variance))


def _fewest(units: Units, width: float, even: float, level: float) -> tuple[int, Float]:
    """The smallest number of units whose interval is no wider, and their chances."""
    low, high = min(FEWEST_UNITS, units.asked.size), units.asked.size
    while low < high:
        middle = (low + high) // 2
        if _width(units, chances(units.error, middle, even), level) <= width:
            high = middle
        else:
            low = middle + 1
    return low, chances(units.error, low, even)


def draw_systematic(chance: Float, rng: np.random.Generator) -> Int:
    """Draw units with these chances, as many as they sum to (Madow, 1949, in a random order)."""
    order = rng.permutation(chance.size)
    reached = rng.random() + np.cumsum(chance[order])
    crossed = np.floor(reached + ROUNDING) > np.floor(reached - chance[order] + ROUNDING)
    return np.sort(order[crossed])


def _assumption(learnt: Learnt | None, groups: bool) -> str:
    if learnt is None:
        told = f", and its errors to correlate by {CORRELATION:g} within groups" if groups else ""
        return f"Without a pilot, the model is taken to be calibrated{told}."
    told = f" correlate by {learnt.correlation:.2f} within groups and" if groups else ""
    return f"Errors are taken to{told} be as large as in the pilot."


def plan_for_score(n: float, width: float, wanted: float) -> int:
    """How many labels a score's interval needs, if its width falls as 1 / √n.

    >>> plan_for_score(500, 0.04, 0.02)
    2000
    """
    if not wanted > 0:
        raise ParameterError(f"{option('width')} must be above 0, but it is {wanted!r}.")
    return int(np.ceil(n * (width / wanted) ** 2))


def random_plan(
    tallies: "Tallies", many: int, width: float, groups: bool, what: str, seed: int
) -> Plan:
    """A plan that draws this many units evenly."""
    _check(tallies, 0.5, groups, 1.0)
    unit = np.arange(len(tallies))
    if groups:
        unit = np.unique(np.asarray(tallies.codes), return_inverse=True)[1]
    count = int(unit.max()) + 1
    if many > count:
        raise InputError(
            f"About {many} labels are needed for {what} with an interval {width:g} wide, but there "
            f"are only {count}."
        )
    chance = np.full(count, many / count)
    drawn = draw_systematic(chance, np.random.default_rng(seed))
    rows = np.flatnonzero(np.isin(unit, drawn))
    return Plan(
        (Part(what, count, many, many, width),),
        rows,
        np.full(rows.size, count / many),
        groups,
        "Widths are taken to fall as one over the root of the number of labels.",
        f"plan({what})|width={width:g}|seed={seed}|calibrant={__version__}",
    )
