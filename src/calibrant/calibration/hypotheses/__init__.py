"""Tests of the hypothesis that a calibrated model produced the data.

Without groups, every test has its own null distribution. With groups, the residuals y − q of a
sentence may be correlated, so tests flip the signs of whole groups (a wild bootstrap) or estimate
the variance over groups.
"""

from calibrant.calibration.hypotheses.consistency import Consistency
from calibrant.calibration.hypotheses.cox import Cox
from calibrant.calibration.hypotheses.cumulative import Cumulative
from calibrant.calibration.hypotheses.hosmer_lemeshow import HosmerLemeshow
from calibrant.calibration.hypotheses.hypothesis import Hypothesis
from calibrant.calibration.hypotheses.joint import Joint
from calibrant.calibration.hypotheses.spiegelhalter import Spiegelhalter

__all__ = [
    "Consistency",
    "Cox",
    "Cumulative",
    "HosmerLemeshow",
    "Hypothesis",
    "Joint",
    "Spiegelhalter",
]
