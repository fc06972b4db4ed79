"""The plan of the synthetic study."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isqrt
from typing import NamedTuple

from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.synthetic import Map, identity, inward, outward, sample, true_score
from calibrant.studies.published import BIN_SIZES, PUBLISHED, Published

Beta = tuple[float, float]
CALIBRATED, INWARD, OUTWARD = "calibrated", "inward", "outward"
BY_SIZE = ("4.7", "4.8", "4.9")  # figures that vary the bin size; the others vary n
FEWEST = 100  # replicates: with fewer, a 99 % range would be their minimum and maximum


@dataclass(frozen=True, slots=True)
class Setting:
    """A forecaster: the distribution of its predictions, and its errors."""

    beta: Beta
    direction: str = CALIBRATED  # or "inward" or "outward"
    k: float = 0.0

    @property
    def map(self) -> Map:
        """The true probability of each prediction."""
        maps = {INWARD: inward(self.k), OUTWARD: outward(self.k), CALIBRATED: identity}
        return maps[self.direction]

    def draw(self, n: int, seed: int) -> Pairs:
        """Draw n pairs of this forecaster."""
        return sample(n, self.map, a=self.beta[0], b=self.beta[1], seed=seed)

    @property
    def truth(self) -> float:
        """The exact CalibScore."""
        a, b = self.beta
        return true_score(self.map, a=a, b=b, jumps=(self.k, 1 - self.k))

    @property
    def name(self) -> str:
        """The name in the legend."""
        return self.direction if self.k == 0 else f"{self.direction}, $k$ = {self.k:g}"


class Point(NamedTuple):
    """One point of one figure, before it is computed."""

    figure: str
    setting: Setting
    n: int
    size: int


@dataclass(frozen=True)
class SyntheticPlan:
    """The settings of the synthetic study.

    Attributes
    ----------
    betas
        Beta distributions of predictions. The first, which fits the printed figures best, is used
        for all figures but 4.7.
    n
        The number of pairs in figures that vary the bin size.
    bin_sizes, steps
        Bin sizes of figure 4.7, and of figures 4.8 and 4.9.
    samples
        Numbers of pairs of figures 4.10 and 4.11, whose bins have √n pairs.
    shifts
        The sizes of the errors of the forecasters in figures 4.9 and 4.11.
    published
        The values printed in the thesis.
    level
        The share of simulated scores that a range contains.
    replicates
        The number of simulations behind each range.
    seed
        The seed of all draws.
    """

    betas: tuple[Beta, ...] = ((0.2, 0.5), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0))
    n: int = 100_000
    bin_sizes: tuple[int, ...] = BIN_SIZES
    steps: tuple[int, ...] = tuple(range(1_000, 50_001, 1_000))
    samples: tuple[int, ...] = tuple(range(10_000, 50_001, 1_000))
    shifts: tuple[float, ...] = (0.1, 0.2)
    published: tuple[Published, ...] = PUBLISHED
    level: float = 0.99
    replicates: int = 300
    seed: int = 0

    def __post_init__(self) -> None:
        if self.replicates < FEWEST:
            raise ParameterError(
                f"replicates must be at least {FEWEST}, but it is {self.replicates}."
            )

    def points(self) -> Iterator[Point]:
        """Every point of every figure."""
        main = self.betas[0]
        fine = Setting(main)
        wrong = [Setting(main, d, k) for d, k in product((INWARD, OUTWARD), self.shifts)]
        for beta, size in product(self.betas, self.bin_sizes):
            yield Point("4.7", Setting(beta), self.n, size)
        for size in self.steps:
            yield Point("4.8", fine, self.n, size)
        for setting, size in product(wrong, self.steps):
            yield Point("4.9", setting, self.n, size)
        for n in self.samples:
            yield Point("4.10", fine, n, isqrt(n))
        for setting, n in product(wrong, self.samples):
            yield Point("4.11", setting, n, isqrt(n))


SYNTHETIC = SyntheticPlan()
