"""Calibration errors that need neither bins nor a curve."""

from dataclasses import dataclass
from math import isqrt

from calibrant.errors import UnknownName
from calibrant.evidence import Gaps, clusters, distinct
from calibrant.norms import CumulativeLargest, CumulativeRange, Norm
from calibrant.pairs import Pairs
from calibrant.scores.proper import set_range
from calibrant.scores.score import Score


def fine_gaps(pairs: Pairs) -> Gaps:
    """The gap of every distinct prediction.

    That of a single pair is all noise, so replicates live on √n cells of neighbours.
    """

    def make() -> Gaps:
        bins = distinct(pairs)
        coarse = bins.merged(max(1, isqrt(int(pairs.n))))
        return Gaps(bins, clusters(pairs, coarse), pairs.counted, coarse=coarse)

    return pairs.remember("fine gaps", make)


class Unbinned(Score, abstract=True):
    """An error taken from the gaps of all distinct predictions."""

    def evidence(self, pairs: Pairs) -> Gaps:
        """The gaps of all distinct predictions."""
        return fine_gaps(pairs)

    def scale(self, total: float) -> float:
        """Nothing changes."""
        return total


@dataclass(frozen=True, repr=False)
class ECCE(Unbinned):
    """The cumulative calibration error: how far Σ(q − y)/n, in the order of q, wanders from 0.

    "range" is the largest minus the smallest cumulative sum (ECCE-R), "max" the largest distance
    from 0 (ECCE-MAD). No bins have to be chosen. It is a plug-in: for calibrated models it
    shrinks only as 1/√n; `Cumulative` is the test that goes with it.

    Reference: Arrieta-Ibarra et al. (2022), arXiv:2205.09680.

    Examples
    --------
    >>> from calibrant import ECCE, Pairs
    >>> pairs = Pairs([0, 0, 1, 0, 1, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])
    >>> round(ECCE("max")(pairs), 6)
    0.0875
    """

    statistic: str = "range"
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        set_range(self)
        if self.statistic not in ("range", "max"):
            raise UnknownName("statistic", str(self.statistic), ("range", "max"))

    @property
    def norm(self) -> Norm:
        """How the gaps are summed up."""
        return CumulativeRange() if self.statistic == "range" else CumulativeLargest()

    def value(self, evidence: Gaps) -> float:
        """The cumulative error."""
        return float(self.norm.plain(evidence.gap, evidence.share))
