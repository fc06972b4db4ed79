"""Tests of the hypothesis that a calibrated model produced the data.

Without groups every test has a null distribution of its own. With groups the residuals y − q of
a sentence may lean the same way, so signs are flipped group by group (a wild bootstrap), or the
variance is taken over groups.
"""

from calibrant.hypotheses.consistency import Consistency
from calibrant.hypotheses.cox import Cox
from calibrant.hypotheses.cumulative import Cumulative
from calibrant.hypotheses.hosmer_lemeshow import HosmerLemeshow
from calibrant.hypotheses.hypothesis import Hypothesis
from calibrant.hypotheses.joint import Joint
from calibrant.hypotheses.spiegelhalter import Spiegelhalter

__all__ = [
    "Consistency",
    "Cox",
    "Cumulative",
    "HosmerLemeshow",
    "Hypothesis",
    "Joint",
    "Spiegelhalter",
]
