"""`Ranks`: simulation-based calibration of samplers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.numbers.curve import COUNT, QuantileCurve
from calibrant.calibration.numbers.histogram import Histogram
from calibrant.calibration.numbers.pit import PIT
from calibrant.calibration.numbers.positions import Positions
from calibrant.checks import arrays
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.results.verdict import Verdict
from calibrant.results.wording import counted

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Ranks:
    """Ranks of prior draws among posterior draws, for simulation-based calibration.

    Draw a parameter from the prior, data given the parameter, and L draws from the posterior
    given the data. If the sampler is correct, the number of posterior draws below the parameter is
    uniform on 0, 1, ..., L. Posterior draws must be independent: thin a Markov chain first.

    Parameters
    ----------
    rank
        One rank per simulation, from 0 to `draws`.
    draws
        L, the number of posterior draws of each simulation.

    Notes
    -----
    References: Talts et al. (2018), arXiv:1804.06788; Säilynoja, Bürkner and Vehtari (2022),
    doi:10.1007/s11222-022-10090-6.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> generator = np.random.default_rng(1)
    >>> ranks = cb.numbers.Ranks(generator.integers(0, 64, 500), draws=63)
    >>> ranks
    Ranks(500 simulations, 63 draws each)
    >>> ranks.curve().inside
    True
    >>> print(ranks.test())
    Uniform: p = 0.840. No evidence of miscalibration: a calibrated model would look this wrong
    in 84 % of samples.
    """

    rank: Int
    draws: int

    def __init__(self, rank: object, draws: int) -> None:
        draws = whole_number("draws", draws, 1)
        given = arrays.numeric(arrays.vector(rank, "rank"), "rank")
        _check_ranks(given, draws)
        whole = given.astype(np.int64)
        whole.flags.writeable = False
        object.__setattr__(self, "rank", whole)
        object.__setattr__(self, "draws", draws)

    def __len__(self) -> int:
        return int(self.rank.size)

    def __repr__(self) -> str:
        many = counted(len(self), "simulation")
        return f"Ranks({many}, {counted(self.draws, 'draw')} each)"

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def pit(self) -> PIT:
        """Convert to a PIT: u lies between rank / (L + 1) and (rank + 1) / (L + 1)."""
        cells = self.draws + 1
        known = np.arange(1, cells) / cells
        return PIT(Positions(self.rank / cells, (self.rank + 1) / cells, known))

    def histogram(self, count: int = 10, *, level: float = 0.95) -> Histogram:
        """How often ranks fall into each of about `count` bins of neighbouring ranks."""
        return self.pit().histogram(count, level=level)

    def curve(self, count: int = COUNT, *, level: float = 0.95) -> QuantileCurve:
        """The share of ranks below each quantile, with the exact simultaneous band."""
        return self.pit().curve(count, level=level)

    def test(self) -> Verdict:
        """Test whether a correct sampler could have produced these ranks."""
        return self.pit().test()


def _check_ranks(rank: NDArray[Any], draws: int) -> None:
    """Check that ranks are whole numbers from 0 to the number of draws."""
    if rank.size == 0:
        raise InputError("There must be at least one rank, but rank is empty.")
    fractions = ~(rank == np.floor(rank))
    if fractions.any():
        found = arrays.describe(rank, fractions, "rank", "not whole")
        raise InputError(
            f"rank must hold whole numbers, but {found}. A rank is the number of posterior draws "
            "below the prior draw; for quantiles use PIT.from_cdf."
        )
    outside = ~((rank >= 0) & (rank <= draws))
    if outside.any():
        found = arrays.describe(rank, outside, "rank", "outside")
        raise InputError(
            f"rank must lie between 0 and draws = {draws}, but {found}. If ranks begin at 1, "
            "subtract 1."
        )
