"""Everything that a page shows about models, computed by the same functions as the verbs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from calibrant.bridges.overview import few_bins, smooth_curve
from calibrant.calibration.analyses.comparing import compare_pairs
from calibrant.calibration.analyses.comparison import Comparison
from calibrant.calibration.analyses.decomposing import decompose_loss
from calibrant.calibration.analyses.decomposition import Decomposition
from calibrant.calibration.analyses.describing import describe_pairs
from calibrant.calibration.analyses.description import Description
from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.analyses.group_gaps import GroupGaps, group_gaps
from calibrant.calibration.curves import AdaptiveBins, Curve, LocalLikelihood
from calibrant.calibration.hypotheses import Consistency, Cox, Cumulative, Joint
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.recalibration.recalibrating import AUTO, recalibrate_pairs
from calibrant.calibration.recalibration.recalibrator import Recalibrator
from calibrant.calibration.scores import Brier, CalibScore, LogLoss, Score
from calibrant.calibration.slicing.measuring import Plan, measure_slices
from calibrant.calibration.slicing.sliceable import from_predictions
from calibrant.calibration.slicing.slices import Slice, Slices
from calibrant.errors import CalibrantError, InputError, UnsupportedError, option
from calibrant.pairs import Pairs
from calibrant.results.choices import seeded
from calibrant.results.estimate import Estimate, Estimates
from calibrant.results.verdict import Verdicts
from calibrant.tables.predictions import Predictions

if TYPE_CHECKING:
    import polars

T = TypeVar("T")
SCORES = (CalibScore(), Brier(), LogLoss())
TESTS = (Joint(), Cox(), Cumulative(), Consistency())


class Asked(NamedTuple):
    """One model: its pairs, and the columns beside them."""

    pairs: Pairs
    columns: "polars.DataFrame | None" = None  # None: there are no rows behind the pairs
    place: Callable[[int], str] | None = None  # what a row is called; None: "row 0", "row 1", ...
    read: str = ""  # what was read, in words
    outcomes: tuple[str, str] = ("it did not happen (y = 0)", "it happened (y = 1)")
    table: Predictions | None = None  # all columns, to slice by; None: there are none


class Settings(NamedTuple):
    """How numbers are computed."""

    scores: Sequence[Score] = SCORES
    level: float = 0.95
    interval: Bootstrap | None = Bootstrap()
    seed: int | None = None
    by: Sequence[str] = ()  # columns to slice by
    recalibrate: bool = False  # whether to measure what recalibration would gain


@dataclass(frozen=True, slots=True)
class ModelFindings:
    """What was found about one model.

    Attributes
    ----------
    name
        What the model is called.
    asked
        Its pairs, and the columns beside them.
    scores
        Its scores; those that cannot be computed are left out.
    description
        As `describe` returns it. This and what follows is None if it cannot be computed.
    tests
        The default test, and its parts.
    decomposition
        Of the Brier score.
    smooth
        The smooth curve.
    bins
        At most twenty bins.
    groups
        The groups, the farthest off first; None if there are none.
    slices
        The slices, the worst first; None if none were asked for.
    slice_curves
        The curve of each slice, in the same order; None for those that were not tested.
    recalibration
        What recalibration would gain; None unless asked for.
    missing
        Why something is missing, in sentences.
    """

    name: str
    asked: Asked
    scores: Estimates
    description: Description | None
    tests: Verdicts | None
    decomposition: Decomposition | None
    smooth: Curve | None
    bins: Curve
    groups: GroupGaps | None
    slices: Slices | None
    slice_curves: tuple[Curve | None, ...]
    recalibration: Recalibrator | None
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found about one or more models, and how they differ (None: not compared)."""

    models: tuple[ModelFindings, ...]
    comparison: Comparison | None
    not_compared: str
    settings: Settings


class Compared(NamedTuple):
    """How models are compared: on which pairs, joined by which keys, and about whose answers."""

    pairs: Mapping[str, Pairs]
    key: Sequence[NDArray[Any]] | None = None
    own_answers: bool = False


def find(
    models: Mapping[str, Asked],
    settings: Settings,
    compared: Compared | str = "",
    tell: Callable[[str], None] | None = None,
) -> Findings:
    """Examine every model, and compare them; or say why they are not compared."""
    if not models:
        raise InputError("There must be at least one model.")
    found = []
    for name, asked in models.items():
        if tell is not None:
            tell(name)
        found.append(_examine(name, asked, settings))
    if isinstance(compared, str):
        return Findings(tuple(found), None, compared, settings)
    try:
        return Findings(tuple(found), _comparison(compared, settings), "", settings)
    except CalibrantError as error:
        return Findings(tuple(found), None, str(error), settings)


def _comparison(compared: Compared, settings: Settings) -> Comparison:
    return compare_pairs(
        compared.pairs,
        settings.scores[0],
        settings.level,
        seeded(settings.interval, settings.seed),
        key=compared.key,
        own_answers=compared.own_answers,
    )


class _Refusals(list[str]):
    """Why parts are missing."""

    def unless(self, make: Callable[[], T]) -> T | None:
        """What `make` returns; None if it refuses, and the reason is kept."""
        try:
            return make()
        except CalibrantError as error:
            self.append(str(error))
            return None


def _examine(name: str, asked: Asked, settings: Settings) -> ModelFindings:
    pairs, level = asked.pairs, settings.level
    how = None if pairs.groups == 1 else seeded(settings.interval, settings.seed)
    tests = [seeded(each, settings.seed) for each in TESTS]
    refusals = _Refusals()
    slices = _sliced(asked, settings)
    scores = [
        refusals.unless(partial(estimate_score, pairs, score, how, level))
        for score in settings.scores
    ]
    return ModelFindings(
        name=name,
        asked=asked,
        scores=_there(scores, refusals),
        description=refusals.unless(lambda: describe_pairs(pairs, level, pairs.groups != 1)),
        tests=refusals.unless(lambda: Verdicts(each(pairs) for each in tests)),
        decomposition=refusals.unless(
            lambda: decompose_loss(pairs, Brier(), AdaptiveBins(), level, how)
        ),
        smooth=refusals.unless(lambda: LocalLikelihood().fit(pairs, level)),
        bins=few_bins(pairs, level),
        groups=group_gaps(pairs),
        slices=slices,
        slice_curves=() if slices is None else tuple(_slice_curve(s, level) for s in slices),
        recalibration=refusals.unless(lambda: _gain(pairs, settings, how))
        if settings.recalibrate
        else None,
        missing=tuple(dict.fromkeys(refusals)),
    )


def _gain(pairs: Pairs, settings: Settings, how: Bootstrap | None) -> Recalibrator:
    """What recalibration would gain on unseen groups, as `recalibrate` says by default."""
    return recalibrate_pairs(pairs, AUTO, Brier(), settings.level, how, settings.seed or 0)


def _sliced(asked: Asked, settings: Settings) -> Slices | None:
    """The slices by the columns that were asked for."""
    if not settings.by:
        return None
    if asked.table is None:
        raise InputError(f"Pairs have no columns to slice by: leave {option('by')} out.")
    how = seeded(settings.interval, settings.seed)
    test = seeded(TESTS[0], settings.seed)
    plan = Plan(settings.scores[0], test, how, settings.level, settings.seed or 0)
    return measure_slices(from_predictions(asked.table, settings.by), plan)


def _slice_curve(each: Slice, level: float) -> Curve | None:
    """A smooth curve, or else bins; None for a slice that was not tested."""
    if not each.tested:
        return None
    pairs = each.pairs
    return smooth_curve(pairs, level) or few_bins(pairs, level)


def _there(scores: Sequence[Estimate | None], refusals: Sequence[str]) -> Estimates:
    """The scores that could be computed; at least one."""
    found = [each for each in scores if each is not None]
    if not found:
        raise UnsupportedError(refusals[0])
    return Estimates(found)
