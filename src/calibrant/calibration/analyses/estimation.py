"""Estimate a score, with its interval."""

from calibrant.calibration.groups.few_groups import warn_few
from calibrant.calibration.intervals import Interval
from calibrant.calibration.scores import CalibrationError, Score
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate, signature


def estimate_score(pairs: Pairs, score: Score, interval: Interval | None, level: float) -> Estimate:
    """Estimate a score with its interval (None: value only) and its signature."""
    pairs = score.within(pairs)
    evidence = score.evidence(pairs)
    value = score.value(evidence)
    low = high = None
    how: tuple[str, ...] = ()
    if interval is not None:
        low, high = interval.around(value, score, evidence, level)
        value = interval.shown(value, low)
        warn_few(pairs.effective_groups)
        how = interval.spelled(), f"level={level:g}"
    return Estimate(
        score=repr(score),
        value=value,
        low=low,
        high=high,
        level=level,
        n=pairs.n,
        groups=pairs.groups,
        plugin=score.plugin(evidence),
        too_small=evidence.too_small if isinstance(score, CalibrationError) else 0,
        signature=signature(repr(score), pairs, *how),
        effective=pairs.effective_groups,
    )
