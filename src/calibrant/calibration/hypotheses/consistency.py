"""Consistency resampling, for any score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves import BinnedCurve
from calibrant.calibration.gaps.bins import Bins
from calibrant.calibration.gaps.norms import Norm
from calibrant.calibration.gaps.units import resampling_units
from calibrant.calibration.hypotheses.groups import FLIPS, flipped, leanings
from calibrant.calibration.hypotheses.hypothesis import Hypothesis, check_replicates
from calibrant.calibration.scores import CalibrationError, CalibScore, Score
from calibrant.checks.arrays import sum_by
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, resampled

Float = NDArray[np.float64]
Int = NDArray[np.int64]
SCORE = CalibScore()
DRAWN = "outcomes drawn from the predictions"
MOST = 10_000_000  # most pairs to draw one by one: with more, a replicate takes seconds


@dataclass(frozen=True, repr=False)
class Consistency(Hypothesis):
    """Test whether a score is larger than a calibrated model would show.

    Outcomes are drawn from the predictions and scored. With groups, the signs of the residuals of
    whole groups are flipped instead, which works only for calibration errors over bins.

    Reference: Bröcker and Smith (2007), doi:10.1175/WAF993.1.
    """

    score: Score = SCORE
    replicates: int = 999
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.score, Score):
            raise ParameterError(f"A score was expected, such as CalibScore(), not {self.score!r}.")
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """The plug-in score, and the share of simulated scores at least as large."""
        pairs = self.score.within(pairs)
        if isinstance(self.score, CalibrationError) and isinstance(self.score.curve, BinnedCurve):
            return self._over_bins(pairs, self.score, self.score.curve)
        if resampling_units(pairs) is not None:
            raise UnsupportedError(
                f"Outcomes for {self.score!r} can be drawn only if pairs are independent, but "
                "these have groups (or importance weights): use Cumulative() or a score over bins."
            )
        return self._any_score(pairs)

    def _any_score(self, pairs: Pairs) -> Finding:
        """The score of each draw of the outcomes."""
        if pairs.n > MOST:
            raise UnsupportedError(
                f"Outcomes for {self.score!r} can be drawn for at most {MOST} pairs, but there are "
                f"{pairs.n:.0f}: use a score over bins, such as CalibScore()."
            )
        generator = np.random.default_rng(self.seed)
        observed = self._plugin(pairs)
        weight = None if pairs.weight is None else pairs.weight.astype(np.int64)
        q = np.sort(pairs.q if weight is None else np.repeat(pairs.q, weight))
        drawn = np.empty(self.replicates)
        for r in range(self.replicates):
            drawn[r] = self._plugin(Pairs(generator.random(q.size) < q, q))
        return resampled(observed, drawn, observed, DRAWN)

    def _plugin(self, pairs: Pairs) -> float:
        evidence = self.score.evidence(pairs)
        plugin = self.score.plugin(evidence)
        return self.score.value(evidence) if plugin is None else plugin

    def _over_bins(self, pairs: Pairs, score: CalibrationError, curve: BinnedCurve) -> Finding:
        """Resample the gaps of bins, which is fast and respects groups."""
        norm: Norm = score.norm
        bins = curve.bins(pairs)
        share = bins.n / bins.n.sum()
        observed = float(norm.plain(bins.q - bins.p, share))
        column = curve.columns(pairs)
        lean = leanings(pairs, column, bins.n.size)
        if lean is not None:
            gaps = flipped(lean, bins.n.size, self.replicates, self.seed) / bins.n
            drawn, how = norm.plain(gaps, share), FLIPS
        else:
            drawn, how = norm.plain(self._drawn_gaps(pairs, column, bins), share), DRAWN
        return resampled(score.scale(observed), drawn, observed, how)

    def _drawn_gaps(self, pairs: Pairs, column: Int, bins: Bins) -> Float:
        """The gap of each bin, for outcomes drawn from the predictions."""
        order = np.argsort(pairs.q, kind="stable")
        q, column = pairs.q[order], column[order]
        weight = None if pairs.weight is None else pairs.weight[order].astype(np.int64)
        generator = np.random.default_rng(self.seed)
        gaps = np.empty((self.replicates, bins.n.size))
        for r in range(self.replicates):
            if weight is None:
                positive = (generator.random(q.size) < q).astype(np.float64)
            else:
                positive = generator.binomial(weight, q).astype(np.float64)
            gaps[r] = bins.q - sum_by(column, positive, bins.n.size) / bins.n
        return gaps
