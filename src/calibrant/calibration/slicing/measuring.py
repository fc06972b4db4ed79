"""Measure and test every slice, and adjust the p-values for their number."""

import warnings
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.adjusting import holm
from calibrant.calibration.analyses.describing import mean_excess
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.hypotheses import Hypothesis
from calibrant.calibration.hypotheses.hypothesis import MOST_REPLICATES
from calibrant.calibration.intervals import Interval
from calibrant.calibration.scores import Score
from calibrant.calibration.slicing.cuts import Parts
from calibrant.calibration.slicing.detecting import detectable
from calibrant.calibration.slicing.rest import Rest
from calibrant.calibration.slicing.searching import search
from calibrant.calibration.slicing.sliceable import Sliceable
from calibrant.calibration.slicing.slices import Slice, Slices, pairs_of, positions
from calibrant.errors import CalibrantError, CalibrantWarning
from calibrant.pairs import Pairs
from calibrant.results.estimate import signature
from calibrant.results.verdict import FEWEST
from calibrant.results.wording import counted

Int = NDArray[np.int64]
FEWEST_PAIRS = 30  # independent pairs: with fewer, p-values of tests are approximate
FINER = 10  # replicates per slice and share of false alarms, so that few can be told from none
PROMISING = 0.005  # p-values below it are computed again with more replicates
REPLICATES = 1999


@dataclass(frozen=True)
class Plan:
    """What to measure in each slice."""

    score: Score
    hypothesis: Hypothesis
    interval: Interval | None
    level: float
    seed: int

    def how(self) -> list[str]:
        """The parts of a signature that say so."""
        limits = []
        if self.interval is not None:
            limits = [self.interval.spelled(), f"level={self.level:g}"]
        return [repr(self.score), *limits, self.hypothesis.spelled()]


def measure_slices(source: Sliceable, plan: Plan) -> Slices:
    """Measure and test every slice; the worst come first."""
    return _collected(source.pairs, source.parts(), plan, [f"by={source.choice}"])


def find_worst(source: Sliceable, plan: Plan) -> Slices:
    """Search the slices of up to two columns, and measure the worst in the other half."""
    cuts, left_out = source.suitable_cuts()
    found = search(source.pairs, cuts, plan.seed, too_small)
    how = [f"by={','.join(map(str, cuts))}", f"worst of {found.searched}", f"seed={plan.seed}"]
    measured = _collected(found.pairs, found.parts, plan, how)
    return replace(measured, left_out=left_out, searched=found.searched)


def _collected(pairs: Pairs, every: list[Parts], plan: Plan, how: list[str]) -> Slices:
    with warnings.catch_warnings():  # the table has the effective groups of every slice
        warnings.simplefilter("ignore", CalibrantWarning)
        measured = [_measured(pairs, parts, plan) for parts in every]
        measured = _against_rest(pairs, _judged(measured, plan), plan)
    tested = sum(each.tested for each in measured)
    alone = f"Holm={tested} at {1 - plan.level:g}"
    signed = signature("slices", pairs, *how, *plan.how(), alone)
    ordered = tuple(sorted(measured, key=partial(_badness, alpha=1 - plan.level)))
    return Slices(ordered, plan.level, tested, signed)


def _measured(whole: Pairs, parts: Parts, plan: Plan) -> Slice:
    """The numbers of one slice, and whether it can be tested."""
    pairs = pairs_of(whole, parts)
    reason = too_small(pairs)
    found = Slice(
        parts=parts,
        whole=whole,
        n=pairs.n,
        groups=pairs.groups,
        effective=pairs.effective_groups,
        excess=mean_excess(pairs, plan.level, intervals=plan.interval is not None and not reason),
        reason=reason,
    )
    if reason:
        return found
    try:
        score = estimate_score(pairs, plan.score, plan.interval, plan.level)
        return replace(found, score=score, verdict=plan.hypothesis(pairs))
    except CalibrantError as error:
        return replace(found, reason=str(error))


def too_small(pairs: Pairs) -> str:
    """Why a slice is too small to be tested; empty if it is not."""
    if not len(pairs):  # a slice may have all of its rows in one half of a search
        return "no pairs"
    if pairs.groups:
        few, many, what = pairs.groups < FEWEST, pairs.groups, "group"
        return f"{counted(many, what)}, but {FEWEST} are needed" if few else ""
    few = len(pairs) < FEWEST_PAIRS
    return f"{counted(len(pairs), 'pair')}, but {FEWEST_PAIRS} are needed" if few else ""


def _judged(measured: list[Slice], plan: Plan) -> list[Slice]:
    """Adjust the p-values, after computing small ones with more replicates."""
    tested = [k for k, each in enumerate(measured) if each.tested]
    finer = _finer(plan, len(tested))
    found = list(measured)
    if finer is not None:
        for k in tested:
            p = measured[k].p_value
            if p is not None and 0 < p <= PROMISING:
                found[k] = replace(measured[k], verdict=finer(measured[k].pairs))
    adjusted = holm({k: p for k in tested if (p := found[k].p_value) is not None})
    size = (1 - plan.level) / max(len(tested), 1)
    return [
        replace(each, adjusted=adjusted[k], detectable=detectable(each.pairs, size))
        if k in adjusted
        else each
        for k, each in enumerate(found)
    ]


def _finer(plan: Plan, tests: int) -> Hypothesis | None:
    """The same test with so many replicates that adjusted p-values can be small, if it needs more.

    A p-value is always replaced by the finer one, so that no test has two chances.
    """
    replicates = getattr(plan.hypothesis, "replicates", None)
    wanted = replicates_for(tests, plan.level)
    if replicates is None or wanted <= replicates:
        return None
    changed: Hypothesis = replace(plan.hypothesis, replicates=wanted)  # type: ignore[type-var]
    return changed


def replicates_for(tests: int, level: float) -> int:
    """How many replicates so many adjusted tests need."""
    return int(np.clip(np.ceil(FINER * tests / (1 - level)), REPLICATES, MOST_REPLICATES))


def _against_rest(whole: Pairs, measured: list[Slice], plan: Plan) -> list[Slice]:
    """Test whether slices differ from the rest, and adjust those p-values."""
    tested = [k for k, each in enumerate(measured) if each.tested]
    rest = Rest(whole, min(replicates_for(len(tested), plan.level), 20 * REPLICATES), plan.seed)
    found, p_values = list(measured), {}
    for k in tested:
        inside = positions(whole, measured[k].parts)
        reason = _nothing_to_compare(whole, inside)
        if reason:
            found[k] = replace(measured[k], reason=reason)
        else:
            p_values[k] = rest.p_value(inside)
    adjusted = holm(p_values)
    for k, p in p_values.items():
        found[k] = replace(found[k], p_rest=p, adjusted_rest=adjusted[k])
    return found


def _nothing_to_compare(whole: Pairs, inside: Int) -> str:
    """Why the rest is too small to be compared with; empty if it is not."""
    outside = np.ones(len(whole), bool)
    outside[inside] = False
    if whole.codes is not None:
        many = int(np.unique(whole.codes[outside]).size)
        return f"the rest has only {counted(many, 'group')}" if many < FEWEST else ""
    many = int(outside.sum())
    return f"the rest has only {counted(many, 'pair')}" if many < FEWEST_PAIRS else ""


def _badness(each: Slice, alpha: float) -> tuple[float, ...]:
    """Significant slices by their score, then others by p-value, then those not tested."""
    if each.adjusted is None or each.p_value is None or each.score is None:
        return (2.0, -each.n)
    if each.adjusted < alpha:
        return (0.0, -each.score.value, each.p_value)
    return (1.0, each.p_value, -each.score.value)
