"""Two tests together, the default."""

from dataclasses import dataclass

from calibrant.calibration.hypotheses.consistency import Consistency
from calibrant.calibration.hypotheses.cox import Cox
from calibrant.calibration.hypotheses.cumulative import Cumulative
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding


@dataclass(frozen=True, repr=False)
class Joint(Hypothesis):
    """`Cox`, `Cumulative` and `Consistency` together, the default: three times the smallest p.

    `Cox` is powerful against models that are overconfident, underconfident or biased to one side,
    as most miscalibrated models are. `Cumulative` detects errors in one part of the predictions,
    and `Consistency` bends that change direction several times.

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
        """The statistic of the strongest test, and Bonferroni's p-value."""
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
            p_value=len(tests) * strongest.p_value,
            how=f"{name}, the strongest of three: {strongest.how}",
            least=len(tests) * strongest.least,
        )
