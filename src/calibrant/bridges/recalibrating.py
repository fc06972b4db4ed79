"""Recalibrate pairs and posteriors: choose the methods that fit what is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration import recalibrating as of_pairs
from calibrant.calibration.recalibration.classes import recalibrating as of_classes
from calibrant.calibration.recalibration.classes.rows import Rows
from calibrant.calibration.recalibration.method import Method, PairMethod, RowMethod
from calibrant.calibration.recalibration.recalibrator import Recalibrator
from calibrant.calibration.scores import MeanLoss
from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.results.choices import choose
from calibrant.structures.gold import label_groups
from calibrant.structures.labels.labels import Labels

M = TypeVar("M", bound=Method)


@dataclass(frozen=True)
class Judging:
    """How maps are judged: the rule, the level and the interval of its change."""

    rule: MeanLoss
    level: float
    interval: Bootstrap | None

    @property
    def seed(self) -> int:
        """The seed of folds, which is that of the interval."""
        return 0 if self.interval is None else self.interval.seed


def recalibrate_one(pairs: Pairs, method: Method | str, judging: Judging) -> Recalibrator:
    """The map of pairs."""
    methods = _methods(method, of_pairs.AUTO, PairMethod, "pairs")
    return of_pairs.recalibrate_pairs(
        pairs, methods, judging.rule, judging.level, judging.interval, judging.seed
    )


def recalibrate_labels(
    posterior: Labels, gold: object, group: object, method: Method | str, judging: Judging
) -> Recalibrator:
    """The map of rows of classes."""
    if gold is None:
        raise InputError("To recalibrate Labels, give the true labels: gold=...")
    units = None if group is None else label_groups(len(posterior), group, "item")
    q = posterior.probabilities.astype(np.float64)
    rows = Rows(q, posterior.codes(gold), posterior.names, units)
    if (rows.truth == rows.truth[0]).all():
        name = rows.classes[int(rows.truth[0])]
        raise InputError(f"All gold labels are {name!r}, so there is nothing to learn a map from.")
    return row_map(rows, method, of_classes.AUTO, judging)


def row_map(
    rows: Rows, method: Method | str, auto: Sequence[RowMethod], judging: Judging
) -> Recalibrator:
    """The map of rows; `auto` says what to choose from."""
    methods = _methods(method, auto, RowMethod, "rows of classes")
    return of_classes.recalibrate_rows(
        rows, methods, judging.rule, judging.level, judging.interval, judging.seed
    )


def _methods(given: Method | str, auto: Sequence[M], kind: type, of: str) -> Sequence[M]:
    """The methods to choose from; refuse one for other data."""
    chosen: Any = chosen_method(given)
    if chosen is None:
        return auto
    fits = isinstance(chosen, kind)
    if not fits:
        known = ", ".join(map(repr, auto))
        raise ParameterError(f"{chosen!r} is not a method for {of}: take {known} or auto.")
    return (chosen,)


def chosen_method(given: Method | str) -> Method | None:
    """The method of this printed form; None for "auto"."""
    if isinstance(given, str) and given.strip().lower() == "auto":
        return None
    found: Method = choose(given, "recalibrator")
    return found
