"""Consistency resampling, for any score."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant.calibration.curves import BinnedCurve
from calibrant.calibration.gaps.evidence import resampling_units
from calibrant.calibration.gaps.norms import Norm
from calibrant.calibration.hypotheses.groups import FLIPS, flipped, leanings
from calibrant.calibration.hypotheses.hypothesis import Hypothesis, check_replicates
from calibrant.calibration.scores import CalibrationError, CalibScore, Score
from calibrant.checks.arrays import sum_by
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.verdict import share_beyond

SCORE = CalibScore()


@dataclass(frozen=True, repr=False)
class Consistency(Hypothesis):
    """Whether a score is larger than those of calibrated models with the same predictions.

    Outcomes are drawn anew from the predictions, and scored. With groups the signs of their
    residuals are flipped instead, which is possible for calibration errors over bins.

    Reference: Bröcker and Smith (2007), doi:10.1175/WAF993.1.
    """

    score: Score = SCORE
    replicates: int = 999
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.score, Score):
            raise ParameterError(f"A score was expected, such as CalibScore(), not {self.score!r}.")
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The plug-in of the score, and the share of drawn ones that are as large."""
        pairs = self.score.within(pairs)
        binned = isinstance(self.score, CalibrationError) and isinstance(
            self.score.curve, BinnedCurve
        )
        if resampling_units(pairs) is not None and not binned:
            raise UnsupportedError(
                f"Outcomes of {self.score!r} can be drawn only where pairs are independent, and "
                "these have groups (or importance weights): use Cumulative() or a score over bins."
            )
        if binned:
            return self._over_bins(pairs)
        generator = np.random.default_rng(self.seed)
        observed = self._plugin(pairs)
        drawn = np.empty(self.replicates)
        q = np.sort(pairs.q if pairs.weight is None else np.repeat(pairs.q, pairs.weight))
        for r in range(self.replicates):
            drawn[r] = self._plugin(Pairs(generator.random(q.size) < q, q))
        return observed, share_beyond(drawn, observed), "outcomes drawn from the predictions"

    def _plugin(self, pairs: Pairs) -> float:
        evidence = self.score.evidence(pairs)
        plugin = self.score.plugin(evidence)
        return self.score.value(evidence) if plugin is None else plugin

    def _over_bins(self, pairs: Pairs) -> tuple[float, float, str]:
        assert isinstance(self.score, CalibrationError)
        curve: Any = self.score.curve
        norm: Norm = self.score.norm
        bins = curve.bins(pairs)
        share = bins.n / bins.n.sum()
        observed = float(norm.plain(bins.q - bins.p, share))
        column = curve.columns(pairs)
        lean = leanings(pairs, column, bins.n.size)
        if lean is not None:
            gaps = flipped(lean, bins.n.size, self.replicates, self.seed) / bins.n
            how = FLIPS
        else:
            order = np.argsort(pairs.q, kind="stable")
            q, column = pairs.q[order], column[order]
            weight = np.ones(1, np.int64) if pairs.weight is None else pairs.weight[order]
            generator = np.random.default_rng(self.seed)
            gaps = np.empty((self.replicates, bins.n.size))
            for r in range(self.replicates):
                y = (
                    generator.random(q.size) < q
                    if pairs.weight is None
                    else generator.binomial(weight.astype(np.int64), q)
                )
                gaps[r] = bins.q - sum_by(column, y.astype(np.float64), bins.n.size) / bins.n
            how = "outcomes drawn from the predictions"
        p_value = share_beyond(norm.plain(gaps, share), observed)
        return self.score.scale(observed), p_value, how
