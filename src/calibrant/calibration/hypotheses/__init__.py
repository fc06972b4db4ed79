"""Tests of the hypothesis that a calibrated model produced the data.

Without groups every test has a null distribution of its own. With groups the residuals y − q of
a sentence may lean the same way, so signs are flipped group by group (a wild bootstrap), or the
variance is estimated over groups.
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
