"""Fit temperatures to a posterior, and measure what they gain on groups they have not seen."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.bridges.changes import Change, Part, change_of, query_changes
from calibrant.bridges.tempered import Limits, StructureRecalibrator
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.cells import folds_of
from calibrant.calibration.recalibration.sizes import FEWEST
from calibrant.calibration.scores import LogLoss
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.structures.likelihoods import (
    Temperable,
    groups_of,
    likelihood_of,
    usual_queries,
)
from calibrant.structures.query import Query
from calibrant.structures.tempering.likelihood import Fitted, Likelihood, fit
from calibrant.structures.tempering.temperatures import BIAS

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def recalibrate_posterior(
    posterior: Temperable,
    gold: object,
    group: object,
    level: float,
    interval: Bootstrap | None,
    seed: int,
    *,
    separate: bool = False,
    queries: Iterable[Query] | None = None,
) -> StructureRecalibrator:
    """The most likely temperatures, with their cross-fitted evidence."""
    likelihood = likelihood_of(posterior, gold, separate)
    _, codes = np.unique(groups_of(posterior, gold, group), return_inverse=True)
    _check_groups(codes[likelihood.items], likelihood)
    fitted = fit(likelihood)
    fold = _folds(likelihood, codes, seed)
    held = cross_fit(likelihood, fitted, fold[fitted.items])
    change = _structure_change(likelihood, fitted, held, fold, codes, level, interval)
    asked = usual_queries(posterior) if queries is None else tuple(queries)
    parts = _parts(likelihood, held, fold, codes) if asked else []
    changes = query_changes(parts, asked, level, interval)
    how = (f"folds={len(held)}", f"seed={seed}")
    limits = () if interval is None else (interval.spelled(), f"level={level:g}")
    kind = "separate temperatures" if separate else "one temperature"
    pairs = per_unit(likelihood, fitted.items, fitted.peak.measured.log, codes)
    return StructureRecalibrator(
        temperatures=likelihood.temperatures(fitted.peak.at),
        limits=_limits(likelihood, fitted, codes, level),
        loss=change,
        queries=tuple(changes),
        set_aside=likelihood.set_aside,
        signature=signature(f"recalibrate({kind})", pairs, *how, *limits),
    )


def cross_fit(likelihood: Likelihood, fitted: Fitted, fold: Int) -> list[Float]:
    """The parameters that each fold is tempered by, learnt from the other folds."""
    return [fitted.without(fold == k, likelihood) for k in range(int(fold.max()) + 1)]


def per_unit(likelihood: Likelihood, items: Int, log: Float, codes: Int) -> Pairs:
    """The geometric mean probability per word of the gold of each item, weighted by its words.

    So the log loss of these pairs is −Σ log P(gold) per word.
    """
    sizes = likelihood.sizes[items]
    q = np.exp(log / sizes)
    return Pairs(np.ones(items.size), q.clip(0.0, 1.0), weight=sizes, group=codes[items])


def _folds(likelihood: Likelihood, codes: Int, seed: int) -> Int:
    """The fold of every item; a group is in one fold."""
    sizes = np.maximum(likelihood.sizes, 1)
    ones = np.ones(sizes.size)
    pairs = Pairs(ones, ones / 2, weight=sizes, group=codes)
    found = folds_of(pairs, seed).astype(np.int64)
    used = np.unique(found[likelihood.items])  # a fold may hold nothing to learn from
    return np.searchsorted(used, found).clip(0, used.size - 1)


def _structure_change(
    likelihood: Likelihood,
    fitted: Fitted,
    held: list[Float],
    fold: Int,
    codes: Int,
    level: float,
    interval: Bootstrap | None,
) -> Change:
    """The log loss of gold structures before and after, per word or mention."""
    items = fitted.items
    before = likelihood.measure(np.zeros(len(likelihood.names)), items).log
    after = np.empty(items.size)
    for k, at in enumerate(held):
        here = fold[items] == k
        after[here] = likelihood.measure(at, items[here]).log
    both = [per_unit(likelihood, items, log, codes) for log in (before, after)]
    what = f"log loss per {likelihood.of}"
    return change_of(what, both[0], both[1], LogLoss(), level, interval)


def _parts(likelihood: Likelihood, held: list[Float], fold: Int, codes: Int) -> list[Part]:
    """The items of each fold, tempered by what was learnt from the others."""
    found = []
    for k, at in enumerate(held):
        here = np.flatnonzero(fold == k)
        posterior, gold = likelihood.parts(here)
        tempered = posterior.tempered(likelihood.temperatures(at))
        found.append(Part((posterior, tempered), gold, codes[here]))
    return found


def _limits(likelihood: Likelihood, fitted: Fitted, codes: Int, level: float) -> Limits:
    """The interval of each temperature, from gradients summed by group."""
    from scipy.stats import t

    own = codes[fitted.items]
    groups = np.unique(own).size
    reach = float(t.ppf((1 + level) / 2, groups - 1)) * fitted.spread(own)
    ends = zip(likelihood.names, fitted.peak.at - reach, fitted.peak.at + reach, strict=True)
    return {
        name: (float(a), float(b)) if name == BIAS else (float(np.exp(a)), float(np.exp(b)))
        for name, a, b in ends
    }


def _check_groups(codes: Any, likelihood: Likelihood) -> None:  # noqa: ANN401
    many = np.unique(codes).size
    if many < FEWEST:
        lost = int(np.sum(~likelihood.possible))
        more = f" ({lost} impossible gold structures are set aside)" if lost else ""
        raise InputError(
            f"There are {many} groups to learn from{more}, but at least {FEWEST} are needed to "
            "tell what temperatures gain on unseen ones."
        )
