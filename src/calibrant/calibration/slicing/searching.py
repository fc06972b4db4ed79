"""Search for the worst slices in one half of the groups, and confirm them in the other.

Any number of slices may be looked at in the first half. Only the few that look worst there are
measured and tested in the second, whose pairs had no say in the choice. So their p-values are
adjusted for these few alone, and their intervals are not biased by the search.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.slicing.cuts import (
    MOST_SEARCHED,
    Cut,
    Part,
    Parts,
    Wanted,
    crossed,
    each_part,
    rows_of,
)
from calibrant.calibration.slicing.rest import hotelling
from calibrant.calibration.slicing.slices import pairs_of
from calibrant.checks.arrays import sum_by
from calibrant.errors import UnsupportedError, option
from calibrant.pairs import Pairs
from calibrant.results.verdict import FEWEST
from calibrant.results.wording import counted

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Small = Callable[[Pairs], str]  # why pairs are too few to be tested; empty if they are not
CONFIRMED = 5  # slices that are confirmed: with more, each needs stronger evidence
SAME = 0.8  # slices that share more of their rows than this are taken as one
OUTSIDE = -1  # the part of rows that are not in the confirming half
UNSURE = 0.02


@dataclass(frozen=True, eq=False)
class Search:
    """The slices to confirm, in the half of the pairs that confirms them."""

    pairs: Pairs
    parts: list[Parts]
    searched: int


def search(pairs: Pairs, cuts: dict[Wanted, Cut], seed: int, too_small: Small) -> Search:
    """Find the slices that look worst in one half of the groups."""
    first, second = halves(pairs, list(cuts.values()), seed)
    searching, confirming = pairs.take(first), pairs.take(second)
    every = [
        parts
        for parts in candidates(list(cuts.values()))
        if not too_small(pairs_of(searching, parts)) and not too_small(pairs_of(confirming, parts))
    ]
    if not every:
        raise UnsupportedError(
            "No slice is large enough to be searched: half of its groups must confirm what the "
            f"other half finds. Name slices with {option('by')} and leave {option('worst')} out."
        )
    p_values = [suspicion(pairs_of(searching, parts)) for parts in every]
    chosen = _different([every[k] for k in np.argsort(p_values, kind="stable")])
    return Search(confirming, _within(confirming, chosen), len(every))


def candidates(cuts: list[Cut]) -> list[Parts]:
    """The slices of each column and of every two."""
    found: list[Parts] = [(part,) for cut in cuts for part in each_part(cut)]
    for one, other in combinations(cuts, 2):
        if one.column != other.column:
            found += crossed(one, other)
        if len(found) > MOST_SEARCHED:
            raise UnsupportedError(
                f"There are more than {MOST_SEARCHED} slices of two columns: name fewer columns "
                f"with {option('by')}."
            )
    return found


def halves(pairs: Pairs, cuts: list[Cut], seed: int) -> tuple[Int, Int]:
    """The positions of two halves of the groups (or rows), alike in size.

    Groups are sorted by what they hold, not by their labels, and of every two neighbours one goes
    to each half.
    """
    codes = np.arange(len(pairs)) if pairs.codes is None else pairs.codes
    units = int(codes.max()) + 1
    if units < 2 * FEWEST:
        what = "group" if pairs.groups else "pair"
        raise UnsupportedError(
            f"A search needs at least {2 * FEWEST} groups, half of them to confirm what the other "
            f"half finds, but there are {counted(units, what)}: leave {option('worst')} out."
        )
    second = np.zeros(units, bool)
    order = _by_content(pairs, cuts, codes, units)
    coins = np.random.default_rng(seed).integers(0, 2, (units + 1) // 2)
    second[order] = (np.arange(units) + coins[np.arange(units) // 2]) % 2 == 1
    inside = second[codes]
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def _by_content(pairs: Pairs, cuts: list[Cut], codes: NDArray[np.integer], units: int) -> Int:
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    origin = np.arange(len(pairs)) if pairs.origin is None else pairs.origin
    away = np.abs(pairs.predicted.astype(np.float64) - 0.5)
    wrong = np.abs(pairs.y - pairs.predicted.astype(np.float64))
    held = [weight, weight * away.round(9), weight * wrong.round(9)]
    held += [weight * (1 + cut.codes[origin]) for cut in cuts]
    sums = [sum_by(codes, each, units).round(6) for each in held]
    return np.lexsort(sums[::-1])


def suspicion(pairs: Pairs) -> float:
    """A quick p-value of a shift or a slope in the errors, by which slices are ranked."""
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    codes = np.arange(len(pairs)) if pairs.codes is None else pairs.codes
    q = np.clip(pairs.q.astype(np.float64), UNSURE, 1 - UNSURE)
    residual = weight * (pairs.y - pairs.predicted.astype(np.float64))
    logit = np.log(q / (1 - q))
    return hotelling(np.column_stack([sum_by(codes, residual * x) for x in (1.0, logit)]))


def _different(ranked: list[Parts]) -> list[Parts]:
    """The first few slices that are not nearly the same rows as an earlier one."""
    kept: list[Parts] = []
    rows: list[Int] = []
    for parts in ranked:
        mine = rows_of(parts)
        if all(_shared(mine, other) <= SAME for other in rows):
            kept.append(parts)
            rows.append(mine)
        if len(kept) == CONFIRMED:
            break
    return kept


def _shared(one: Int, other: Int) -> float:
    both = np.intersect1d(one, other, assume_unique=True).size
    return both / (one.size + other.size - both)


def _within(half: Pairs, chosen: list[Parts]) -> list[Parts]:
    """The same slices, of the rows of the confirming half alone."""
    cuts: dict[int, Cut] = {}
    assert half.origin is not None  # pairs that are searched remember their rows
    for parts in chosen:
        for part in parts:
            if id(part.cut) not in cuts:
                codes = np.full_like(part.cut.codes, OUTSIDE)
                codes[half.origin] = part.cut.codes[half.origin]
                cuts[id(part.cut)] = replace(part.cut, codes=codes)
    return [tuple(Part(cuts[id(part.cut)], part.code) for part in parts) for parts in chosen]
