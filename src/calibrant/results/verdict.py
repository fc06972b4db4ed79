"""`Verdict`: what a test says."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import UnsupportedError

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
FEWEST = 10  # groups: with fewer, too little is known of how they differ


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a test says.

    Attributes
    ----------
    test
        The printed form of the test.
    statistic
        Its statistic.
    p_value
        How often a calibrated model would show a statistic as large as this, or larger.
    how
        How that was worked out.
    n
        How many pairs, or observations.
    groups
        In how many groups; 0 where there are none.
    signature
        What reproduces it, in one line.
    """

    test: str
    statistic: float
    p_value: float
    how: str
    n: float
    groups: int
    signature: str

    def __float__(self) -> float:
        return self.p_value

    @property
    def sentence(self) -> str:
        """What it means, in one sentence."""
        if self.p_value == 0 and self.how.endswith("certainty"):
            return "Something happened that was given probability 0: no calibrated model does that."
        percent = 100 * self.p_value
        share = f"{percent:.0f} %" if percent >= 9.5 else f"{percent:.1g} %"
        if percent < 0.05:
            share = "less than 0.05 %"
        end = "this is hardly one" if self.p_value < 0.05 else "this may be one"
        return f"A calibrated model would look this wrong in {share} of samples: {end}."

    def __str__(self) -> str:
        small = f"p = {self.p_value:.1e}" if self.p_value > 0 else "p = 0"
        p = f"p = {self.p_value:.3f}" if self.p_value >= 5e-4 else small
        return f"{self.test}: {p}. {self.sentence}"

    def _repr_html_(self) -> str:
        return f"<p><code>{self.test}</code>: {str(self).split(': ', 1)[1]}</p>"

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return {
            "test": self.test,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "sentence": self.sentence,
            "how": self.how,
            "n": int(self.n) if float(self.n).is_integer() else self.n,
            "groups": self.groups,
            "signature": self.signature,
        }

    def to_frame(self) -> "polars.DataFrame":
        """A polars frame of one row."""
        import polars

        return polars.DataFrame([self.to_dict()])


def check_groups(groups: int, fewest: int = FEWEST) -> None:
    """Enough groups to tell how much they differ."""
    if groups < fewest:
        raise UnsupportedError(
            f"There {'is' if groups == 1 else 'are'} only {groups} group{'s' * (groups != 1)}, too "
            f"few to tell how much groups differ (at least {fewest} are needed)."
        )


def share_beyond(drawn: Float, observed: float) -> float:
    """The share of replicates at least as large, the data themselves counted in."""
    return float((1 + np.sum(drawn >= observed * (1 - 1e-12))) / (1 + drawn.size))
