"""The default interval, which inverts a test.

It imagines forecasters whose gaps have the observed pattern, only c times as large, and keeps
every c for which the observed score is not surprising. What replicates add to the gap of a bin
is noise that changes little with c, so a few draws serve all c.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant.calibration.gaps.evidence import Gaps, Losses, refuse_one_group
from calibrant.calibration.gaps.norms import Norm
from calibrant.calibration.gaps.patterns import patterns
from calibrant.calibration.intervals.interval import MOST, Interval, Scored
from calibrant.calibration.intervals.inversion import Worlds, lower_limit, upper_limit
from calibrant.calibration.intervals.worlds import ALMOST, clustered, independent
from calibrant.checks.parameters import whole_number

Search = Callable[[Worlds, float, float, float, float], float]


@dataclass(frozen=True, repr=False)
class Bootstrap(Interval):
    """Resample groups (sentences, documents), or pairs where there are no groups.

    For a calibration error the limits are the smallest and the largest true score under which
    the observed one is not in the outer (1 − level)/2 of its replicates. The replicates belong
    to forecasters with the observed pattern of gaps, scaled; without groups they are drawn from
    the predictions themselves (binomial counts in every bin), with groups from whole groups. So
    the lower limit is 0 exactly when a calibrated model could have produced the data.

    For `Brier` and `LogLoss` the limits are the quantiles of the replicates.

    The result depends on the seed, and neither on the order of rows nor on the labels of groups.

    Parameters
    ----------
    replicates
        How many replicates are drawn.
    seed
        The seed of the draws.
    """

    replicates: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "replicates", whole_number("replicates", self.replicates, 100, MOST)
        )
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))

    def limits(self, score: Any, evidence: Gaps | Losses, level: float) -> tuple[float, float]:  # noqa: ANN401
        """Low and high end at `level`."""
        refuse_one_group(evidence.groups or 0, "leave the group out, or ask for interval=None")
        if isinstance(evidence, Losses):
            return self._mean(evidence, level)
        return self._gaps(score, evidence, level)

    def _mean(self, losses: Losses, level: float) -> tuple[float, float]:
        if not np.isfinite(losses.value):
            return losses.value, losses.value
        if losses.grouped:
            from calibrant.kernels.calibration.groups import resample_means

            replicates = resample_means(losses.total, losses.weight, self.replicates, self.seed)
        else:
            generator = np.random.default_rng(self.seed)
            n = round(losses.weight.sum())
            kinds = losses.weight / losses.weight.sum()
            drawn = generator.multinomial(n, kinds, self.replicates)
            replicates = drawn @ (losses.total / losses.weight) / n
            replicates += losses.value - losses.total.sum() / n
        tail = (1 - level) / 2
        low, high = np.quantile(replicates, [tail, 1 - tail])
        return float(low), float(high)

    def _gaps(self, score: Scored, gaps: Gaps, level: float) -> tuple[float, float]:
        if gaps.coarse is not None:
            gaps = replace(gaps, bins=gaps.coarse, coarse=None)
        norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
        observed = gaps.total(norm, ALMOST) if np.any(gaps.gap) else 0.0
        low, high = patterns(norm, gaps)
        known: dict[int, Worlds] = {}  # by pattern: its noise serves both limits

        def limit(search: Search, pattern: Gaps) -> float:
            return self._limit(search, norm, pattern, observed, level, known)

        return (
            score.scale(norm.settled(min(limit(lower_limit, pattern) for pattern in low))),
            score.scale(norm.settled(max(limit(upper_limit, pattern) for pattern in high))),
        )

    def _limit(
        self,
        search: Search,
        norm: Norm,
        pattern: Gaps,
        observed: float,
        level: float,
        known: dict[int, Worlds],
    ) -> float:
        """A limit of the sum over bins for forecasters of one pattern."""
        if not np.any(pattern.gap):
            return 0.0
        plain = float(norm.plain(pattern.gap, pattern.share))
        if id(pattern) not in known:
            known[id(pattern)] = (
                independent(norm, pattern, plain, self.replicates, self.seed)
                if pattern.clusters is None
                else clustered(
                    norm, pattern, pattern.clusters, observed, plain, self.replicates, self.seed
                )
            )
        worlds = known[id(pattern)]
        best = (max(observed, 0.0) / plain) ** (1 / norm.power)
        furthest = np.maximum(pattern.bins.q, 1 - pattern.bins.q)  # no gap can be larger
        wrong = np.where(pattern.gap == 0, 0.0, furthest)
        most = (float(norm.plain(wrong, pattern.share)) / plain) ** (1 / norm.power)
        found = search(worlds, observed, best, most, level)
        return float(found**norm.power * plain)
