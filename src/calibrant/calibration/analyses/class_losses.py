"""Mean losses of the probabilities of all classes at once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.losses import losses
from calibrant.calibration.groups.exact_sums import order_free_sum
from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.intervals import Interval
from calibrant.calibration.scores import Brier, LogLoss, Score
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature

Float = NDArray[np.float64]


def class_loss(
    classes: Sequence[Pairs], rule: Score, interval: Interval | None, level: float
) -> Estimate:
    """Estimate the mean multi-class loss of items; intervals resample items, or groups.

    `classes` are the pairs of the question "is it this class?", for every class.
    """
    if not isinstance(rule, Brier | LogLoss) or rule.above is not None or rule.below is not None:
        raise ParameterError(
            "A loss over all classes must be Brier or LogLoss, without a range, but it is "
            f"{rule!r}."
        )
    q = np.column_stack([each.q.astype(np.float64, copy=False) for each in classes])
    y = np.column_stack([each.y == 1 for each in classes])
    truth = Pairs(np.ones(len(q), np.int8), q[y], group=classes[0].group)
    rows = _brier(q, y) if isinstance(rule, Brier) else rule.row_losses(truth)
    promised = order_free_sum(_expected(rule, q)) / len(q)
    evidence = replace(losses(truth, rows, rule.loss), expected=promised)
    low = high = None
    how: tuple[str, ...] = ()
    if interval is not None:
        low, high = interval.around(evidence.value, rule, evidence, level)
        warn_few(truth.effective_groups)
        how = interval.spelled(), f"level={level:g}"
    name = f"{rule!r} of {len(classes)} classes"
    return Estimate(
        score=name,
        value=evidence.value,
        low=low,
        high=high,
        level=level,
        n=truth.n,
        groups=truth.groups,
        plugin=None,
        too_small=0,
        signature=signature(name, truth, *how),
        effective=truth.effective_groups,
    )


def _brier(q: Float, y: NDArray[np.bool_]) -> Float:
    """Σ (q_k − y_k)² of each item."""
    return np.asarray(((q - y) ** 2).sum(axis=1))


def _expected(rule: Brier | LogLoss, q: Float) -> Float:
    """The mean loss of each item if the probabilities were right."""
    if isinstance(rule, Brier):
        return np.asarray((q * (1 - q)).sum(axis=1))
    return np.asarray(np.where(q > 0, -q * np.log(np.where(q > 0, q, 1.0)), 0.0).sum(axis=1))
