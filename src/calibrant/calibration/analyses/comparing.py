"""Compare several models on the same questions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from calibrant.calibration.analyses.accuracies import accuracies_of, accuracy_differences
from calibrant.calibration.analyses.adjusting import holm
from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.analyses.differences import (
    Bounded,
    Difference,
    Sums,
    plain_difference,
    with_limits,
)
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.analyses.leaving_out import Folds, left_out_sizes, left_out_totals
from calibrant.calibration.analyses.products import counted_twice, products
from calibrant.calibration.gaps.norms import Squared
from calibrant.calibration.groups.units import refuse_one_group
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.scores import CalibrationError, CalibScore, MeanLoss, Score
from calibrant.calibration.scores.score import GapScore
from calibrant.errors import UnsupportedError
from calibrant.pairs import Pairs
from calibrant.pairs.questions import same_questions
from calibrant.pairs.shared_order import in_shared_order
from calibrant.pairs.shares import warn_of_shares
from calibrant.results.estimate import Estimate, signature
from calibrant.results.verdict import share_beyond

Both = tuple[str, str]  # the names of two models


def compare_pairs(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    interval: Bootstrap | None,
    *,
    key: Sequence[Any] | None = None,
    own_answers: bool = False,
) -> Comparison:
    """Compare models whose rows, perhaps after sorting by keys, are the same questions."""
    known = same_questions(models, key, own_answers)
    ordered = in_shared_order(known)
    for pairs in known.values():
        warn_of_shares(pairs)  # now that the questions are known to match
    estimates = {
        name: estimate_score(each, score, interval, level) for name, each in ordered.items()
    }
    return compare_models(ordered, score, level, interval, estimates, own_answers)


def compare_models(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    interval: Bootstrap | None,
    estimates: Mapping[str, Estimate],
    own_answers: bool = False,
) -> Comparison:
    """Compare every two models; without an interval, compute only their differences.

    With `own_answers`, y differs between models, and their accuracies are compared too.
    """
    _refuse_incomparable(score, estimates)
    names = sorted(models, key=lambda name: estimates[name].value)
    ranked = {name: estimates[name] for name in names}
    first = next(iter(models.values()))
    how = ["own_answers"] if own_answers else []
    if interval is not None:
        refuse_one_group(first.groups, bare=True)
        how += [interval.spelled(), f"level={level:g}"]
    signed = signature(repr(score), first, *how)
    folds = None if interval is None else Folds.of(models)
    pairs = list(combinations(names, 2))
    differences = {(a, b): plain_difference((a, b), ranked[a], ranked[b], signed) for a, b in pairs}
    p_values: dict[Both, float] = {}
    if folds is not None:
        assert interval is not None  # without one there are no folds
        found = _differences(models, score, level, ranked, pairs, folds, interval, own_answers)
        differences = {both: with_limits(differences[both], found[both], level) for both in pairs}
        p_values = {both: each.p_value for both, each in found.items()}
    compared = Comparison(ranked, differences, p_values, holm(p_values))
    return _with_accuracies(compared, models, folds) if own_answers else compared


def _differences(
    models: Mapping[str, Pairs],
    score: Score,
    level: float,
    ranked: Mapping[str, Estimate],
    pairs: Sequence[Both],
    folds: Folds,
    interval: Bootstrap,
    own_answers: bool,
) -> dict[Both, Difference]:
    """The difference of every two models, with its limits."""
    totals = {name: left_out_totals(score, each, folds) for name, each in models.items()}
    both = {name: products(score, each, folds) for name, each in models.items() if own_answers}
    bounded = {}
    calibrated = {}
    if isinstance(score, GapScore) and not _smooth(score):
        for name, each in models.items():
            middle = interval.limits(score, score.evidence(each), 0.0)
            bounded[name] = Bounded.of(ranked[name], middle)
            calibrated[name] = _calibrated(score, each, interval)
    found = {}
    for a, b in pairs:
        twice = counted_twice(both.get(a), both.get(b))
        sums = Sums(totals[a][0], totals[b][0], totals[a][1], totals[b][1], folds, twice)
        if _smooth(score):
            found[a, b] = sums.by_jackknife(level, isinstance(score, CalibScore))
        else:
            assert isinstance(score, GapScore)  # all others are smooth
            arms = sums.by_arms(bounded[a], bounded[b], level, _signed(score))
            sizes = left_out_sizes(score, models[a], models[b], folds, (totals[a][1], totals[b][1]))
            known = min(calibrated[a], calibrated[b])
            found[a, b] = arms if sizes is None else sums.by_sizes(sizes, arms, known, level)
    return found


def _calibrated(score: GapScore, pairs: Pairs, interval: Bootstrap) -> float:
    """The p-value of the test whose rejection lifts the lower limit of the score above 0.

    If no replicate of a calibrated model has a score as large as the observed one, its tail is
    that of the size of one normal number, which no sum of sizes exceeds.
    """
    from scipy.special import ndtr

    gaps = score.evidence(pairs).cells
    norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
    forecasters = Forecasters(norm, gaps, Draws(interval.replicates, interval.seed))
    null, observed = forecasters.null(), forecasters.observed
    found = min(2 * share_beyond(null, observed), 1.0)
    spread = float(np.sqrt(np.mean(null**2)))
    if observed <= null.max() or spread == 0:
        return found
    return min(found, 4 * float(ndtr(-observed / spread)))


def _with_accuracies(
    compared: Comparison, models: Mapping[str, Pairs], folds: Folds | None
) -> Comparison:
    """Add how often each model is right, and by how much every two differ."""
    ranked = {name: models[name] for name in compared.scores}
    accuracies = accuracies_of(ranked, compared.level, compared.signature, folds is not None)
    differences = accuracy_differences(ranked, accuracies, folds)
    return replace(compared, accuracies=accuracies, accuracy_differences=differences)


def _refuse_incomparable(score: Score, estimates: Mapping[str, Estimate]) -> None:
    if score.above is not None or score.below is not None:
        raise UnsupportedError(
            "Models put different questions into a range of q, so they cannot be compared there: "
            "leave above and below out."
        )
    for name, estimate in estimates.items():
        if not np.isfinite(estimate.value):
            raise UnsupportedError(
                f"{estimate.score} of {name} is infinite, so it cannot be compared."
            )


def _smooth(score: Score) -> bool:
    """Whether a score is a mean or a sum of squares, so that the jackknife is right."""
    return isinstance(score, MeanLoss) or (
        isinstance(score, CalibrationError) and isinstance(score.norm, Squared)
    )


def _signed(score: Score) -> bool:
    """Whether gaps may cancel each other in the score."""
    return isinstance(score, GapScore) and score.norm.signed
