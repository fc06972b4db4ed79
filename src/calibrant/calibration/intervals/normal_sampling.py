"""The interval of the thesis."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.gaps.bin_gaps import BinGaps
from calibrant.calibration.gaps.evidence import Evidence
from calibrant.calibration.groups.few_groups import normal_quantile
from calibrant.calibration.intervals.blocks import blocks
from calibrant.calibration.intervals.interval import MOST, Interval
from calibrant.calibration.scores.score import GapScore, Score
from calibrant.checks.parameters import whole_number
from calibrant.errors import UnsupportedError


@dataclass(frozen=True, repr=False)
class NormalSampling(Interval):
    """The interval of the thesis: draw p̂* ~ N(p̂, se²) per bin, report mean ± z · sd.

    It is kept for comparison. Each draw adds the sampling noise a second time, so the interval
    is centred too high. For a calibrated model it hardly ever contains the truth, and often not
    even the plug-in value. Use `Bootstrap`.

    Parameters
    ----------
    samples
        How many curves to draw (default: 1000).
    seed
        The seed of the draws (default: 0).
    """

    holds_value = False

    samples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", whole_number("samples", self.samples, 2, MOST))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))

    def limits(self, score: Score, evidence: Evidence, level: float) -> tuple[float, float]:
        """Mean ± z · sd of the scores of the drawn curves."""
        if not (isinstance(score, GapScore) and isinstance(evidence, BinGaps)):
            raise UnsupportedError(
                f"NormalSampling is for scores over bins, and {score!r} has none: use Bootstrap."
            )
        if not evidence.counted:
            raise UnsupportedError("Importance weights need Bootstrap, not NormalSampling.")
        bins = evidence.bins
        generator = np.random.default_rng(self.seed)
        se = np.sqrt(bins.p * (1 - bins.p) / bins.n)
        norm = score.norm.at(bins.q, evidence.gap, evidence.share)
        sums = np.empty(self.samples)
        for rows in blocks(self.samples, se.size):
            drawn = generator.normal(bins.p, se, (rows.stop - rows.start, se.size))
            sums[rows] = norm.plain(bins.q - np.clip(drawn, 0.0, 1.0), evidence.share)
        scores = np.array([score.scale(float(each)) for each in sums])
        mean, half = scores.mean(), normal_quantile(level) * scores.std(ddof=1)
        return float(mean - half), float(mean + half)
