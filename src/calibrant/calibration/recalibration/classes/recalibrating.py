"""Learn a map of rows of classes, and measure what it gains on groups that it has not seen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrant.calibration.analyses.accuracies import accuracies_of
from calibrant.calibration.analyses.class_losses import (
    change_of_loss,
    check_rule,
    matrix_loss,
)
from calibrant.calibration.analyses.classes import collect
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.classes.maps import softmax_rows
from calibrant.calibration.recalibration.classes.methods import Dirichlet, VectorScaling
from calibrant.calibration.recalibration.classes.rows import Rows, folded_rows
from calibrant.calibration.recalibration.cross_fitting import choose_method, cross_fit
from calibrant.calibration.recalibration.drawn import drawn_curve
from calibrant.calibration.recalibration.logistic import Temperature
from calibrant.calibration.recalibration.method import RowMethod
from calibrant.calibration.recalibration.recalibrator import Recalibrator, quantiles_of
from calibrant.calibration.recalibration.sizes import check_units
from calibrant.calibration.scores import CalibScore, LogLoss, MeanLoss
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, Estimates, signature

AUTO: tuple[RowMethod, ...] = (Temperature(), VectorScaling(), Dirichlet())


def recalibrate_rows(
    rows: Rows,
    methods: Sequence[RowMethod],
    rule: MeanLoss,
    level: float,
    interval: Bootstrap | None,
    seed: int,
) -> Recalibrator:
    """The map of the best method, with its cross-fitted evidence."""
    loss = check_rule(rule)
    _check(rows, loss)
    data = folded_rows(rows, seed)
    found = cross_fit(data, methods, loss)
    mapped = found.mapped(rows.z, lambda each, z: softmax_rows(each.on_logs(z)))
    after = rows.with_predictions(mapped)
    change, p_value = change_of_loss(rows.q, mapped, rows.truth, rows.group, loss, interval, level)
    method = choose_method(data, methods, loss)
    learnt = data.unchanged if method is None else data.learnt([method])[0]
    name = "none" if method is None else repr(method)
    limits = [] if interval is None else [interval.spelled(), f"level={level:g}"]
    how = (f"classes={len(rows.classes)}", f"folds={data.folds}", f"seed={seed}", *limits)
    asked = "auto" if len(methods) > 1 else name
    return Recalibrator(
        method=name,
        map=learnt,
        told=method.told_rows(learnt) if isinstance(method, RowMethod) else "",
        before=_measured(rows, loss, level, interval),
        after=_measured(after, loss, level, interval),
        change=change,
        p_value=p_value,
        choices=dict(Counter(found.chosen)) if len(methods) > 1 else {},
        quantiles=quantiles_of(rows.top.q),
        curves={"before": drawn_curve(rows.top, level), "after": drawn_curve(after.top, level)},
        band=None,
        signature=signature(f"recalibrate({asked})", rows.top, *how),
    )


def _check(rows: Rows, rule: MeanLoss) -> None:
    check_units(rows.top)
    missed = rows.q[np.arange(rows.truth.size), rows.truth] <= 0
    if isinstance(rule, LogLoss) and not rule.clip and missed.any():
        raise InputError(
            f"The true class of {int(missed.sum())} of {missed.size} items has probability 0, so "
            "their LogLoss is infinite: judge by Brier, or by LogLoss(clip=1e-6)."
        )


def _measured(rows: Rows, rule: MeanLoss, level: float, interval: Bootstrap | None) -> Estimates:
    """The loss, two calibration errors, and how often the most probable class is right."""
    loss = matrix_loss(rows.q, rows.truth, rows.group, check_rule(rule), interval, level)
    top = estimate_score(rows.top, CalibScore(), interval, level)
    accuracy = accuracies_of({"": rows.top}, level, top.signature, interval is not None)[""]
    found: list[Estimate] = [
        loss,
        _of_classes(rows, level, interval),
        replace(top, score=f"{top.score} of TopLabel"),
        accuracy,
    ]
    return Estimates(found)


def _of_classes(rows: Rows, level: float, interval: Bootstrap | None) -> Estimate:
    """The calibration error over all classes."""
    score = CalibScore()
    pairs = {
        name: Pairs(rows.truth == k, rows.q[:, k].clip(0.0, 1.0), group=rows.group)
        for k, name in enumerate(rows.classes)
    }
    each = {name: estimate_score(one, score, None, level) for name, one in pairs.items()}
    units = np.arange(rows.truth.size) if rows.group is None else rows.group
    return collect(pairs, each, score, units, interval, level).summary
