"""`Digest`: what tests and descriptions need of independent pairs, from one pass in order of q."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs import Pairs
from calibrant.pairs.rows import Tally, run_starts

Float = NDArray[np.float64]


class Logits(NamedTuple):
    """Logits of the predictions between 0 and 1, with one outcome each."""

    x: Float
    y: Float
    weight: Float


class Parts(NamedTuple):
    """Weight, mean and sum of squared distances from it, of several parts of the pairs."""

    weight: Float
    mean: Float
    squares: Float

    def joined(self) -> tuple[float, float]:
        """The mean and the sum of squared distances of all parts together."""
        total = self.weight.sum()
        if not total > 0:
            return 0.0, 0.0
        mean = float(self.weight @ self.mean / total)
        return mean, float(self.squares.sum() + self.weight @ (self.mean - mean) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class Digest:
    """Sums over all pairs in ascending order of q, and their logits on few points."""

    stretches: dict[str, Float]  # one entry per stretch of predictions
    logits: Logits

    def total(self, name: str) -> float:
        """The sum over all stretches."""
        return float(self.stretches[name].sum())

    def outcome(self, quantity: str, outcome: str) -> tuple[float, float]:
        """The mean of a quantity where y has this outcome, and its sum of squared distances."""
        found, yes = self.stretches, self.stretches["positive"]
        weight = yes if outcome == "yes" else found["weight"] - yes
        return Parts(weight, found[quantity], found[f"{quantity}_squares"]).joined()

    @property
    def walk(self) -> tuple[float, float]:
        """The largest and the smallest cumulative sum of weight · (y − q), among them 0."""
        ends = np.cumsum(self.stretches["walk"])
        before = np.concatenate([[0.0], ends[:-1]])
        top = float((before + self.stretches["top"]).max())
        return max(top, 0.0), min(float((before + self.stretches["bottom"]).min()), 0.0)

    @property
    def separated(self) -> bool:
        """Whether a logit separates the outcomes, or there is only one of them."""
        found = self.stretches
        first = found["first_yes"].min(), found["first_no"].min()
        last = found["last_yes"].max(), found["last_no"].max()
        return bool(last[1] <= first[0] or last[0] <= first[1])

    @property
    def one_outcome(self) -> bool:
        """Whether all pairs that have a logit have the same outcome."""
        found = self.stretches
        return bool(np.isinf(found["last_yes"]).all() or np.isinf(found["last_no"]).all())


def digest(pairs: Pairs) -> Digest:
    """The digest of these pairs, made once."""
    return pairs.remember("digest", lambda: _digest(pairs))


def _digest(pairs: Pairs) -> Digest:
    from calibrant.kernels.calibration.digest import POWERS, Stretch, sum_up

    yes = float(np.count_nonzero(pairs.y) if pairs.weight is None else pairs.tally.positive.sum())
    found = pairs.in_order(lambda ties: sum_up(ties, yes, pairs.n - yes))
    stretches = np.array([each for each, _ in found]).T
    columns = dict(zip(Stretch._fields, stretches, strict=True))
    if not pairs.many:
        return Digest(columns, _every_logit(pairs.tally))
    cells = np.concatenate([each for _, each in found])
    begins = run_starts(cells[:, 0])
    powers = np.add.reduceat(cells[:, 1:], begins) if begins.size else cells[:, 1:]
    by_outcome = powers[:, :POWERS], powers[:, POWERS:]
    return Digest(columns, _few_logits(cells[begins, 0], *by_outcome))


def _every_logit(tally: Tally) -> Logits:
    """The logit of every distinct prediction."""
    inner = (tally.q > 0) & (tally.q < 1)
    q, weight, positive = (each[inner] for each in tally)
    x = np.log(q) - np.log1p(-q)
    return _both(x, positive, x, weight - positive)


def _few_logits(cell: Float, yes: Float, no: Float) -> Logits:
    """Two logits for each cell and outcome, from sums of powers."""
    from calibrant.kernels.calibration.digest import two_points

    return _both(*two_points(cell, yes), *two_points(cell, no))


def _both(x_yes: Float, yes: Float, x_no: Float, no: Float) -> Logits:
    x, weight = np.concatenate([x_yes, x_no]), np.concatenate([yes, no])
    y = np.repeat([1.0, 0.0], [yes.size, no.size])
    used = weight > 0
    return Logits(x[used], y[used], weight[used])
