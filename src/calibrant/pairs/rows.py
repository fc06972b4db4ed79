"""The rows of pairs: what they hold, how two sets are joined, and sums over ties."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.pairs.groups import Groups, Numbered, all_numbered, pool

Float = NDArray[np.float64]


class Moments(NamedTuple):
    """The means of q² and of q·y over the pairs of each compressed row."""

    square: Float
    cross: Float

    def take(self, rows: NDArray[np.int64]) -> "Moments":
        """The moments of these rows, in this order."""
        return Moments(self.square[rows], self.cross[rows])

    def followed_by(self, other: "Moments") -> "Moments":
        """The moments of these rows, then those of the others."""
        return Moments(
            np.concatenate([self.square, other.square]), np.concatenate([self.cross, other.cross])
        )


class Rows(NamedTuple):
    """The columns of `Pairs`, which have a value in each row."""

    y: NDArray[Any]
    q: NDArray[Any]
    weight: NDArray[Any] | None = None
    group: NDArray[Any] | None = None
    moments: Moments | None = None
    held: Float | None = None
    numbered: NDArray[np.bool_] | None = None
    folds: int | None = None  # groups are folds, of which there are this many; None: they are not
    folded_from: str | None = None  # what labels were before folding: "integers" or "text"
    origin: NDArray[np.int64] | None = None  # the row of the source; None: not kept

    def weights(self) -> NDArray[Any]:
        """The weight of each row, 1 where none was given."""
        return np.ones(self.q.size, np.int64) if self.weight is None else self.weight

    def means(self) -> Moments:
        """The means of q² and q·y in each row."""
        if self.moments is not None:
            return self.moments
        q = self.q.astype(np.float64, copy=False)
        if self.held is not None:  # two parts of the draws are independent: no noise is squared
            return Moments(q * self.held, self.held * self.y)
        return Moments(q * q, q * self.y)

    def take(self, rows: NDArray[np.int64]) -> "Rows":
        """These rows, in this order."""

        def of(column: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if column is None else column[rows]

        return Rows(
            y=self.y[rows],
            q=self.q[rows],
            weight=of(self.weight),
            group=of(self.group),
            moments=None if self.moments is None else self.moments.take(rows),
            held=of(self.held),
            numbered=of(self.numbered),
            folds=self.folds,
            folded_from=self.folded_from,
            origin=of(self.origin),
        )

    def folded(self, folds: int) -> "Rows":
        """The same rows with their groups folded into at most this many sets."""
        assert self.group is not None
        if self.folds is not None:
            many = min(folds, self.folds)
            return self._replace(group=self.group // (self.folds // many), folds=many)
        from calibrant.kernels.pairs.folds import fold_labels

        return self._replace(
            group=fold_labels(self.group, folds),
            numbered=None,
            folds=folds,
            folded_from="integers" if self.group.dtype.kind in "biu" else "text",
        )

    def followed_by(self, other: "Rows") -> "Rows":
        """These rows, then the others; groups are pooled."""
        if (self.group is None) != (other.group is None):
            raise InputError(
                "Pairs with groups and pairs without groups cannot be added: give both a group, "
                "or neither."
            )
        if (self.held is None) != (other.held is None):
            raise InputError("Pairs from draws cannot be added to other pairs.")
        weighted = self.weight is not None or other.weight is not None
        compressed = self.moments is not None or other.moments is not None
        rows = Rows(
            y=np.concatenate([self.y, other.y]),
            q=np.concatenate([self.q, other.q]),
            weight=np.concatenate([self.weights(), other.weights()]) if weighted else None,
            moments=self.means().followed_by(other.means()) if compressed else None,
        )
        if self.held is not None and other.held is not None:
            rows = rows._replace(held=np.concatenate([self.held, other.held]))
        if self.group is None or other.group is None:
            return rows
        if self.folds != other.folds:  # one is folded already: fold both
            many = min(each.folds for each in (self, other) if each.folds is not None)
            return self.folded(many).followed_by(other.folded(many))
        if self.folded_from != other.folded_from:
            raise InputError(
                f"Groups of one set were folded from {self.folded_from}, those of the other from "
                f"{other.folded_from}, so that equal labels have different folds: use labels of "
                "one type (those in CSV are text)."
            )
        group, marks = pool(Groups(self.group, self.numbered), Groups(other.group, other.numbered))
        return rows._replace(
            group=group, numbered=marks, folds=self.folds, folded_from=self.folded_from
        )


def checked_rows(y: object, q: object, weight: object, group: object) -> Rows:
    """The rows of arrays that come in: validated, and converted where they must be."""
    given = {"y": y, "q": q} | ({} if weight is None else {"weight": weight})
    columns: dict[str, Any] = {
        name: arrays.numeric(arrays.vector(each, name), name) for name, each in given.items()
    }
    if group is not None:
        columns["group"] = arrays.labels(group, "group")
    arrays.check_lengths(**columns)
    arrays.check_observations(columns["y"], columns["q"])
    arrays.check_predictions(columns["q"])
    if weight is not None:
        arrays.check_weights(columns["weight"])
        columns["weight"] = arrays.unit_weights(columns["weight"])
    if columns["q"].dtype.kind != "f":
        columns["q"] = columns["q"].astype(np.float64)
    marks = all_numbered(columns["q"].size) if isinstance(group, Numbered) else None
    return Rows(**columns, numbered=marks)


class Tally(NamedTuple):
    """The joint distribution as a list: distinct q in ascending order, weight, positive weight."""

    q: Float
    weight: Float
    positive: Float


def tally_up(rows: Rows, whole: bool) -> Tally:
    """The weight and the positive weight of each distinct q; `whole` weights add up exactly."""
    order = np.argsort(rows.q, kind="stable")
    q = rows.q[order].astype(np.float64, copy=False)
    begins = run_starts(q)
    weight = rows.weights()[order].astype(np.float64)
    positive = weight * rows.y[order]
    if not whole:  # sums of fractions depend on their order, so fix it
        fixed = np.lexsort((positive, weight, q))
        weight, positive = weight[fixed], positive[fixed]
    return Tally(q[begins], np.add.reduceat(weight, begins), np.add.reduceat(positive, begins))


def run_starts(labels: NDArray[np.generic]) -> NDArray[np.int64]:
    """Where each run of equal labels begins."""
    return np.flatnonzero(np.concatenate([[True], labels[1:] != labels[:-1]]))
