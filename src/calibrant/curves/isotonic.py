"""Isotonic regression: the best curve that never falls (CORP)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.curves.bands import check_level
from calibrant.curves.curve import Curve
from calibrant.curves.estimator import Estimator, distribution_of, signature_of, support_of
from calibrant.errors import UnsupportedError
from calibrant.evidence import Bins, Gaps, clusters
from calibrant.pairs import Pairs, Tally

Float = NDArray[np.float64]
REPLICATES = 500  # of a band
CELLS = 1000  # that replicates are drawn on, where there are more distinct predictions


@dataclass(frozen=True, repr=False)
class Isotonic(Estimator):
    """The step function closest to the observations among those that never fall.

    It needs no bins and no bandwidth, and is consistent whenever frequencies grow with
    predictions. Equal predictions are pooled first. Between two steps it is joined by a line.
    Its noise cannot be removed, so scores from it are plug-ins.

    The band "confidence" holds the curves of resampled pairs (or groups); "consistency" is
    drawn around the diagonal, and holds the curves a calibrated model would have shown.

    References
    ----------
    Ayer et al. (1955), doi:10.1214/aoms/1177728423; Dimitriadis, Gneiting and Jordan (2021),
    doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> import calibrant as cb
    >>> steps = cb.curve(cb.Pairs([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9]), cb.Isotonic())
    >>> steps.p, steps([0.25])
    (array([0. , 0.5, 1. ]), array([0.25]))
    """

    debiasable = False
    bands = ("confidence", "consistency")

    def blocks(self, tally: Tally) -> tuple[NDArray[np.int64], Float]:
        """The first distinct prediction of each step, and its frequency."""
        from calibrant.kernels.pav import isotonic

        return isotonic(tally.positive, tally.weight)

    def fit(self, pairs: Pairs, level: float = 0.95, band: str | None = None) -> Curve:
        """The curve of these pairs, one point per step, with a band at `level`."""
        check_level(level)
        name = self.band(band)
        tally = pairs.tally
        first, p = self.blocks(tally)
        n = np.add.reduceat(tally.weight, first)
        q = np.add.reduceat(tally.weight * tally.q, first) / n
        last = np.append(first[1:], tally.q.size) - 1
        replicates = self._replicates(pairs, name, q)
        tail = (1 - level) / 2
        low, high = np.quantile(replicates, [tail, 1 - tail], axis=0)
        if name == "confidence":
            low, high = np.minimum(low, p), np.maximum(high, p)
        return Curve(
            q, p, n, replicates.std(axis=0), low, high, distribution_of(pairs), level,
            signature_of(self, pairs, name, level), self.estimate(pairs), support_of(pairs),
            tally.q[last],
        )  # fmt: skip

    def estimate(self, pairs: Pairs) -> Callable[[Float], Float]:
        """Steps, joined by lines."""
        return _joined(pairs.tally)

    def columns(self, pairs: Pairs) -> NDArray[np.int64]:
        """The cell of each row."""
        coarse = self.gaps(pairs).coarse
        assert coarse is not None
        return np.searchsorted(coarse.upper, pairs.q)

    def gaps(self, pairs: Pairs) -> Gaps:
        """The gap of every distinct prediction; replicates are fitted like the data."""
        tally = pairs.tally
        first, p = self.blocks(tally)
        size = np.diff(np.append(first, tally.q.size))
        fitted = np.repeat(p, size) * tally.weight
        bins = Bins(tally.weight, fitted, tally.weight * tally.q, tally.q)
        coarse = bins.merged(CELLS)
        return Gaps(bins, clusters(pairs, coarse), pairs.counted, coarse=coarse, isotonic=True)

    def _replicates(self, pairs: Pairs, band: str, at: Float) -> Float:
        """Curves of resampled pairs at the predictions `at`."""
        from calibrant.kernels.pav import fit_rows

        if pairs.group is not None or not pairs.counted:
            if band == "consistency":
                raise UnsupportedError(
                    "The consistency band draws every pair on its own, and these have groups (or "
                    "importance weights): ask for band='confidence'."
                )
            return _of_groups(pairs, at)
        coarse = self.gaps(pairs).coarse
        assert coarse is not None
        q, n, p = coarse.q, coarse.n, np.clip(coarse.p, 0.0, 1.0)
        generator = np.random.default_rng(0)
        counts = generator.multinomial(round(n.sum()), n / n.sum(), REPLICATES)
        drawn = generator.binomial(counts, q if band == "consistency" else p)
        found = np.empty((REPLICATES, at.size))
        for r in range(REPLICATES):
            used = counts[r] > 0
            row = (drawn[r, used] / counts[r, used])[None, :]
            fit_rows(row, counts[r, used].astype(np.float64))
            found[r] = np.interp(at, q[used], row[0])
        return found


def _of_groups(pairs: Pairs, at: Float) -> Float:
    found = np.empty((REPLICATES, at.size))
    units = pairs if pairs.group is not None else Pairs(
        pairs.y, pairs.q, weight=pairs.weight, group=np.arange(len(pairs))
    )  # fmt: skip
    for r in range(REPLICATES):
        found[r] = _joined(units.resample(seed=r).tally)(at)
    return found


def _joined(tally: Tally) -> Callable[[Float], Float]:
    from calibrant.kernels.pav import isotonic

    first, p = isotonic(tally.positive, tally.weight)
    last = np.append(first[1:], tally.q.size) - 1
    corners = np.column_stack([tally.q[first], tally.q[last]]).ravel()
    return lambda asked: np.interp(asked, corners, np.repeat(p, 2))
