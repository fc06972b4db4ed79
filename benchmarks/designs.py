"""Pairs in few, unequal, strongly dependent groups, with exactly known frequencies.

logit q is normal, and half of its variance lies between groups. P(y = 1 | q) = expit(map(logit
q)). Members of a group share an effect on the logit that follows the bridge distribution (Wang
and Louis, 2003): given the effect the model is logistic, and so is it on average over groups, so
that the frequencies stay exact. The intraclass correlation on the logit scale is 1 − phi².
"""

import os
from dataclasses import dataclass, replace
from functools import cache

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process has one core; threads would compete

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

import calibrant as cb
from calibrant.calibration.scores import Score

Float = NDArray[np.float64]
SD, WITHIN = 1.8, 0.5  # of logit q; the share of its variance within groups
MAPS = {
    "calibrated": lambda x: x,
    "slope .6": lambda x: 0.6 * x,
    "slope 1.5": lambda x: 1.5 * x,
    "shift .5": lambda x: x + 0.5,
    "bend": lambda x: x + 0.8 * np.sin(2 * x),
}


@dataclass(frozen=True)
class Design:
    kind: str  # how the sizes of groups are distributed
    groups: int
    rows: int
    phi: float  # 1 − phi² is the intraclass correlation
    centre: float  # mean of logit q; −4 makes positives rare
    large: float | None = None  # phi of the largest groups, which hold two fifths of the rows

    def sizes(self) -> NDArray[np.int64]:
        """The sizes of the groups, the same in every simulation."""
        ranks = np.arange(self.groups)
        if self.kind == "equal":
            share = np.ones(self.groups)
        elif self.kind == "lognormal":
            share = np.exp(ndtri((ranks + 0.5) / self.groups))
        elif self.kind == "zipf":
            share = 1 / (ranks + 1)
        else:  # one group has a large share of the rows
            large = int(self.kind.removeprefix("one ")) / 100
            rest = np.exp(0.7 * ndtri((ranks[:-1] + 0.5) / (self.groups - 1)))
            share = np.append((1 - large) * rest / rest.sum(), large)
        return np.maximum(np.rint(share * self.rows / share.sum()), 1).astype(np.int64)

    def phis(self) -> Float:
        """The phi of each group."""
        found = np.full(self.groups, self.phi)
        if self.large is not None:
            order = np.argsort(-self.sizes(), kind="stable")
            held = np.cumsum(self.sizes()[order]) / self.rows
            found[order[: 1 + np.searchsorted(held, 0.4)]] = self.large
        return found

    def effects(self, generator: np.random.Generator) -> Float:
        """The effect of each group on the logit."""
        return self.effects_at(generator.random(self.groups))

    def effects_at(self, u: Float) -> Float:
        """The effects at these levels of their distribution, between 0 and 1."""
        phi = self.phis()
        angle = phi * np.pi
        return np.log(np.sin(angle * u) / np.sin(angle * (1 - u))) / phi

    def draw(self, generator: np.random.Generator, shape: str) -> cb.Pairs:
        """The pairs of one simulation."""
        group = np.repeat(np.arange(self.groups), self.sizes())
        between = generator.standard_normal(self.groups)[group]
        each = generator.standard_normal(group.size)
        x = self.centre + SD * (np.sqrt(1 - WITHIN) * between + np.sqrt(WITHIN) * each)
        eta = MAPS[shape](x) / self.phis()[group] + self.effects(generator)[group]
        y = generator.random(group.size) < expit(eta)
        return cb.Pairs(y.astype(int), expit(x), group=group)


DESIGNS = {
    "10 lognormal": Design("lognormal", 10, 2000, 0.7, -1.0),
    "18, one 25 %": Design("one 25", 18, 2000, 0.7, -1.0),
    "18, one 25 %, many rows": Design("one 25", 18, 20000, 0.7, -1.0),
    "18, one 25 %, weak": Design("one 25", 18, 2000, 0.92, -1.0),
    "36 lognormal": Design("lognormal", 36, 4000, 0.7, -1.0),
    "36, one 25 %": Design("one 25", 36, 4000, 0.7, -1.0),
    "36 lognormal, rare": Design("lognormal", 36, 4000, 0.7, -4.0),
    "100 equal, rare": Design("equal", 100, 4000, 0.7, -4.0),
    "200 Zipf": Design("zipf", 200, 4000, 0.7, -1.0),
    "200, one 25 %": Design("one 25", 200, 4000, 0.7, -1.0),
}
UNLIKE = {  # pairs of large groups depend on each other strongly, those of small ones hardly
    f"{name}, unlike": replace(DESIGNS[name], phi=0.95, large=0.5)
    for name in ("10 lognormal", "18, one 25 %", "36 lognormal", "36 lognormal, rare", "200 Zipf")
}
DOMINANT = {"13, one 90 %": Design("one 90", 13, 2000, 0.7, -1.0)}


@dataclass(frozen=True, eq=False)
class Population:
    """The distribution of q and the frequency at each, on a fine grid."""

    q: Float
    p: Float
    share: Float

    def mean(self, value: Float) -> float:
        return float(self.share @ value)

    def losses(self, score: Score) -> float:
        """The expected value of a mean loss."""
        return self.mean(score.expected(self.q, self.p))

    def bin_gaps(self, upper: Float) -> Float:
        """The mean gap of each bin that ends at `upper`; NaN for bins that the grid misses."""
        column = np.minimum(np.searchsorted(upper, self.q), upper.size - 1)
        share = np.bincount(column, self.share, upper.size)
        gap = np.bincount(column, self.share * (self.q - self.p), upper.size)
        with np.errstate(invalid="ignore"):
            return gap / share

    def truth(self, score: Score, pairs: cb.Pairs) -> float:
        """The true score; of scores that look at single places, at those of these pairs."""
        gap = self.q - self.p
        size = np.abs(gap)
        name = type(score).__name__
        if isinstance(score, cb.Brier | cb.LogLoss | cb.Spherical):
            return self.losses(score)
        if name in ("CalibScore", "CalibMSE"):
            return score.scale(self.mean(gap**2))
        if name in ("ECE", "ICI"):
            return self.mean(size)
        if name == "MCE":
            return float(np.nanmax(np.abs(self.bin_gaps(score.curve.bins(pairs).upper))))
        if name in ("E50", "E90"):
            order = np.argsort(size)
            reached = np.cumsum(self.share[order])
            level = 0.5 if name == "E50" else 0.9
            return float(size[order][np.searchsorted(reached, level)])
        if name == "Emax":
            inside = (self.q >= pairs.q.min()) & (self.q <= pairs.q.max())
            return float(size[inside].max())
        if name == "SKCE":
            kernel = np.exp(-np.abs(self.q[:, None] - self.q) / score.width)
            mass = self.share * gap
            return float(mass @ kernel @ mass)
        if name == "SmoothECE":
            from calibrant.kernels.calibration.reflection import Smoothing

            smoothing = Smoothing(self.q, gap, self.share, whole=score.ends == "whole")
            return smoothing.error(smoothing.width())
        norm = score.norm.at(self.q, gap, self.share)
        return float(score.scale(float(norm.plain(gap, self.share))))


@cache
def population(centre: float, shape: str, points: int = 2001) -> Population:
    """The population of a design, at equally likely values of q."""
    x = centre + SD * ndtri((np.arange(points) + 0.5) / points)
    return Population(expit(x), expit(MAPS[shape](x)), np.full(points, 1 / points))


def generator_of(*names: object) -> np.random.Generator:
    """The random numbers of one simulation, whichever others are run."""
    from zlib import crc32

    return np.random.default_rng(crc32(" ".join(map(str, names)).encode()))
