"""The evidence that a score extracts from pairs: its value and interval need nothing else.

Calibration errors use `Gaps` (one gap q̂ − p̂ per bin). Scores that are means of one loss per pair
use `Losses`. Intervals resample the evidence, never the rows.
"""

from typing import TypeAlias

from calibrant.calibration.gaps.gaps import Gaps
from calibrant.calibration.gaps.losses import Losses

Evidence: TypeAlias = Gaps | Losses
