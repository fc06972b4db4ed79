"""Counts corrected by labels of other documents, under an assumption that cannot be tested here.

Either the frequency of yes at each prediction is the same there and here ("recalibrated"): a map
learnt there is applied here. Or the predictions given yes and given no are distributed there as
here, and only the base rate differs ("shifted"): the base rate here is that of the largest
likelihood (Saerens, Latinne and Decaestecker, 2002, doi:10.1162/089976602753284446), of predictions
that are recalibrated first (Alexandari, Kundaje and Shrikumar, 2020, arXiv:1901.06852).
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.counting.shares import Shares, bounded
from calibrant.calibration.recalibration.cells import FoldedCells, Lesson, folded_cells
from calibrant.calibration.recalibration.cross_fitting import choose_method
from calibrant.calibration.recalibration.logistic import Platt, Spline
from calibrant.calibration.recalibration.maps import Map
from calibrant.calibration.recalibration.method import PairMethod
from calibrant.calibration.scores import Brier
from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, UnsupportedError
from calibrant.pairs import Pairs

if TYPE_CHECKING:
    from calibrant.pairs.tallies import Tallies

Float = NDArray[np.float64]
Int = NDArray[np.int64]
FEWEST = 50  # labelled rows to learn a map from
GRID = 1000  # cells of predictions in which base rates are estimated
SMOOTH = (Platt(), Spline())  # a jackknife over folds of steps would mislead
STEPS = 2000  # of the search for a base rate
CLOSE = 1e-10
WIDEST = 100.0  # logits that a map is moved by: frequencies of doubles lie within


class Learnt(NamedTuple):
    """A map, its versions without one fold each, and the base rates of their labels."""

    map: Map
    without: tuple[Map, ...]
    rate: float
    rates: Float
    method: str
    correlation: float  # of outcomes in one group, beyond what the mapped predictions say


def learn(pairs: Pairs, seed: int) -> Learnt:
    """The map of the best method, from labels of other documents; learnt once."""
    return pairs.remember(("counting map", seed), lambda: _learn(pairs, seed))


def _learn(pairs: Pairs, seed: int) -> Learnt:
    rate = pairs.mean(pairs.y)
    if len(pairs) < FEWEST or rate in (0.0, 1.0):
        raise InputError(
            f"A map needs at least {FEWEST} labelled rows with both answers, but there are "
            f"{len(pairs)}, {100 * rate:.3g} % of them yes."
        )
    if pairs.codes is not None and pairs.groups < 2:
        raise InputError(
            "All labels to learn a map from belong to one group, so variation between groups "
            "cannot be estimated: add labels of other groups."
        )
    cells = folded_cells(pairs, seed)
    chosen = choose_method(cells, SMOOTH, Brier())
    method = chosen if isinstance(chosen, PairMethod) else Platt()  # "no map" is uncertain too
    lesson = cells.without()
    whole = balanced(method.learn(lesson), lesson)
    parts = [cells.without(fold) for fold in range(cells.folds)]
    return Learnt(
        whole,
        tuple(balanced(method.learn(part), part) for part in parts),
        float(rate),
        _rates(cells),
        repr(method),
        _correlation(pairs, whole(pairs.q)),
    )


def balanced(learnt: Map, lesson: Lesson) -> Map:
    """The map moved on the logit scale, so that it expects as many yes as it was learnt from.

    Methods pull maps towards leaving predictions as they are. Each prediction changes little by
    that, but all change in the same direction, so that their sum would be biased.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    logit, wanted = learnt.on_logits(lesson.x), lesson.k.sum()
    if not 0 < wanted < lesson.n.sum():
        return learnt

    def surplus(by: float) -> float:
        return float(lesson.n @ expit(logit + by) - wanted)

    by = brentq(surplus, -WIDEST, WIDEST)
    return Map(learnt.knots, tuple(each + by for each in learnt.values), learnt.ends)


def _rates(cells: FoldedCells) -> Float:
    """The frequency of yes without each fold."""
    k, n = cells.k.sum(axis=1), cells.n.sum(axis=1)
    return np.asarray((k.sum() - k) / (n.sum() - n))


def _correlation(pairs: Pairs, p: Float) -> float:
    """The correlation of residuals of two rows of a group; 0 without groups, never negative."""
    if pairs.codes is None:
        return 0.0
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    residual, spread = weight * (pairs.y - p), weight * np.sqrt(p * (1 - p))
    over, under = (
        float(np.sum(sum_by(pairs.codes, each) ** 2) - np.sum(each**2))
        for each in (residual, spread)
    )
    return float(np.clip(over / under, 0, 1)) if under > 0 else 0.0


def recalibrated_shares(
    tallies: "Tallies", code: Int, count: int, learnt: list[Learnt], part: Int, level: float
) -> Shares:
    """Shares by mapped predictions; `part` says which map is for each row."""
    _refuse_structures(tallies)

    def answer(fold: int | None) -> Float:
        mapped = np.empty(len(tallies))
        for k, each in enumerate(learnt):
            mine = part == k
            chosen = each.map if fold is None else each.without[min(fold, len(each.without) - 1)]
            mapped[mine] = chosen(tallies.expected[mine])
        return mapped

    whole = answer(None)
    folds = max(len(each.without) for each in learnt)
    shares = [_shares(tallies, code, count, answer(fold)) for fold in range(folds)]
    deviation = np.array(shares) - np.mean(shares, axis=0)
    moved = _spreads(tallies, code, count, whole, max(each.correlation for each in learnt))
    told = ", ".join(dict.fromkeys(each.method for each in learnt))
    share = _shares(tallies, code, count, whole)
    return _together(share, deviation, moved, level, told)


def shifted_shares(
    tallies: "Tallies", code: Int, count: int, learnt: Learnt, level: float
) -> Shares:
    """Shares whose base rates are estimated in each category."""
    _refuse_structures(tallies)
    grid = _Grid(tallies, code, count)
    rates, found = grid.base_rates(learnt.map, learnt.rate)
    folds = [
        grid.base_rates(map, rate)[0]
        for map, rate in zip(learnt.without, learnt.rates.tolist(), strict=True)
    ]
    part = grid.held / grid.held.sum()
    deviation = np.array([np.append(each, np.sum(part * each)) for each in folds])
    deviation -= deviation.mean(axis=0)
    share = np.append(rates, np.sum(part * rates))
    spread = _spreads(tallies, code, count, found[grid.place, code], learnt.correlation)
    informed = np.append(grid.inflation(found, rates), 0.0)
    variance = np.diag(spread) * informed
    variance[-1] = np.sum(part**2 * variance[:-1])
    moved = np.diag(variance)
    moved[-1, :-1] = moved[:-1, -1] = part * variance[:-1]
    return _together(share, deviation, moved, level, f"{learnt.method}, then base rates")


def _refuse_structures(tallies: "Tallies") -> None:
    if not tallies.rows:
        raise UnsupportedError(
            "Labels of other documents correct single questions, not counts of whole structures: "
            "ask about single questions, or label some of these documents."
        )


def _shares(tallies: "Tallies", code: Int, count: int, p: Float) -> Float:
    once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
    over, under = (np.bincount(code, each, minlength=count) for each in (once * p, once))
    over, under = np.append(over, over.sum()), np.append(under, under.sum())
    found: Float = np.divide(over, under, where=under > 0, out=np.full(count + 1, np.nan))
    return found


def _spreads(tallies: "Tallies", code: Int, count: int, p: Float, correlation: float) -> Float:
    """The covariance of realised shares around mapped predictions, with dependence in groups."""
    once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
    under = np.bincount(code, once, minlength=count)
    whole = float(under.sum())
    spread = once * np.sqrt(p * (1 - p))
    own = np.bincount(code, spread**2, minlength=count)
    total = own.sum()
    if tallies.codes is not None and correlation > 0:
        keys, at = np.unique(
            np.asarray(tallies.codes, np.int64) * count + code, return_inverse=True
        )
        of_cell = np.bincount(at, spread) ** 2 - np.bincount(at, spread**2)
        own = own + correlation * np.bincount(keys % count, of_cell, minlength=count)
        of_group = sum_by(tallies.codes, spread) ** 2 - sum_by(tallies.codes, spread**2)
        total += correlation * float(of_group.sum())
    safe = np.where(under > 0, under, 1.0)
    found = np.zeros((count + 1, count + 1))
    found[np.arange(count), np.arange(count)] = own / safe**2
    found[-1, :-1] = found[:-1, -1] = own / safe / whole
    found[-1, -1] = total / whole**2
    return found


def _together(share: Float, deviation: Float, moved: Float, level: float, told: str) -> Shares:
    """Join the error of the map, by the jackknife over folds, and that of what it cannot know."""
    folds = deviation.shape[0]
    learnt = deviation.T @ deviation * (folds - 1) / folds
    covariance = learnt + moved
    spread = np.sqrt(np.diag(covariance))
    part = np.divide(np.diag(learnt), np.diag(covariance), where=spread > 0, out=0 * spread)
    effective = 1 + (folds - 1) / np.maximum(part**2, 1e-6)  # Satterthwaite
    low, high = bounded(share, spread, effective, level, 0 * share, np.ones(share.size))
    return Shares(share, covariance, low, high, effective, told)


class _Grid:
    """Rows of each category, counted in cells of predictions."""

    def __init__(self, tallies: "Tallies", code: Int, count: int) -> None:
        once = np.ones(len(tallies)) if tallies.weight is None else tallies.weight
        q = tallies.expected
        edges = np.unique(np.quantile(q, np.linspace(0, 1, GRID + 1)[1:-1]))
        place = np.searchsorted(edges, q)
        cells = edges.size + 1
        held = np.bincount(place, once, minlength=cells)
        self.q = np.bincount(place, once * q, minlength=cells) / np.where(held > 0, held, 1.0)
        at = place * count + code
        self.n = np.bincount(at, once, minlength=cells * count).reshape(cells, count)
        self.held = self.n.sum(axis=0)
        self.place = place

    def base_rates(self, map: Map, rate: float) -> tuple[Float, Float]:
        """The base rate of each category, and the probability of yes in each cell of each."""
        p = map(np.clip(self.q, 0, 1))[:, None]
        yes, no = p / rate, (1 - p) / (1 - rate)
        found = np.sum(self.n * p, axis=0) / self.held
        for _ in range(STEPS):
            chance = found * yes / (found * yes + (1 - found) * no)
            better = np.sum(self.n * chance, axis=0) / self.held
            if np.max(np.abs(better - found)) < CLOSE:
                break
            found = better
        return found, found * yes / (found * yes + (1 - found) * no)

    def inflation(self, chance: Float, rate: Float) -> Float:
        """By how much a base rate that is estimated itself increases the variance of a count.

        V of the count given the base rate; S, the information in predictions: 1 + V / S.
        """
        unknown = np.sum(self.n * chance * (1 - chance), axis=0)
        known = np.sum(self.n * (chance - rate) ** 2, axis=0)
        return np.asarray(1 + unknown / np.maximum(known, 1e-12))


def mapped(tallies: "Tallies", learnt: list[Learnt], part: Int) -> Float:
    """The recalibrated prediction of each row."""
    found = np.empty(len(tallies))
    for k, each in enumerate(learnt):
        found[part == k] = each.map(tallies.expected[part == k])
    return found
