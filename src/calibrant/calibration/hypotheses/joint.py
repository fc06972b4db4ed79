"""Two tests together, the default."""

from dataclasses import dataclass

from calibrant.calibration.hypotheses.cox import Cox
from calibrant.calibration.hypotheses.cumulative import Cumulative
from calibrant.calibration.hypotheses.hypothesis import REPLICATES, Hypothesis, check_replicates
from calibrant.pairs import Pairs


@dataclass(frozen=True, repr=False)
class Joint(Hypothesis):
    """`Cox` and `Cumulative` together, the default: p is twice the smaller of the two.

    The first is strong against models that are too extreme, too timid or lean to one side, as
    most that are wrong are; the second sees anything else.

    Examples
    --------
    >>> import calibrant as cb
    >>> print(cb.test(cb.synthetic.sample(2000, cb.synthetic.inward(0.05), seed=1)))
    Joint: p = 6.7e-47. A calibrated model would look this wrong in less than 0.05 % of
    samples: this is hardly one.
    """

    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        check_replicates(self)

    def evaluate(self, pairs: Pairs) -> tuple[float, float, str]:
        """The statistic of the stronger test, and Bonferroni's p-value."""
        tests = (Cox(), Cumulative(replicates=self.replicates, seed=self.seed))
        found = [(test.evaluate(pairs), repr(test)) for test in tests]
        (statistic, p_value, how), name = min(found, key=lambda each: each[0][1])
        return statistic, 2 * p_value, f"{name} was the stronger of two: {how}"
