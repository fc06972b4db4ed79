"""The variance between groups, pooled: what all of them say about each of them.

The squares of what groups add to a sum estimate its variance, whatever the groups have in common.
But if a few groups are large, only these few squares count. Predictions say how much outcomes vary
by chance, so they say what a group would add if its pairs were independent, and if they all
agreed. Where between the two groups are, all of them show, the small ones too (Pan, 2001,
doi:10.1093/biomet/88.3.901). If pairs of large groups depend on each other more strongly than those
of small ones, that is wrong, so the two estimates are combined.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
WORTH = 10.0  # equal groups that the pooled estimate counts as, however many it is made of
ENOUGH = 1000  # equal groups, of whose variance pooling would change less than 1 %
ROUNDS = 10  # of weighting groups by the variance that they are supposed to have
NOTHING = 1e-200  # a smaller square of a variance is none


class Expected(NamedTuple):
    """The variance of what each group adds to a sum, as predictions have it."""

    alone: Float  # if its pairs were independent
    shared: Float  # how much more it would be if they all agreed

    @classmethod
    def of(cls, alone: Float, together: Float) -> "Expected":
        """From the variances of independent pairs, and the sums of their standard deviations."""
        return cls(alone, np.maximum(together**2 - alone, 0.0))

    def dependence(self, squares: Float) -> float:
        """How strongly pairs of a group depend on each other: 0 not at all, 1 if they agree.

        It is fitted to the squares of what groups add, by least squares. The variance of a square
        is proportional to the square of its expectation.

        >>> groups = Expected.of(np.array([1.0, 1.0]), np.array([1.0, 3.0]))
        >>> round(groups.dependence(np.array([1.0, 3.0])), 6)
        0.25
        """
        found = 0.5
        for _ in range(ROUNDS):
            supposed = (self.alone + found * self.shared) ** 2
            weight = np.where(supposed > NOTHING, self.shared / np.maximum(supposed, NOTHING), 0.0)
            known = float(weight @ self.shared)
            if known <= 0:
                return 0.0
            found = max(float(weight @ (squares - self.alone)) / known, 0.0)
        return found

    def pooled(self, squares: Float) -> "Pooled":
        """The variance that groups show by `squares`, and the one that is pooled over them.

        >>> equal = Expected.of(np.ones(4), np.full(4, 2.0))
        >>> equal.pooled(np.array([1.0, 2.0, 3.0, 4.0]))
        Pooled(shown=10.0, total=10.0, effective=4.0)
        """
        shown = float(squares.sum())
        supposed = self.alone + self.dependence(squares) * self.shared
        total = float(supposed.sum())
        # nothing is shared if every group is one pair, or predictions are certain
        if not self.shared.any() or total <= 0:
            return Pooled(shown, shown, float(squares.size))
        return Pooled(shown, total, total**2 / float(supposed @ supposed))


class Pooled(NamedTuple):
    """Two estimates of one variance, and how many groups the first is worth."""

    shown: float
    total: float
    effective: float  # by the variance that each group is supposed to add

    @property
    def own(self) -> float:
        """The share of the first estimate; the second counts as `WORTH` groups."""
        return self.effective / (self.effective + WORTH)

    @property
    def correction(self) -> float:
        """What to add to the first estimate."""
        return (1 - self.own) * (self.total - self.shown)


class Promise(NamedTuple):
    """What predictions say of a quantity: its sum in each group, and how that should vary."""

    total: Float
    variance: Expected | None  # None if groups are single rows
