"""`Pairs`: the observations and predictions that everything else is computed from."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, UnsupportedError
from calibrant.results.tabular import count_text

Float = NDArray[np.float64]
T = TypeVar("T")


class Tally(NamedTuple):
    """The joint distribution as a list: distinct q in ascending order, weight, positive weight."""

    q: Float
    weight: Float
    positive: Float


class Moments(NamedTuple):
    """What a compressed row remembers of its members: the means of q² and of q·y."""

    square: Float
    cross: Float


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Pairs:
    """Observations `y` and predictions `q`, validated once, never changed.

    Lists, numpy arrays, columns of pandas, polars and pyarrow, and anything with `__array__` or
    `__dlpack__` are taken as they come, without a copy where none is needed.

    Parameters
    ----------
    y
        What happened: 0 or 1 (booleans and floats 0.0 and 1.0 too).
    q
        The predicted probability that y = 1, in [0, 1].
    weight
        How often each pair counts. Whole numbers are multiplicities: a weight of 2 is the same
        as the row twice. Other weights are importance weights, for `Bootstrap` only: their
        ratios matter, not their size, so they are scaled to a mean of 1.
    group
        The sentence or document each pair came from, as integers or strings. Pairs of one group
        may depend on each other; groups may not.

    Notes
    -----
    Arrays are kept as they came, without a copy: do not change them afterwards.

    Examples
    --------
    >>> from calibrant import Pairs
    >>> Pairs([0, 1, 1], [0.2, 0.7, 0.9], group=["a", "a", "b"])
    Pairs(3 pairs in 2 groups: 66.7 % positive, mean q 0.6)
    """

    y: NDArray[Any]
    q: NDArray[Any]
    weight: NDArray[Any] | None
    group: NDArray[Any] | None
    moments: Moments | None
    held: Float | None
    numbered: bool  # whether groups are numbers of rows, so that those of two sets differ

    def __init__(
        self, y: object, q: object, *, weight: object = None, group: object = None
    ) -> None:
        observations = arrays.numeric(arrays.vector(y, "y"), "y")
        predictions = arrays.numeric(arrays.vector(q, "q"), "q")
        columns: dict[str, Any] = {"y": observations, "q": predictions}
        if weight is not None:
            columns["weight"] = arrays.numeric(arrays.vector(weight, "weight"), "weight")
        if group is not None:
            columns["group"] = arrays.labels(group, "group")
        arrays.check_lengths(**columns)
        arrays.check_observations(observations, predictions)
        arrays.check_predictions(predictions)
        if weight is not None:
            arrays.check_weights(columns["weight"])
            columns["weight"] = arrays.unit_weights(columns["weight"])
        if predictions.dtype.kind != "f":
            columns["q"] = predictions.astype(np.float64)
        self._set(**columns)

    def _set(
        self,
        y: NDArray[Any],
        q: NDArray[Any],
        weight: NDArray[Any] | None = None,
        group: NDArray[Any] | None = None,
        moments: Moments | None = None,
        held: Float | None = None,
        numbered: bool = False,
    ) -> None:
        fields = {"y": y, "q": q, "weight": weight, "group": group, "held": held}
        for name, array in fields.items():
            if array is not None:
                array = array.view()
                array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "moments", moments)
        object.__setattr__(self, "numbered", numbered)

    @classmethod
    def _checked(cls, **columns: Any) -> Self:  # noqa: ANN401 - the fields of `_set`
        """Pairs from columns that are known to be right."""
        pairs = object.__new__(cls)
        pairs._set(**columns)
        return pairs

    @classmethod
    def from_draws(
        cls,
        y: object,
        yes: object,
        draws: object = None,
        *,
        weight: object = None,
        group: object = None,
    ) -> Self:
        """Pairs whose predictions are shares of draws: `yes` of `draws` samples said yes.

        Such a share is noisy, and predictions that are large by chance are followed by smaller
        frequencies: even a perfectly calibrated model looks overconfident. So most of the draws
        say where a pair belongs, and the others, held back (a quarter, at most five), say what
        was predicted there. That is done for all ways to split the draws at once, each pair
        counting once in all.

        Scores and curves of such pairs then show no error for calibrated models. For others they
        show too little, because noisy shares mix pairs of different predictions: a lower bound,
        that gets closer with more draws. `Brier` is that of the model with infinitely many draws
        (Ferro, 2014, calls it fair).

        The question must not depend on the draws. "Is the answer that most of these draws gave
        right?" does, and its share is too large by choice: ask about a fixed answer, or let other
        draws choose it.

        Parameters
        ----------
        y
            What happened: 0 or 1.
        yes
            How many draws said yes, in each row; or a matrix of rows by draws, of 0 and 1.
        draws
            How many draws there were: one number, or one for each row; at least 2.
        weight, group
            As in `Pairs`. Without groups every row is one.

        Examples
        --------
        >>> from calibrant import Pairs
        >>> Pairs.from_draws([0, 1, 1], yes=[2, 7, 10], draws=10)
        Pairs(3 pairs on 7 rows in 3 groups: 66.7 % positive, mean q 0.633)
        """
        counts, sizes = arrays.draw_counts(yes, draws)
        whole = cls(y, counts / sizes, weight=weight, group=group)
        from calibrant.kernels.draws import split_draws

        row, share, held, part = split_draws(counts, sizes)
        pairs = whole.take(row)
        weights = part if pairs.weight is None else part * pairs.weight
        numbered = pairs.group is None
        labels = row if pairs.group is None else pairs.group
        return cls._checked(
            y=pairs.y, q=share, weight=weights, group=labels, held=held, numbered=numbered
        )

    @property
    def predicted(self) -> NDArray[Any]:
        """What was predicted: q, or for draws what those held back say."""
        return self.q if self.held is None else self.held

    def __len__(self) -> int:
        return int(self.q.size)

    def __repr__(self) -> str:
        many = f"{count_text(self.n)} pairs" if count_text(self.n) != "1" else "1 pair"
        if self.weight is not None:
            many += f" on {len(self)} rows"
        if self.group is not None:
            many += f" in {self.groups} group{'s' * (self.groups != 1)}"
        rate, mean = self.mean(self.y), self.mean(self.predicted)
        return f"Pairs({many}: {100 * rate:.3g} % positive, mean q {mean:.3g})"

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs):
            return NotImplemented
        return all(
            np.array_equal(np.asarray(mine), np.asarray(theirs))
            for mine, theirs in (
                (self.y, other.y),
                (self.q, other.q),
                (self.weight, other.weight),
                (self.group, other.group),
                (self.held, other.held),
            )
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def n(self) -> float:
        """The number of pairs: the rows, or the sum of their weights."""
        if self.weight is None:
            return float(len(self))
        return float(self.weight.sum(dtype=np.float64)) if self.counted else fsum(self.weight)

    @cached_property
    def counted(self) -> bool:
        """Whether the weights are multiplicities (whole numbers, or none)."""
        weight = self.weight
        return (
            weight is None or weight.dtype.kind in "iub" or bool((weight == np.floor(weight)).all())
        )

    @cached_property
    def codes(self) -> NDArray[np.int64] | None:
        """The groups numbered 0, 1, ... in the order of their labels."""
        return None if self.group is None else arrays.codes(self.group)

    @cached_property
    def groups(self) -> int:
        """The number of groups, 0 where there are none."""
        return 0 if self.codes is None else int(self.codes.max()) + 1

    @cached_property
    def _remembered(self) -> dict[Hashable, Any]:
        return {}

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made once per key: pairs never change, so neither does it."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: T = self._remembered[key]
        return found

    def mean(self, values: NDArray[Any]) -> float:
        """The mean of one value per row, by weight."""
        if self.weight is None:
            return float(values.mean(dtype=np.float64))
        return float(np.dot(values.astype(np.float64, copy=False), self.weight) / self.n)

    @cached_property
    def tally(self) -> Tally:
        """The distinct predictions in order, with the weight and the positive weight of each."""
        order = np.argsort(self.q, kind="stable")
        q = self.q[order].astype(np.float64, copy=False)
        begins = np.flatnonzero(np.concatenate([[True], q[1:] != q[:-1]]))
        weight = np.ones(len(self)) if self.weight is None else self.weight[order].astype(float)
        positive = weight * self.y[order]
        if not self.counted:  # sums of fractions depend on their order, so fix it
            weight, positive = _canonical(q, weight, positive)
        return Tally(q[begins], np.add.reduceat(weight, begins), np.add.reduceat(positive, begins))

    def __add__(self, other: object) -> "Pairs":
        if not isinstance(other, Pairs):
            return NotImplemented
        if (self.group is None) != (other.group is None):
            raise InputError(
                "Pairs with groups and pairs without cannot be added: give both a group, or none."
            )
        if (self.held is None) != (other.held is None):
            raise InputError("Pairs from draws and other pairs cannot be added.")
        columns: dict[str, Any] = {
            "y": np.concatenate([self.y, other.y]),
            "q": np.concatenate([self.q, other.q]),
        }
        if self.weight is not None or other.weight is not None:
            columns["weight"] = np.concatenate([_weights(self), _weights(other)])
        if self.group is not None and other.group is not None:
            theirs = other.group
            if self.numbered and other.numbered:
                theirs, columns["numbered"] = theirs + self.group.max() + 1, True
            columns["group"] = _pooled_labels(self.group, theirs)
        if self.held is not None and other.held is not None:
            columns["held"] = np.concatenate([self.held, other.held])
        if self.moments is not None or other.moments is not None:
            both = self.row_moments(), other.row_moments()
            columns["moments"] = Moments(
                *(np.concatenate(each) for each in zip(*both, strict=True))
            )
        return Pairs._checked(**columns)

    def row_moments(self) -> Moments:
        """The means of q² and q·y in each row."""
        if self.moments is not None:
            return self.moments
        q = self.q.astype(np.float64, copy=False)
        if self.held is not None:  # two parts of the draws are independent: no noise is squared
            return Moments(q * self.held, self.held * self.y)
        return Moments(q * q, q * self.y)

    def compress(self, bits: int | None = None) -> "Pairs":
        """The same distribution on fewer rows, without the groups.

        With `bits=None` there is one row per distinct q and nothing changes. With `bits=10` all
        q whose size (or whose distance from 1, above ½) agrees to a factor of 1 + 2⁻¹⁰ become
        one row, at most 135,000 rows whatever the data; each row keeps the exact weight, mean y,
        mean q, mean q² and mean q·y of its members. So every q and every 1 − q moves by less
        than 0.1 % of itself, `Brier` does not change at all, and a bin can only end between two
        cells: results are exactly those of data in which the members of a cell are ties.

        Compressed pairs add like any others, so a large data set can be summarised in parts.
        """
        if bits is not None:
            bits = whole_number("bits", bits, 1, 20)
        if self.held is not None:
            raise UnsupportedError("Pairs from draws cannot be compressed: rows hang together.")
        order = np.argsort(self.q, kind="stable")
        q = self.q[order].astype(np.float64, copy=False)
        weight = _weights(self)[order].astype(np.float64, copy=False)
        label = q if bits is None else _cells(q, bits)
        begins = np.flatnonzero(np.concatenate([[True], label[1:] != label[:-1]]))
        total = np.add.reduceat(weight, begins)
        moments = self.row_moments()
        y, square, cross = (
            np.add.reduceat(weight * each[order], begins) / total
            for each in (self.y, moments.square, moments.cross)
        )
        least = q[begins]  # means are taken from there, so that those near 1 keep their digits
        beyond = q - np.repeat(least, np.diff(np.append(begins, q.size)))
        mean = least + np.add.reduceat(weight * beyond, begins) / total
        return Pairs._checked(y=y, q=mean, weight=total, moments=Moments(square, cross))

    def resample(self, seed: int = 0) -> "Pairs":
        """One bootstrap sample: whole groups (or rows) drawn with replacement.

        A group that is drawn twice counts as two groups; they are numbered as drawn.
        """
        generator = np.random.default_rng(whole_number("seed", seed, 0))
        if self.codes is None:
            return self._take(generator.integers(len(self), size=len(self)), None)
        rows = np.argsort(self.codes, kind="stable")
        sizes = np.bincount(self.codes)
        starts = np.cumsum(sizes) - sizes
        drawn = generator.integers(self.groups, size=self.groups)
        label = np.repeat(np.arange(self.groups), sizes[drawn])
        within = np.arange(label.size) - np.repeat(
            np.cumsum(sizes[drawn]) - sizes[drawn], sizes[drawn]
        )
        return self._take(rows[np.repeat(starts[drawn], sizes[drawn]) + within], label)

    def select(self, above: float | None = None, below: float | None = None) -> "Pairs":
        """The pairs with above < q ≤ below.

        Examples
        --------
        >>> Pairs([0, 1, 1], [0.2, 0.7, 0.9]).select(above=0.2)
        Pairs(2 pairs: 100 % positive, mean q 0.8)
        """
        kept = np.ones(len(self), bool)
        if above is not None:
            kept &= self.q > real_number("above", above)
        if below is not None:
            kept &= self.q <= real_number("below", below)
        if not kept.any():
            wanted = " and ".join(
                text
                for text, value in ((f"q > {above}", above), (f"q <= {below}", below))
                if value is not None
            )
            raise InputError(
                f"No pair has {wanted}: q runs from {self.q.min():.6g} to {self.q.max():.6g}."
            )
        return self.take(np.flatnonzero(kept))

    def take(self, rows: NDArray[np.int64]) -> "Pairs":
        """The pairs of these rows, in this order."""
        return self._take(rows, None if self.group is None else self.group[rows])

    def with_group(self, group: object, *, numbered: bool = False) -> "Pairs":
        """The same pairs in other groups; `numbered` ones are never those of another set."""
        labels = arrays.labels(group, "group")
        arrays.check_lengths(q=self.q, group=labels)
        return Pairs._checked(
            y=self.y,
            q=self.q,
            weight=self.weight,
            group=labels,
            moments=self.moments,
            held=self.held,
            numbered=numbered,
        )

    def _take(self, rows: NDArray[np.int64], group: NDArray[Any] | None) -> "Pairs":
        return Pairs._checked(
            y=self.y[rows],
            q=self.q[rows],
            weight=None if self.weight is None else self.weight[rows],
            group=group,
            moments=None
            if self.moments is None
            else Moments(self.moments.square[rows], self.moments.cross[rows]),
            held=None if self.held is None else self.held[rows],
            numbered=self.numbered,
        )


def _weights(pairs: Pairs) -> NDArray[Any]:
    return np.ones(len(pairs), np.int64) if pairs.weight is None else pairs.weight


def _pooled_labels(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    text = [each.dtype.kind in "UST" for each in (mine, theirs)]
    if text[0] != text[1]:
        raise InputError(
            f"The groups must be of one kind, but one side has {mine.dtype} labels and the other "
            f"{theirs.dtype}."
        )
    return np.concatenate([mine, theirs])


def _canonical(q: Float, weight: Float, positive: Float) -> tuple[Float, Float]:
    order = np.lexsort((positive, weight, q))
    return weight[order], positive[order]


def _cells(q: Float, bits: int) -> NDArray[np.int64]:
    """The cell of each q: half, exponent and leading mantissa bits of q or 1 − q."""
    upper = q > 0.5
    r = np.where(upper, 1.0 - q, q)
    exponent = np.maximum(np.frexp(r)[1], -64)
    steps = np.floor(np.ldexp(r, bits + 1 - exponent)).astype(np.int64)
    cell = np.where(r > 0, ((exponent + 65) << (bits + 1)) + steps + 1, 0)
    return np.where(upper, -cell - 1, cell)
