"""Two tests together, the default."""

from dataclasses import dataclass

from calibrant.calibration.hypotheses.cox import Cox
from calibrant.calibration.hypotheses.cumulative import Cumulative
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.pairs import Pairs
from calibrant.results.verdict import Finding


@dataclass(frozen=True, repr=False)
class Joint(Hypothesis):
    """`Cox` and `Cumulative` together, the default: p is twice the smaller of the two.

    `Cox` is powerful against models that are overconfident, underconfident or biased to one side,
    as most miscalibrated models are. `Cumulative` detects everything else.

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
        """The statistic of the stronger test, and Bonferroni's p-value."""
        tests = (Cox(), Cumulative(replicates=self.replicates, seed=self.seed))
        found = {repr(test): test.evaluate(pairs) for test in tests}
        name, strongest = min(found.items(), key=lambda each: each[1].p_value)
        return Finding(
            statistic=strongest.statistic,
            p_value=2 * strongest.p_value,
            how=f"{name}, the stronger of two: {strongest.how}",
            least=2 * strongest.least,
        )
