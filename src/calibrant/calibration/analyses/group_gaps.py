"""How far the predictions of single groups are off."""

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import Numbers, sum_by
from calibrant.pairs import Pairs
from calibrant.results.tabular import Tabular, count_text
from calibrant.results.wording import counted

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
FAR = 1.96  # standard errors: one in twenty groups of independent pairs is farther off


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupGaps(Tabular):
    """Every group with its predictions and observations, the farthest off first.

    Attributes
    ----------
    group
        The labels.
    n
        The number of pairs.
    mean
        The mean prediction.
    frequency
        The frequency of y = 1.
    z
        Frequency minus mean prediction, in units of the standard error that it would have if the
        pairs of a group were independent and the model calibrated.
    """

    group: NDArray[np.generic]
    n: Float
    mean: Float
    frequency: Float
    z: Float

    @property
    def far(self) -> int:
        """How many groups are more than 1.96 standard errors off."""
        return int(np.sum(np.abs(self.z) > FAR))

    @property
    def sentence(self) -> str:
        """How many groups are far off, and how many would be if pairs were independent."""
        expected = counted(round(0.05 * self.n.size), "group")
        said = "is" if self.far == 1 else "are"
        return (
            f"{self.far} of {counted(self.n.size, 'group')} {said} more than {FAR} standard errors "
            f"off. A calibrated model whose pairs are independent within groups would have about "
            f"{expected}."
        )

    def first(self, count: int) -> "GroupGaps":
        """The groups that are farthest off."""
        columns = (self.group, self.n, self.mean, self.frequency, self.z)
        return GroupGaps(*(each[:count] for each in columns))  # type: ignore[arg-type]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""
        header = ["group", "n", "mean q", "frequency", "difference", "standard errors"]
        rows = [
            [
                str(group),
                count_text(float(n)),
                f"{mean:.3f}",
                f"{frequency:.3f}",
                f"{frequency - mean:+.3f}",
                f"{z:+.1f}" if isfinite(z) else "∞",
            ]
            for group, n, mean, frequency, z in zip(
                self.group, self.n, self.mean, self.frequency, self.z, strict=True
            )
        ]
        return header, rows

    def to_frame(self) -> "polars.DataFrame":
        """One row per group."""
        import polars

        names = ("group", "n", "mean", "frequency", "z")
        return polars.DataFrame({name: getattr(self, name) for name in names})


def group_gaps(pairs: Pairs) -> GroupGaps | None:
    """How far each group is off; None if the pairs have no groups."""
    if pairs.codes is None or pairs.group is None:
        return None
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight.astype(np.float64)
    predicted = pairs.predicted.astype(np.float64)
    square = predicted**2 if pairs.moments is None else pairs.moments.square
    n = pairs.group_weights
    mean, frequency, noise = (
        sum_by(pairs.codes, weight * each) / n
        for each in (predicted, pairs.y.astype(np.float64), predicted - square)
    )
    gap, error = frequency - mean, np.sqrt(np.maximum(noise, 0.0) / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(np.abs(gap) < 1e-12, 0.0, gap / error)
    label = pairs.group[_first_rows(pairs.codes)]
    order = np.lexsort((label, -np.abs(gap) * n, -np.abs(z)))
    return GroupGaps(label[order], n[order], mean[order], frequency[order], z[order])


def _first_rows(codes: Numbers) -> NDArray[np.int64]:
    """A row of each group."""
    return np.unique(codes, return_index=True)[1]
