"""What a score and its interval are computed from, so that neither needs the pairs again.

`Gaps` belong to calibration errors (one gap q̂ − p̂ per bin), `Losses` to scores that are means
of one loss per pair. Intervals resample these, never the rows.
"""

from typing import TypeAlias

from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.losses import Losses

Evidence: TypeAlias = Gaps | Losses
