"""How much independent information pairs hold, if those of a group depend on each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.groups.units import rows_are_units
from calibrant.calibration.recalibration.maps import logits
from calibrant.checks.arrays import Numbers, sum_by
from calibrant.pairs import Pairs

Float = NDArray[np.float64]
Int = NDArray[np.int64]
BINS = 32  # of logits, within which fitted probabilities are taken as equal


@dataclass(frozen=True, eq=False)
class Dependence:
    """Products of what each group holds, summed over the groups of each fold.

    A group holds z: Σ w·y, Σ w·y·x, and Σ w in each bin of x, the logit. Its residuals around any
    probabilities p of the bins, U = Σ w(y − p)(1, x), are linear in z. So their products need only
    Σ z zᵀ, and p may be fitted later, without the folds that are left out.
    """

    products: Float  # (folds, 2 + bins, 2 + bins)
    units: Float  # how many groups, or rows of fractional weight, each fold has
    place: Int  # the bin of each cell

    def worth(self, kept: NDArray[np.bool_], x: Float, n: Float, k: Float) -> float:
        """How many independent pairs a pair is worth, from folds that hold n and k in each cell.

        Two, over the trace of information⁻¹ · noise, which is 2 for independent pairs. Both are of
        the line that fits these folds best: around predictions that are far too extreme, the error
        that all groups have in common would look like dependence.
        """
        from scipy.special import expit

        from calibrant.kernels.calibration.logistic import fit_line

        units = float(self.units[kept].sum())
        line = fit_line(x, n, k)
        p = expit(line.intercept + line.slope * x)
        design = np.column_stack([np.ones_like(x), x])
        information = (design * (n * p * (1 - p))[:, None]).T @ design
        held = sum_by(self.place, n, int(self.place.max()) + 1)
        means = [sum_by(self.place, n * p * each, held.size) for each in design.T]
        means = [np.divide(each, held, where=held > 0, out=0 * held) for each in means]
        residual = np.column_stack([np.eye(2), -np.array(means)])
        noise = residual @ self.products[kept].sum(axis=0) @ residual.T
        noise *= units / max(units - 2, 1.0)  # two coefficients were fitted
        trace = float(np.trace(np.linalg.pinv(information) @ noise))
        return min(1.0, 2 / trace) if trace > 0 else 1.0


def dependence_of(
    pairs: Pairs, fold: Numbers, cell: Numbers, n: Float, weight: Float
) -> Dependence | None:
    """What tells how pairs depend on each other; None if they are independent and count as whole.

    `cell` is the cell of each pair, in ascending order of q, and n the weight of each cell.
    """
    if rows_are_units(pairs):
        return None
    place = _bins(n)
    width = 2 + int(place.max()) + 1
    codes = np.arange(len(pairs)) if pairs.codes is None else pairs.codes
    folds = int(fold.max()) + 1
    of_unit = np.empty(int(codes.max()) + 1, np.int64)
    of_unit[codes] = fold
    units = np.bincount(of_unit, minlength=folds)
    order = np.argsort(of_unit, kind="stable")
    rank = np.empty(of_unit.size, np.int64)
    rank[order] = np.arange(of_unit.size) - np.repeat(np.cumsum(units) - units, units)
    products = np.empty((folds, width, width))
    for f, many in enumerate(units.tolist()):
        rows = np.flatnonzero(fold == f)
        unit, w = rank[codes[rows]], weight[rows]
        positive = w * pairs.y[rows]
        held = np.empty((many, width))
        held[:, 0] = sum_by(unit, positive, many)
        held[:, 1] = sum_by(unit, positive * logits(pairs.q[rows]), many)
        at = unit * (width - 2) + place[cell[rows]]
        held[:, 2:] = sum_by(at, w, many * (width - 2)).reshape(many, -1)
        products[f] = held.T @ held
    return Dependence(products, units.astype(np.float64), place)


def _bins(n: Float) -> Int:
    """The bin of each cell: cells themselves if they are few, else parts of about equal weight."""
    if n.size <= BINS:
        return np.arange(n.size)
    middle = (np.cumsum(n) - n / 2) / n.sum()
    _, place = np.unique((middle * BINS).astype(np.int64), return_inverse=True)
    return np.asarray(place, np.int64)
