"""Prediction-powered counts: the model's counts, corrected by labels drawn at random.

θ = λ Σ e / M + Σ d (g − λ e) / Σ d m: the model's share of all M questions, plus the mean error on
the labelled units, where e is the expected number of a unit, g the true one, m its questions and d
the weight of the labelled unit. θ is right for any model and any λ, up to a bias of order 1/n. λ is
chosen so that the variance is smallest (PPI++: Angelopoulos, Duchi and Zrnic, 2023,
arXiv:2311.01453): a useless model gets λ = 0, and labels speak alone.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.sampling import Drawn
from calibrant.calibration.counting.shares import Shares, bounded
from calibrant.calibration.groups.few_groups import MOST_LEVERAGE
from calibrant.checks.arrays import sum_by

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
MOST_POWER = 2.0  # of the model's counts; an underconfident model deserves more than 1
PRIOR = (
    10  # units' worth of belief that λ = 1: with few labels, choosing λ costs more than it gains
)
MOST_DENSE = 4_000_000  # units times categories for which the choice of λ is jackknifed too
FEWEST = 10  # labelled units of each category, for the total to be stratified


class Cells(NamedTuple):
    """Weighted sums of the labelled rows of each unit in each column; the last is the total."""

    unit: Int
    column: Int
    asked: Float
    expected: Float
    gold: Float
    chance: Float  # of the unit to be drawn


class Collection(NamedTuple):
    """Sums of all units in each column, whether labelled or not."""

    asked: Float
    expected: Float
    cells: Cells | None  # of each group, if the documents are themselves a sample

    @property
    def share(self) -> Float:
        """The model's share of each column."""
        return np.divide(self.expected, self.asked, where=self.asked > 0, out=0 * self.asked)


def rectified_shares(
    tallies: "Tallies",
    code: Int,
    count: int,
    drawn: Drawn,
    level: float,
    population: bool = False,
    power: float | None = None,
) -> Shares:
    """Shares of `count` categories and of all units.

    `population` makes them those of the population that the groups are a sample of; otherwise they
    are those of these units, and certain once all are labelled. `power` fixes λ.
    """
    rows = drawn.rows
    unit, chance = drawn.unit, drawn.chance
    every = None
    if population:
        groups = np.arange(len(tallies)) if tallies.codes is None else np.asarray(tallies.codes)
        unit, chance = groups[rows].astype(np.int64), np.zeros(rows.size)
        once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
        every = _cells(tallies, np.arange(len(tallies)), groups, code, count, once, None)
    cells = _cells(tallies, rows, unit, code, count, drawn.weight, chance)
    fit = _Fit(cells, _collection(tallies, code, count, every), count)
    chosen = fit.best_power() if power is None else power
    most = np.ones(count + 1) if tallies.rows else np.full(count + 1, np.inf)
    return fit.shares(chosen, power is None, level, most)


def _cells(
    tallies: "Tallies",
    rows: Int,
    unit: NDArray[np.integer],
    code: Int,
    count: int,
    weight: Float,
    chance: Float | None,
) -> Cells:
    """Sum rows over units and categories, and over units."""
    keys, at = np.unique(unit.astype(np.int64) * count + code[rows], return_inverse=True)
    columns = (tallies.asked[rows], tallies.expected[rows], np.nan_to_num(tallies.gold[rows]))
    sums = [sum_by(at, weight * each) for each in columns]
    held = np.zeros(keys.size)
    if chance is not None:
        held[at] = chance
    owner, column = keys // count, keys % count
    whole, first, place = np.unique(owner, return_index=True, return_inverse=True)
    asked, expected, gold = (np.concatenate([each, sum_by(place, each)]) for each in sums)
    return Cells(
        unit=np.concatenate([owner, whole]),
        column=np.concatenate([column, np.full(whole.size, count)]),
        asked=asked,
        expected=expected,
        gold=gold,
        chance=np.concatenate([held, held[first]]),
    )


def _collection(tallies: "Tallies", code: Int, count: int, cells: Cells | None) -> Collection:
    once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
    asked, expected = (
        sum_by(code, once * each, count) for each in (tallies.asked, tallies.expected)
    )
    return Collection(np.append(asked, asked.sum()), np.append(expected, expected.sum()), cells)


class _Fit:
    """Labelled cells beside the whole collection."""

    def __init__(self, cells: Cells, whole: Collection, count: int) -> None:
        self.cells, self.whole, self.count = cells, whole, count
        columns = count + 1
        self.asked = np.bincount(cells.column, cells.asked, minlength=columns)
        self.known = self.asked > 0
        safe = np.where(self.known, self.asked, 1.0)
        self.gold = np.bincount(cells.column, cells.gold, minlength=columns) / safe
        self.expected = np.bincount(cells.column, cells.expected, minlength=columns) / safe
        self.units = np.bincount(cells.column, minlength=columns)
        self.stratified = bool((self.units[:count] >= FEWEST).all()) and count > 1

    def best_power(self) -> float:
        """The λ of the smallest variance of the total, pulled towards 1 if units are few."""
        product, square, _ = self._tuning()
        prior = _prior(square)
        total = square.sum() + prior + self._unlabelled()
        return float(np.clip((product.sum() + prior) / total, 0, MOST_POWER)) if total else 1.0

    def _tuning(self) -> tuple[Float, Float, Float]:
        """What each unit adds to the numerator and the denominator of λ; its share of questions."""
        c = self.cells
        mine = c.column == self.count
        asked = c.asked[mine]
        gold = (c.gold[mine] - self.gold[-1] * asked) / self.asked[-1]
        model = (c.expected[mine] - self.expected[-1] * asked) / self.asked[-1]
        if self.whole.cells is not None:
            model = model - self._of_collection()[c.unit[mine]]
        return gold * model, model**2, asked / self.asked[-1]

    def _of_collection(self) -> Float:
        """What each group adds to the model's share of the whole collection, by its number."""
        every = self.whole.cells
        assert every is not None
        mine = every.column == self.count
        added = every.expected[mine] - self.whole.share[-1] * every.asked[mine]
        found = np.zeros(int(every.unit.max()) + 1)
        found[every.unit[mine]] = added / self.whole.asked[-1]
        return found

    def _unlabelled(self) -> float:
        """What groups without labels add to the denominator of λ, if groups are a sample."""
        if self.whole.cells is None:
            return 0.0
        added = self._of_collection()
        added[self.cells.unit] = 0.0
        return float(np.sum(added**2))

    def shares(self, power: float, tuned: bool, level: float, most: Float) -> Shares:
        """The shares with their limits."""
        share = power * self.whole.share + self.gold - power * self.expected
        shifts = self._shifts(power, tuned)
        if self.stratified:
            part = self.whole.asked[:-1] / self.whole.asked[-1]
            share[-1] = float(np.sum(part * share[:-1]))
            shifts = _stratified(shifts, part)
        variance = np.asarray(shifts.power(2).sum(axis=0)).ravel()
        spread = np.sqrt(variance)
        third = np.asarray(shifts.power(3).sum(axis=0)).ravel()
        skewness = np.divide(third, spread**3, where=spread > 0, out=np.zeros_like(spread))
        effective = self._effective()
        low, high = bounded(share, spread, effective, level, skewness, most)
        certain = spread == 0
        low, high = np.where(certain, share, low), np.where(certain, share, high)
        enough = (self.units > 1) | (self._complete() & self.known)
        blank = np.where(enough, 0.0, np.nan)
        return Shares(
            share + np.where(self.known, 0.0, np.nan),
            (shifts.T @ shifts).toarray(),
            low + blank,
            high + blank,
            effective,
            f"power {power:.2f}" + (", stratified" if self.stratified else ""),
        )

    def _complete(self) -> NDArray[np.bool_]:
        """Columns all of whose units were certain to be drawn."""
        open_ = np.bincount(self.cells.column, self.cells.chance < 1, minlength=self.count + 1)
        return np.asarray(open_ == 0)

    def _shifts(self, power: float, tuned: bool) -> "csr_array":
        """What each unit adds to each share: changes if it is left out."""
        from scipy.sparse import csr_array

        c = self.cells
        column, safe = c.column, np.where(self.known, self.asked, 1.0)
        error = self.gold - power * self.expected
        residual = c.gold - power * c.expected - error[column] * c.asked
        leverage = np.minimum(c.asked / safe[column], MOST_LEVERAGE)
        left = np.sqrt(np.maximum(1 - c.chance, 0.0))  # what is not labelled is uncertain
        value = left * residual / (1 - leverage) / safe[column]
        shape = (int(c.unit.max()) + 1, self.count + 1)
        if self.whole.cells is not None:
            return self._with_collection(power, value)
        shifts = csr_array((value, (c.unit, column)), shape=shape)
        if tuned and shape[0] * shape[1] <= MOST_DENSE:
            change = self._power_changes()
            lever = self.whole.share - self.expected
            dense = shifts.toarray()
            of_unit = np.zeros(shape[0])
            mine = column == self.count
            of_unit[c.unit[mine]] = left[mine] * change
            dense += of_unit[:, None] * np.where(self.known, lever, 0.0)
            shifts = csr_array(dense)
        return shifts

    def _with_collection(self, power: float, value: Float) -> "csr_array":
        """The same, if the groups of the collection are a sample themselves."""
        from scipy.sparse import csr_array

        every = self.whole.cells
        assert every is not None
        asked = self.whole.asked[every.column]
        added = every.expected - self.whole.share[every.column] * every.asked
        leverage = np.minimum(every.asked / asked, MOST_LEVERAGE)
        own = power * added / (1 - leverage) / asked
        unit = np.concatenate([self.cells.unit, every.unit])
        column = np.concatenate([self.cells.column, every.column])
        shape = (int(unit.max()) + 1, self.count + 1)
        return csr_array((np.concatenate([value, own]), (unit, column)), shape=shape)

    def _power_changes(self) -> Float:
        """How much λ changes if each unit is left out (the sign reversed)."""
        product, square, share = self._tuning()
        left = 1 - np.minimum(share, MOST_LEVERAGE)
        prior = _prior(square)
        over, under = product.sum() + prior, square.sum() + prior
        if under <= 0:
            return np.zeros(product.size)
        less = np.maximum(under - square / left, prior)
        without = np.clip((over - product / left) / np.where(less > 0, less, 1.0), 0, MOST_POWER)
        return np.asarray(np.clip(over / under, 0, MOST_POWER) - without)

    def _effective(self) -> Float:
        """The effective number of labelled units: of all, and of the rarer answer (mean)."""
        c = self.cells

        def worth(values: Float) -> Float:
            total = np.bincount(c.column, values, minlength=self.count + 1)
            square = np.bincount(c.column, values**2, minlength=self.count + 1)
            found: Float = np.full(total.size, np.inf)
            return np.divide(total**2, square, where=square > 0, out=found)

        whole = worth(c.asked)
        rarer = np.minimum(worth(c.gold), worth(np.maximum(c.asked - c.gold, 0.0)))
        found = np.sqrt(whole * np.minimum(rarer, whole))
        return np.asarray(np.where(np.isfinite(found), found, 0.0))


def _prior(square: Float) -> float:
    """PRIOR units of typical weight in the choice of λ."""
    total = float(square.sum())
    return PRIOR * float(np.sum(square**2)) / total if total > 0 else 0.0


def _stratified(shifts: "csr_array", part: Float) -> "csr_array":
    """Replace the shifts of the total by those of the mean over categories."""
    from scipy.sparse import csr_array, hstack

    own = shifts[:, :-1]
    return csr_array(hstack([own, csr_array((own @ part)[:, None])]))
