"""Learn a map from pairs, and measure what it gains on groups that it has not seen."""

from collections import Counter
from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.analyses.decomposing import decompose_loss
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.groups.units import refuse_draws
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.cells import folded_cells
from calibrant.calibration.recalibration.cross_fitting import choose_method, cross_fit
from calibrant.calibration.recalibration.isotonic import Isotonic
from calibrant.calibration.recalibration.logistic import Beta, Platt, Spline, Temperature
from calibrant.calibration.recalibration.maps import IDENTITY
from calibrant.calibration.recalibration.method import Method
from calibrant.calibration.recalibration.recalibrator import QUANTILES, Recalibrator
from calibrant.calibration.scores import CalibScore, MeanLoss
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, Estimates, signature

Float = NDArray[np.float64]
AUTO: tuple[Method, ...] = (Temperature(), Platt(), Beta(), Isotonic(), Spline())
FEWEST = 4  # groups: with fewer, folds cannot tell what a map gains


def recalibrate_pairs(
    pairs: Pairs,
    methods: Sequence[Method],
    rule: MeanLoss,
    level: float,
    interval: Bootstrap | None,
    seed: int,
) -> Recalibrator:
    """The map of the best method, with its cross-fitted evidence."""
    refuse_draws(pairs, "Recalibration", "give predictions, not counts of draws")
    pairs = pairs.tied
    _check(pairs)
    cells = folded_cells(pairs, seed)
    found = cross_fit(cells, methods, rule)
    after = pairs.with_predictions(found.predictions(pairs))
    compared = compare_pairs({"before": pairs, "after": after}, rule, level, interval)
    difference = compared.difference
    if next(iter(compared.differences)) == ("before", "after"):
        difference = difference.turned()
    method = choose_method(cells, methods, rule)
    learnt = IDENTITY if method is None else method.learn(cells.without())
    name = "none" if method is None else repr(method)
    limits = [] if interval is None else [interval.spelled(), f"level={level:g}"]
    how = (f"folds={cells.folds}", f"seed={seed}", *limits)
    return Recalibrator(
        method=name,
        map=learnt,
        told="" if method is None else method.told(learnt),
        before=_measured(pairs, rule, level, interval),
        after=_measured(after, rule, level, interval),
        change=difference,
        p_value=compared.p_value if interval is not None else nan,
        choices=dict(Counter(found.chosen)) if len(methods) > 1 else {},
        quantiles=tuple(np.quantile(pairs.q, np.linspace(0, 1, QUANTILES)).tolist()),
        signature=signature(f"recalibrate({'auto' if len(methods) > 1 else name})", pairs, *how),
    )


def _check(pairs: Pairs) -> None:
    rate = pairs.mean(pairs.y)
    if rate in (0.0, 1.0):
        raise InputError(f"All y are {rate:.0f}, so there is nothing to learn a map from.")
    if pairs.codes is not None and pairs.groups < FEWEST:
        raise InputError(
            f"There are {pairs.groups} groups, but at least {FEWEST} are needed to tell what a map "
            "gains on unseen ones."
        )
    if pairs.codes is None and len(pairs) < 2 * FEWEST:
        raise InputError(f"There are {len(pairs)} rows, but at least {2 * FEWEST} are needed.")


def _measured(pairs: Pairs, rule: MeanLoss, level: float, interval: Bootstrap | None) -> Estimates:
    """The loss, the calibration error, and the refinement."""
    terms = decompose_loss(pairs, rule, AdaptiveBins(), level, None)
    found: list[Estimate] = [
        estimate_score(pairs, rule, interval, level),
        estimate_score(pairs, CalibScore(), interval, level),
        terms.refinement,
    ]
    return Estimates(found)
