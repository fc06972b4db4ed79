"""What temperatures change: the loss of whole structures and of the answers to queries."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from math import nan
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.recalibrating import AUTO, recalibrate_pairs
from calibrant.calibration.scores import Brier, CalibScore, MeanLoss, Score
from calibrant.errors import CalibrantError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.query import Query

Float = NDArray[np.float64]


class Part(NamedTuple):
    """Sentences or documents: posteriors of them, as they are and tempered, and what is true."""

    beliefs: tuple[Any, ...]
    gold: Sequence[Any]
    group: NDArray[Any]


class Change(NamedTuple):
    """A score before and after, and the difference with a paired interval."""

    what: str
    before: Estimate
    after: Estimate
    change: Estimate
    p_value: float
    own: bool = False  # by a map of the query alone, not by temperatures


def change_of(
    what: str, before: Pairs, after: Pairs, score: Score, level: float, interval: Bootstrap | None
) -> Change:
    """Compare the same questions before and after."""
    found = compare_pairs({"before": before, "after": after}, score, level, interval)
    difference = found.difference
    if next(iter(found.differences)) == ("before", "after"):
        difference = difference.turned()
    named = {name: replace(each, score=what) for name, each in found.scores.items()}
    p = found.p_value if interval is not None else nan
    return Change(what, named["before"], named["after"], difference, p)


def query_changes(
    parts: Sequence[Part],
    queries: Iterable[Query],
    level: float,
    interval: Bootstrap | None,
    own_maps: bool = True,
) -> list[Change]:
    """The Brier score and the calibration error of every query; perhaps its own map beside it."""
    found = []
    for query in queries:
        before, after = asked(parts, query)
        for score in (Brier(), CalibScore()):
            what = f"{score}, {query}"
            found.append(change_of(what, before, after, score, level, interval))
            if own_maps and isinstance(score, MeanLoss):
                found += _own_map(what, before, score, level, interval)
    return found


def _own_map(
    what: str, before: Pairs, score: MeanLoss, level: float, interval: Bootstrap | None
) -> list[Change]:
    """What a map of this query alone changes; nothing if it cannot be learnt."""
    seed = 0 if interval is None else interval.seed
    try:
        its = recalibrate_pairs(before, AUTO, score, level, interval, seed)
    except CalibrantError:  # such as one answer only
        return []
    named = f"{what}, own map"
    return [
        Change(
            named,
            replace(its.before[0], score=named),
            replace(its.after[0], score=named),
            its.change,
            its.p_value,
            own=True,
        )
    ]


def asked(parts: Sequence[Part], query: Query) -> list[Pairs]:
    """The same questions to each of the posteriors.

    A query with a floor asks about what reaches the floor in any of them.
    """
    floor = getattr(query, "floor", None)
    every: Any = query if not floor else replace(query, floor=0.0)  # type: ignore[type-var]
    answers = [
        [every.pairs(each, part.gold, part.group) for each in part.beliefs] for part in parts
    ]
    found: list[Pairs] = [reduce(add, column) for column in zip(*answers, strict=True)]
    if not floor:
        return found
    kept = np.max([each.q for each in found], axis=0) >= floor
    return [_only(each, kept) for each in found]


def _only(pairs: Pairs, kept: NDArray[np.bool_]) -> Pairs:
    group = None if pairs.group is None else pairs.group[kept]
    return Pairs(pairs.y[kept], pairs.q[kept], group=group)
