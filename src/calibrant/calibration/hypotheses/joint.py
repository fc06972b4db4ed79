"""Two tests together, the default."""

from dataclasses import dataclass

import numpy as np

from calibrant.calibration.hypotheses.consistency import Consistency
from calibrant.calibration.hypotheses.cox import Cox
from calibrant.calibration.hypotheses.cumulative import Cumulative
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding

LARGEST = 0.99  # a p-value of 1 would outweigh all others
TINY = 1e-8
TINIEST = 1e-300


@dataclass(frozen=True, repr=False)
class Joint(Hypothesis):
    """`Cox`, `Cumulative` and `Consistency` together, the default.

    `Cox` is powerful against models that are overconfident, underconfident or biased to one side,
    as most miscalibrated models are. `Cumulative` detects errors in one part of the predictions,
    and `Consistency` bends that change direction several times. The three p-values are combined
    by their mean on the scale of the Cauchy distribution, which is valid although the tests
    depend on each other.

    Reference: Liu and Xie (2020), doi:10.1080/01621459.2018.1554485.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.test(cb.synthetic.sample(2000, cb.synthetic.inward(0.05), seed=1)))
    Joint: p < 1e-9. Strong evidence of miscalibration: a calibrated model would look this wrong
    in less than 0.05 % of samples.
    """

    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> Finding:
        """The statistic of the strongest test, and the combined p-value."""
        many, seed = self.replicates, self.seed
        tests = (
            Cox(replicates=many, seed=seed),
            Cumulative(replicates=many, seed=seed),
            Consistency(replicates=many, seed=seed),
        )
        found = {type(test).__name__: test.evaluate(pairs) for test in tests}
        name, strongest = min(found.items(), key=lambda each: each[1].p_value)
        return Finding(
            statistic=strongest.statistic,
            p_value=combined([each.p_value for each in found.values()]),
            how=f"{name}, the strongest of three: {strongest.how}",
            least=strongest.least,
        )


def combined(p_values: list[float]) -> float:
    """One p-value from several: their mean on the scale of the Cauchy distribution.

    >>> round(combined([0.04, 0.04, 0.04]), 6), round(combined([1e-12, 1.0, 0.5]) / 1e-12, 3)
    (0.04, 3.0)
    """
    if min(p_values) in (0, 1):
        return min(p_values)
    p = np.minimum(p_values, LARGEST)
    # where p is small, 1 / (π p) is the quantile to all digits
    quantile = np.where(p < TINY, 1 / (np.pi * np.maximum(p, TINIEST)), np.tan((0.5 - p) * np.pi))
    mean = float(quantile.mean())
    return float(np.arctan(1 / mean) / np.pi) if mean > 1 else float(0.5 - np.arctan(mean) / np.pi)
