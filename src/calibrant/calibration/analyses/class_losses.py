"""Mean losses of the probabilities of all classes at once."""

from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.differences import Sums, plain_difference, with_limits
from calibrant.calibration.analyses.leaving_out import Folds, left_out_means
from calibrant.calibration.gaps.foreseen import Foreseen
from calibrant.calibration.gaps.losses import losses
from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.groups.units import refuse_one_group
from calibrant.calibration.intervals import Interval
from calibrant.calibration.scores import Brier, LogLoss, Score
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def class_loss(
    classes: Sequence[Pairs], rule: Score, interval: Interval | None, level: float
) -> Estimate:
    """Estimate the mean multi-class loss of items; intervals resample items, or groups.

    `classes` are the pairs of the question "is it this class?", for every class.
    """
    q = np.column_stack([each.q.astype(np.float64, copy=False) for each in classes])
    truth = np.column_stack([each.y == 1 for each in classes]).argmax(axis=1)
    return matrix_loss(q, truth, classes[0].group, check_rule(rule), interval, level)


def check_rule(rule: Score) -> Brier | LogLoss:
    """Refuse what is no loss over all classes."""
    if not isinstance(rule, Brier | LogLoss) or rule.above is not None or rule.below is not None:
        raise ParameterError(
            "A loss over all classes must be Brier or LogLoss, without a range, but it is "
            f"{rule!r}."
        )
    return rule


def matrix_loss(
    q: Float,
    truth: Int,
    group: NDArray[Any] | None,
    rule: Brier | LogLoss,
    interval: Interval | None,
    level: float,
) -> Estimate:
    """Estimate the mean loss of rows of probabilities, given the true column of each."""
    pairs = _of_truth(q, truth, group)
    rows = row_losses(rule, q, truth) if isinstance(rule, Brier) else rule.row_losses(pairs)
    evidence = losses(pairs, rows, rule.loss, _foreseen(rule, q, rows))
    low = high = None
    how: tuple[str, ...] = ()
    if interval is not None:
        low, high = interval.around(evidence.value, rule, evidence, level)
        warn_few(pairs.effective_groups)
        how = interval.spelled(), f"level={level:g}"
    name = f"{rule!r} of {q.shape[1]} classes"
    return Estimate(
        score=name,
        value=evidence.value,
        low=low,
        high=high,
        level=level,
        n=pairs.n,
        groups=pairs.groups,
        plugin=None,
        too_small=0,
        signature=signature(name, pairs, *how),
        effective=pairs.effective_groups,
    )


def change_of_loss(
    before: Float,
    after: Float,
    truth: Int,
    group: NDArray[Any] | None,
    rule: Brier | LogLoss,
    interval: Interval | None,
    level: float,
) -> tuple[Estimate, float]:
    """The mean loss of rows after minus that of rows before, and its p-value."""
    pairs = {"after": _of_truth(after, truth, group), "before": _of_truth(before, truth, group)}
    rows = [row_losses(rule, each, truth) for each in (after, before)]
    a, b = (matrix_loss(each, truth, group, rule, None, level) for each in (after, before))
    how = () if interval is None else (interval.spelled(), f"level={level:g}")
    plain = plain_difference(("after", "before"), a, b, signature(a.score, pairs["after"], *how))
    if interval is None:
        return plain, nan
    refuse_one_group(pairs["after"].groups, bare=True)
    folds = Folds.of(pairs)
    changes = [left_out_means(each, pairs["after"], folds) for each in rows]
    found = Sums(a.value, b.value, changes[0], changes[1], folds).by_jackknife(level, False)
    return with_limits(plain, found, level), found.p_value


def _of_truth(q: Float, truth: Int, group: NDArray[Any] | None) -> Pairs:
    """The probability of the true class of each item."""
    chosen = q[np.arange(truth.size), truth].clip(0.0, 1.0)
    return Pairs(np.ones(truth.size, np.int8), chosen, group=group)


def row_losses(rule: Brier | LogLoss, q: Float, truth: Int) -> Float:
    """The loss of each row: Σ (q_k − y_k)², or −log of the probability of the true class."""
    rows = np.arange(truth.size)
    if isinstance(rule, LogLoss):
        return rule.loss(q[rows, truth], 1)
    gap = q.astype(np.float64)
    gap[rows, truth] -= 1.0
    return np.asarray((gap**2).sum(axis=1))


def _foreseen(rule: Brier | LogLoss, q: Float, rows: Float) -> Foreseen:
    """What the probabilities say of the losses of the items."""
    if isinstance(rule, Brier):
        each = 1 - 2 * q + (q**2).sum(axis=1, keepdims=True)  # the loss if this class is true
    else:
        each = np.where(q > 0, -np.log(np.where(q > 0, q, 1.0)), 0.0)
    mean = np.asarray((q * each).sum(axis=1))
    spread = np.sqrt((q * (each - mean[:, None]) ** 2).sum(axis=1))
    return Foreseen(
        lambda some: mean[some],
        lambda some: spread[some],
        lambda some: (rows[some] - mean[some]) ** 2,
    )
