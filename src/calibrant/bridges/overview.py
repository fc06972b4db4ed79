"""What the default picture of pairs shows."""

from dataclasses import dataclass

from calibrant.calibration.analyses.estimation import estimate_score
from calibrant.calibration.curves import AdaptiveBins, Curve, LocalLikelihood
from calibrant.calibration.intervals import Bootstrap
from calibrant.calibration.scores import CalibScore
from calibrant.errors import CalibrantError
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate

MOST_DOTS = 20  # bins of the figure: more are a zigzag


@dataclass(frozen=True, slots=True)
class Overview:
    """A smooth curve, at most twenty bins, and the score with its interval."""

    smooth: Curve | None  # None if there is none, for instance because y is the same everywhere
    bins: Curve
    score: Estimate


def overview_of(pairs: Pairs, level: float = 0.95) -> Overview:
    """The default picture of pairs."""
    how = None if pairs.groups == 1 else Bootstrap()
    score = estimate_score(pairs, CalibScore(), how, level)
    return Overview(smooth_curve(pairs, level), few_bins(pairs, level), score)


def smooth_curve(pairs: Pairs, level: float) -> Curve | None:
    """The smooth curve of pairs; None if there is none."""
    try:
        return LocalLikelihood().fit(pairs, level)
    except CalibrantError:
        return None


def few_bins(pairs: Pairs, level: float) -> Curve:
    """The default bins, or twenty if those are more."""
    bins = AdaptiveBins().fit(pairs, level)
    return bins if len(bins) <= MOST_DOTS else AdaptiveBins(count=MOST_DOTS).fit(pairs, level)
