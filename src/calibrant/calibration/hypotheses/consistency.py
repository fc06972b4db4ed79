"""Consistency resampling, for any score."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.groups.units import resampling_units
from calibrant.calibration.hypotheses.drawn_outcomes import DRAWN
from calibrant.calibration.hypotheses.groups import FLIPS
from calibrant.calibration.hypotheses.hypothesis import Hypothesis, check_replicates
from calibrant.calibration.intervals.draws import Draws
from calibrant.calibration.intervals.forecasters import Forecasters
from calibrant.calibration.scores import CalibScore, Score
from calibrant.calibration.scores.score import GapScore
from calibrant.errors import ParameterError, UnsupportedError
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding, resampled

SCORE = CalibScore()
MOST = 10_000_000  # most pairs to draw one by one: with more, a replicate takes seconds


@dataclass(frozen=True, repr=False)
class Consistency(Hypothesis):
    """Test whether a score is larger than a calibrated model would show.

    For a calibration error it is the test that the default interval inverts: at level 0.95 the
    interval starts above 0 exactly if p ≤ 0.025, with the same replicates and seed. Without
    groups, outcomes are drawn from the predictions; with groups, the signs of the residuals of
    whole groups are flipped. For other scores, such as `Brier`, pairs must be independent.

    Reference: Bröcker and Smith (2007), doi:10.1175/WAF993.1.
    """

    score: Score = SCORE
    replicates: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.score, Score):
            raise ParameterError(f"A score was expected, such as CalibScore(), not {self.score!r}.")
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """The plug-in score, and the share of simulated scores at least as large."""
        pairs = self.score.within(pairs)
        if isinstance(self.score, GapScore):
            return self._of_gaps(pairs, self.score)
        if resampling_units(pairs) is not None:
            raise UnsupportedError(
                f"Outcomes for {self.score!r} can be drawn only if pairs are independent, but "
                "these have groups (or importance weights): use Spiegelhalter() or a calibration "
                "error such as CalibScore()."
            )
        return self._any_score(pairs)

    def _of_gaps(self, pairs: Pairs, score: GapScore) -> Finding:
        """The test that the default interval of the score inverts."""
        evidence = score.evidence(pairs)
        gaps = evidence.cells
        norm = score.norm.at(gaps.bins.q, gaps.gap, gaps.share)
        forecasters = Forecasters(norm, gaps, Draws(self.replicates, self.seed))
        how = DRAWN if gaps.clusters is None else FLIPS
        statistic = score.plugin(evidence)
        shown = score.value(evidence) if statistic is None else statistic
        return resampled(shown, forecasters.null(), forecasters.observed, how)

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
