"""Learn a map from pairs, and measure what it gains on groups that it has not seen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparing import compare_models
from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.analyses.decomposing import decompose_loss
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.groups.units import refuse_draws
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import choose_method, cross_fit
from calibrant.calibration.recalibration.drawn import band_of, drawn_curve
from calibrant.calibration.recalibration.isotonic import Isotonic
from calibrant.calibration.recalibration.logistic import Beta, Platt, Spline, Temperature
from calibrant.calibration.recalibration.maps import Map
from calibrant.calibration.recalibration.method import PairMethod
from calibrant.calibration.recalibration.recalibrator import Recalibrator, quantiles_of
from calibrant.calibration.recalibration.sizes import check_units
from calibrant.calibration.scores import CalibScore, MeanLoss
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.pairs.shared_order import in_shared_order
from calibrant.results.estimate import Estimate, Estimates, signature

Float = NDArray[np.float64]
AUTO: tuple[PairMethod, ...] = (Temperature(), Platt(), Beta(), Isotonic(), Spline())


def recalibrate_pairs(
    pairs: Pairs,
    methods: Sequence[PairMethod],
    rule: MeanLoss,
    level: float,
    interval: Bootstrap | None,
    seed: int,
) -> Recalibrator:
    """The map of the best method, with its cross-fitted evidence."""
    refuse_draws(pairs, "Recalibration", "give predictions, not counts of draws")
    pairs = pairs.tied
    _check(pairs, rule)
    cells = folded_cells(pairs, seed)
    found = cross_fit(cells, methods, rule)
    q = found.mapped(pairs.q.astype(np.float64), Map.__call__)
    after = pairs.with_predictions(q)
    compared = _compared({"before": pairs, "after": after}, rule, level, interval)
    difference = compared.difference
    if next(iter(compared.differences)) == ("before", "after"):
        difference = difference.turned()
    method = choose_method(cells, methods, rule)
    learnt = cells.unchanged if method is None else cells.learnt([method])[0]
    name = "none" if method is None else repr(method)
    limits = [] if interval is None else [interval.spelled(), f"level={level:g}"]
    how = (f"folds={cells.folds}", f"seed={seed}", *limits)
    return Recalibrator(
        method=name,
        map=learnt,
        told=method.told(learnt) if isinstance(method, PairMethod) else "",
        before=_measured(pairs, rule, level, interval),
        after=_measured(after, rule, level, interval),
        change=difference,
        p_value=compared.p_value if interval is not None else nan,
        choices=dict(Counter(found.chosen)) if len(methods) > 1 else {},
        quantiles=quantiles_of(pairs.q),
        curves={"before": drawn_curve(pairs, level), "after": drawn_curve(after, level)},
        band=band_of(learnt, found.maps, pairs.q, level),
        signature=signature(f"recalibrate({'auto' if len(methods) > 1 else name})", pairs, *how),
    )


def _check(pairs: Pairs, rule: MeanLoss) -> None:
    rate = pairs.mean(pairs.y)
    if rate in (0.0, 1.0):
        raise InputError(f"All y are {rate:.0f}, so there is nothing to learn a map from.")
    check_units(pairs)
    certain = pairs.q[np.where(pairs.q <= 0, pairs.y == 1, (pairs.q >= 1) & (pairs.y == 0))].size
    if certain and not np.isfinite(rule.loss(np.zeros(1), 1)[0]):
        raise InputError(
            f"{certain} of {len(pairs)} pairs gave probability 0 to what happened, so {rule!r} of "
            "predictions as they are is infinite: judge by Brier, or by LogLoss(clip=1e-6)."
        )


def _compared(
    pairs: Mapping[str, Pairs], rule: MeanLoss, level: float, interval: Bootstrap | None
) -> Comparison:
    """As `compare` does, without its advice on shares of draws: a map is of what is given."""
    models = in_shared_order(pairs)
    found = {name: estimate_score(each, rule, interval, level) for name, each in models.items()}
    return compare_models(models, rule, level, interval, found)


def _measured(pairs: Pairs, rule: MeanLoss, level: float, interval: Bootstrap | None) -> Estimates:
    """The loss, the calibration error, and the refinement."""
    terms = decompose_loss(pairs, rule, AdaptiveBins(), level, None)
    found: list[Estimate] = [
        estimate_score(pairs, rule, interval, level),
        estimate_score(pairs, CalibScore(), interval, level),
        terms.refinement,
    ]
    return Estimates(found)
