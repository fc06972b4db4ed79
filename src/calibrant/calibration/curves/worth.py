"""How many independent pairs, and how many groups, the pairs behind a frequency are worth.

The variance of a frequency over few groups is uncertain, and over one group it is unknown. It is
therefore combined with what all bins say together: the correlation within groups. This is the
moderated variance of Smyth (2004), doi:10.2202/1544-6115.1027.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs import Pairs

Float = NDArray[np.float64]
PRIOR = 4.0  # groups that the correlation of all bins counts for in each bin
MOST_ALONE = 0.8  # a bin whose squared shares sum to more has too few groups to show correlation


class Spread(NamedTuple):
    """Sums over the groups of each of several bins."""

    n: Float  # weight
    p: Float  # frequency
    alone: Float  # what `squares` would be if every pair were a group of its own
    squares: Float  # Σ_g N_g²
    residual: Float  # Σ_g (K_g − N_g p)²

    @property
    def concentration(self) -> Float:
        """Σ share² over the groups of each bin; 1 if it has none."""
        share = np.minimum(self.squares / self.n**2, 1.0)
        return np.where(share > 0, share, 1.0)

    @property
    def alone_share(self) -> Float:
        """What `concentration` would be if every pair were a group of its own.

        A bin without pairs, or with weights whose squares underflow, counts as its groups do.
        """
        share = self.alone / self.n**2
        return np.where(share > 0, share, self.concentration)


class Worth(NamedTuple):
    """What the pairs of each bin are worth."""

    pairs: Float  # independent pairs that would show the same variance
    groups: Float  # effective groups behind the variance, for Student's t


def worth(found: Spread, pairs: Pairs) -> Worth:
    """The worth of each bin of these pairs.

    The variance over groups, Σ_g (K_g − N_g p)² / (n² − Σ_g N_g²), is unbiased for groups of any
    sizes. The variance from the correlation within groups, p(1 − p)(1 + ρ(Σ_g N_g²/n − 1))/n,
    counts as four groups beside it. Neither may be below that of independent pairs.
    """
    concentration, alone = found.concentration, found.alone_share
    variance = found.p * (1 - found.p)
    effective = 1 / concentration
    common = 1 + correlation(found) * (concentration / alone - 1)
    own = common.copy()
    known = (variance > 0) & (concentration < 1 - 1e-9)
    between = found.residual / found.n**2 / np.maximum(1 - concentration, 1e-9)
    np.divide(between, variance * alone, out=own, where=known)
    trust = (effective - 1) / (effective - 1 + PRIOR)
    effect = np.maximum(trust * own + (1 - trust) * common, 1.0)
    count = np.minimum(effective + PRIOR, pairs.effective_groups)  # 0 without groups
    return Worth(1 / (alone * effect), count)


def correlation(found: Spread) -> float:
    """The correlation of observations within groups, pooled over bins; between 0 and 1."""
    variance = found.p * (1 - found.p)
    between = found.residual / np.maximum(1 - found.concentration, 1 - MOST_ALONE)
    most = ((found.squares - found.alone) * variance).sum()
    extra = (between - found.alone * variance).sum()
    return float(np.clip(extra / most, 0.0, 1.0)) if most > 0 else 0.0
