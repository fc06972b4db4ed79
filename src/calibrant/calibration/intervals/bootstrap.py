"""The default interval, which inverts a test.

It considers forecasters whose gaps are c times the observed ones, and keeps every c for which the
observed score is plausible. The noise of a gap changes little with c, so the same draws can be
used for a range of c.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.gaps.cell_gaps import CellGaps
from calibrant.calibration.gaps.evidence import Evidence
from calibrant.calibration.gaps.losses import Losses
from calibrant.calibration.gaps.norms import Norm, Squared
from calibrant.calibration.groups.units import refuse_one_group
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.intervals.interval import FEWEST, MOST, Interval
from calibrant.calibration.intervals.means import mean_limits
from calibrant.calibration.scores.score import GapScore, Score
from calibrant.checks.parameters import whole_number
from calibrant.errors import ParameterError

Float = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Bootstrap(Interval):
    """The default interval: it keeps every score that the data do not rule out.

    For a calibration error, the limits are the smallest and the largest true score under which
    the observed score is not in the outer (1 − level)/2 of the replicates. The replicates
    simulate forecasters with other gaps. Without groups, they are binomial counts in every bin.
    With groups (sentences, documents), every group stays, and the sign or size of what it adds
    is drawn (a wild bootstrap), so the limits hold for few and unequal groups too. The lower limit
    is above 0 exactly if the test `Consistency` of the score, with the same replicates and seed,
    has p ≤ (1 − level)/2. `test` asks a broader question by default (`Joint`), so it may reject
    although an interval starts at 0.

    For `Brier` and `LogLoss` the limits are the quantiles of the replicates or, with groups, come
    from the jackknife over groups with Student's t.

    The result depends on the seed, but not on the order of rows or the labels of groups.

    Parameters
    ----------
    replicates
        How many replicates to draw (default: 1000).
    seed
        The seed of the draws (default: 0).
    """

    replicates: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        replicates = whole_number("replicates", self.replicates, FEWEST, MOST)
        object.__setattr__(self, "replicates", replicates)
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))

    def limits(self, score: Score, evidence: Evidence, level: float) -> tuple[float, float]:
        """Lower and upper limit at `level`."""
        refuse_one_group(evidence.groups or 0, bare=True)
        if isinstance(evidence, Losses):
            return self._mean(evidence, level)
        assert isinstance(score, GapScore)  # no other score has gaps
        return self._gaps(score, evidence.cells, level)

    def _mean(self, losses: Losses, level: float) -> tuple[float, float]:
        if not np.isfinite(losses.value):
            return losses.value, losses.value
        if losses.grouped:
            return mean_limits(losses, level)
        tail = (1 - level) / 2
        limits = np.quantile(self._means(losses), [tail, 1 - tail])
        low, high = np.clip(limits, losses.least, losses.most).tolist()
        return low, high

    def _means(self, losses: Losses) -> Float:
        """The mean loss of each replicate."""
        generator = np.random.default_rng(self.seed)
        n = round(losses.weight.sum())
        kinds = losses.weight / losses.weight.sum()
        drawn = generator.multinomial(n, kinds, self.replicates)
        replicates = drawn @ (losses.total / losses.weight) / n
        centred: Float = replicates + (losses.value - losses.total.sum() / n)
        return centred

    def _gaps(self, score: GapScore, gaps: CellGaps, level: float) -> tuple[float, float]:
        norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
        draws = Draws(self.replicates, self.seed)
        forecasters = Forecasters(norm, gaps, draws)
        low, high = forecasters.limits(level)
        outcomes = None if gaps.clusters is None else gaps.clusters.outcomes
        if outcomes is not None:
            if norm.average:
                high = min(high, norm.ceiling(Forecasters(Squared(), gaps, draws).high(level)))
            high = max(_possible(high, norm, outcomes.squares, level), low)
        return score.scale(low), score.scale(high)


def _possible(high: float, norm: Norm, squares: Losses, level: float) -> float:
    """An upper limit that the mean of (q − y)² allows."""
    if high <= norm.ceiling(squares.value):  # its upper limit allows more
        return high
    least, most = mean_limits(squares, level)
    if least < most:
        return min(high, norm.ceiling(most))
    return high  # it is not known how far the mean square may be off


def only_bootstrap(interval: Interval | None, what: str) -> Bootstrap | None:
    """The interval, where no other kind is supported; `what` begins the error."""
    if interval is None or isinstance(interval, Bootstrap):
        return interval
    raise ParameterError(f"{what} by Bootstrap, not by {interval!r}.")
