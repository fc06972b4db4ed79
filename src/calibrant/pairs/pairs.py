"""`Pairs`: the observations and predictions that everything else is computed from."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, ParameterError, UnsupportedError
from calibrant.pairs.compression import by_outcome, compress_cells, compress_distinct
from calibrant.pairs.estimators import positive_probabilities
from calibrant.pairs.groups import Numbered, all_numbered, effective_number
from calibrant.pairs.resampling import draw_groups
from calibrant.pairs.rows import Float, Moments, Rows, Tally, checked_rows, tally_up
from calibrant.pairs.summary_size import (
    MOST_BITS,
    MOST_GROUPS,
    MOST_ROWS,
    MOST_SUMMED,
    check_folds,
)
from calibrant.results.wording import counted

if TYPE_CHECKING:
    from calibrant.kernels.in_order import Ties

MANY = 1 << 20  # unweighted pairs from which they are sorted piece by piece
ROUNDING = 1e-9  # of a sum of weights: far more than adding up a billion of them loses
T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Pairs:
    """Observations `y` and predictions `q`, validated once, never changed.

    Accepts lists, numpy arrays, columns of pandas, polars and pyarrow, and anything with
    `__array__` or `__dlpack__`. Copies only what must be converted.

    Parameters
    ----------
    y
        What happened: 0 or 1 (booleans and the floats 0.0 and 1.0 too).
    q
        The predicted probability that y = 1, in [0, 1].
    weight
        How often each pair counts. Whole numbers are multiplicities: a weight of 2 is the same
        as the row twice. Other weights are importance weights, which only `Bootstrap` supports:
        their ratios matter, not their size, so they are scaled to a mean of 1.
    group
        The sentence or document each pair came from, as integers or strings. Pairs within one
        group may depend on each other; pairs of different groups are taken as independent.

    Notes
    -----
    Arrays are not copied unless they must be: do not change them afterwards.

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
    moments: Moments | None  # of compressed rows
    held: Float | None  # of draws: what those held back say
    numbered: NDArray[np.bool_] | None  # which labels of groups were only numbered; None: none
    folds: int | None  # groups are folds, of which there are this many; None: they are not
    folded_from: str | None  # what labels were before folding: "integers" or "text"
    origin: NDArray[np.int64] | None  # the row of the source of each row; None: not kept

    def __init__(
        self, y: object, q: object, *, weight: object = None, group: object = None
    ) -> None:
        self._hold(checked_rows(y, q, weight, group))

    def _hold(self, rows: Rows) -> None:
        for name, column in rows._asdict().items():
            if isinstance(column, np.ndarray):
                column = column.view()
                column.flags.writeable = False
            object.__setattr__(self, name, column)

    @classmethod
    def _of(cls, rows: Rows) -> Self:
        """Pairs from rows that are known to be right."""
        pairs = object.__new__(cls)
        pairs._hold(rows)
        return pairs

    @property
    def _rows(self) -> Rows:
        """All columns, row by row."""
        return Rows(*(getattr(self, name) for name in Rows._fields))

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
        was predicted there. All ways to split the draws are used at once, and each pair counts
        once in total.

        Scores and curves of such pairs then show no error for calibrated models. For other
        models they show too little, because noisy shares mix pairs with different predictions: a
        lower bound, which gets closer with more draws. `Brier` is that of the model with
        infinitely many draws (the fair score of Ferro, 2014).

        The question must not depend on the draws. "Is the answer that most of these draws gave
        right?" does, and its share is too large because it was selected: ask about a fixed
        answer, or let other draws choose it.

        Parameters
        ----------
        y
            What happened: 0 or 1.
        yes
            How many draws said yes, in each row; or a matrix of rows by draws, of 0 and 1.
        draws
            How many draws there were: one number, or one for each row; at least 2.
        weight, group
            As in `Pairs`. Without groups, each row is a group of its own.

        Examples
        --------
        >>> from calibrant import Pairs
        >>> Pairs.from_draws([0, 1, 1], yes=[2, 7, 10], draws=10)
        Pairs(3 pairs on 7 rows in 3 groups: 66.7 % positive, mean q 0.633)
        """
        from calibrant.kernels.draws import split_draws

        counts, sizes = arrays.draw_counts(yes, draws)
        whole = cls(y, counts / sizes, weight=weight, group=group)
        split = split_draws(counts, sizes)
        rows = whole._rows.take(split.row)
        if rows.group is None:
            rows = rows._replace(group=split.row, numbered=all_numbered(split.row.size))
        weights = split.weight if rows.weight is None else split.weight * rows.weight
        return cls._of(
            rows._replace(q=split.share, weight=weights, held=split.held, origin=split.row)
        )

    @classmethod
    def from_estimator(
        cls,
        model: Any,  # noqa: ANN401 - any classifier
        X: Any,  # noqa: ANN401 - whatever the classifier takes
        y: object,
        *,
        positive: object = None,
        weight: object = None,
        group: object = None,
    ) -> Self:
        """Pairs of a fitted scikit-learn classifier of two classes.

        q is the probability of the positive class by `predict_proba`, and y is whether an item has
        that class. Take items that the model was not fitted on: on its own training data even an
        overconfident model looks right. For more classes, use `Labels.from_classifier`.

        Parameters
        ----------
        model
            A fitted classifier with `predict_proba` and `classes_`. A `decision_function` alone
            gives scores, not probabilities, and is refused.
        X
            The items, as the model takes them.
        y
            The true classes.
        positive
            The class that counts as yes (default: the second, `model.classes_[1]`).
        weight, group
            As in `Pairs`.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from calibrant import Pairs
        >>> model = LogisticRegression().fit([[0], [1], [2], [3]], ["ham", "ham", "spam", "spam"])
        >>> Pairs.from_estimator(model, [[0], [1], [3]], ["ham", "spam", "spam"])
        Pairs(3 pairs: 66.7 % positive, mean q 0.461)
        """
        return cls(*positive_probabilities(model, X, y, positive), weight=weight, group=group)

    @property
    def predicted(self) -> NDArray[Any]:
        """What was predicted: q, or for draws what those held back say."""
        return self.q if self.held is None else self.held

    def __len__(self) -> int:
        return int(self.q.size)

    def __repr__(self) -> str:
        many = counted(self.n, "pair")
        if self.weight is not None:
            many += f" on {counted(len(self), 'row')}"
        if self.group is not None:
            many += f" in {counted(self.groups, 'group' if self.folds is None else 'fold')}"
        rate, mean = self.mean(self.y), self.mean(self.predicted)
        return f"Pairs({many}: {100 * rate:.3g} % positive, mean q {mean:.3g})"

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs):
            return NotImplemented
        return all(
            np.array_equal(np.asarray(mine), np.asarray(theirs))
            for mine, theirs in zip(self._compared(), other._compared(), strict=True)
        )

    def _compared(self) -> list[object]:
        """What equal pairs have alike, row by row."""
        moments = (None, None) if self.moments is None else self.moments
        return [self.y, self.q, self.weight, self.group, self.held, self.folds, *moments]

    @cached_property
    def n(self) -> float:
        """The number of pairs: the rows, or the sum of their weights."""
        if self.weight is None:
            return float(len(self))
        total = float(self.weight.sum(dtype=np.float64)) if self.counted else fsum(self.weight)
        whole = float(round(total))  # the splits of each pair add up to 1, but for rounding
        return whole if self.held is not None and abs(total - whole) < ROUNDING * total else total

    @cached_property
    def counted(self) -> bool:
        """Whether the weights are multiplicities (whole numbers, or no weights)."""
        weight = self.weight
        return (
            weight is None or weight.dtype.kind in "iub" or bool((weight == np.floor(weight)).all())
        )

    @cached_property
    def codes(self) -> arrays.Numbers | None:
        """The groups numbered 0, 1, ... in the order of their labels."""
        return None if self.group is None else arrays.codes(self.group)

    @cached_property
    def groups(self) -> int:
        """The number of groups; 0 if no groups were given."""
        return 0 if self.codes is None else int(self.codes.max()) + 1

    @cached_property
    def effective_groups(self) -> float:
        """How many groups of equal size these are worth: 1 / Σ share²; 0 if there are none."""
        if self.codes is None:
            return 0.0
        return effective_number(self.group_weights)

    @cached_property
    def group_weights(self) -> Float:
        """The weight of each group, in the order of `codes`."""
        assert self.codes is not None
        if self.weight is None:
            return arrays.sum_by(self.codes, np.broadcast_to(1.0, len(self)))
        if self.counted:
            return arrays.sum_by(self.codes, self.weight)
        order = np.argsort(self.weight, kind="stable")  # sums of fractions depend on their order
        return arrays.sum_by(self.codes[order], self.weight[order])

    @cached_property
    def _remembered(self) -> dict[Hashable, Any]:
        return {}

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returns, computed once per key: pairs never change, so neither does it."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: T = self._remembered[key]
        return found

    def mean(self, values: NDArray[Any]) -> float:
        """The weighted mean of one value per row; rounding never moves it out of their range."""
        if self.weight is None:
            mean = float(values.mean(dtype=np.float64))
        else:
            parts = values.astype(np.float64, copy=False) * self.weight
            total = parts.sum() if self.counted else fsum(parts)  # whatever the order of the rows
            mean = float(total / self.n)
        return min(max(mean, float(values.min())), float(values.max()))

    @cached_property
    def tally(self) -> Tally:
        """The distinct predictions in order, with the weight and the positive weight of each."""
        return tally_up(self._rows, self.counted)

    def in_order(self, work: Callable[["Ties"], T]) -> list[T]:
        """What `work` makes of stretches of distinct predictions, in ascending order.

        Many unweighted pairs are sorted piece by piece, so that all distinct predictions are never
        in memory at once. Other pairs are a single stretch.
        """
        from calibrant.kernels.in_order import Ties, in_order

        return in_order(self.y, self.q, work) if self.many else [work(Ties(*self.tally))]

    @property
    def many(self) -> bool:
        """Whether the pairs are so many that `tally` would take much memory."""
        return self.weight is None and len(self) >= MANY

    def __add__(self, other: object) -> "Pairs":
        """The pairs of both.

        Groups with equal labels are one group. Groups that calibrant has only numbered, such as
        sentences in `ask`, stay apart: nothing says that they are the same.
        """
        if not isinstance(other, Pairs):
            return NotImplemented
        return Pairs._of(self._rows.followed_by(other._rows))

    def row_moments(self) -> Moments:
        """The means of q² and q·y in each row."""
        return self._rows.means()

    def compress(
        self, bits: int | None = None, *, folds: int | None = None, rows: int = MOST_ROWS
    ) -> "Pairs":
        """The same distribution on fewer rows.

        With `bits=None` there is one row per distinct q and group, and nothing changes. With
        `bits=10`, pairs of a group become one row if their q (or their distance from 1, above ½)
        agrees to a factor of 1 + 2⁻¹⁰. Each row keeps the exact weight, mean y, mean q, mean q²
        and mean q·y of its members. So every q and every 1 − q moves by less than 0.1 % of
        itself, and `Brier` does not change at all.

        Groups are kept. With `bits`, more than 1024 groups are folded into 1024 sets of groups.
        Sets of independent groups are independent, so intervals stay honest; they are a little
        less precise than those of single groups. The fold of a group depends on its label alone.

        Compressed pairs add like any others, so a large data set can be summarised in parts; if
        one part is folded, so is the sum.

        Parameters
        ----------
        bits
            How fine the cells are, from 1 to 20; None merges equal q only.
        folds
            Fold the groups into this many sets, a power of two up to 4096 (default: 1024 sets if
            there are more than 1024 groups).
        rows
            The most rows to keep: with more, cells become coarser, one bit at a time.

        Examples
        --------
        >>> import numpy as np
        >>> pairs = Pairs([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5], group=["a", "a", "a", "b"])
        >>> pairs.compress()
        Pairs(4 pairs on 2 rows in 2 groups: 75 % positive, mean q 0.5)
        """
        bits = None if bits is None else whole_number("bits", bits, 1, MOST_BITS)
        folds, most = check_folds(folds), whole_number("rows", rows, 1)
        if self.held is not None:
            raise UnsupportedError(
                "Pairs from draws cannot be compressed: their rows depend on each other."
            )
        if self.folds is None and bits is not None and self.groups > MOST_GROUPS:
            folds = folds or MOST_GROUPS
        if folds is not None and self.group is not None and folds != self.folds:
            return Pairs._of(self._rows.folded(folds)).compress(bits, rows=most)
        if bits is None or not self.counted or self.n > MOST_SUMMED:
            return Pairs._of(compress_distinct(self._rows, self.codes, bits))
        return Pairs._of(compress_cells(self._rows, self.codes, bits, most))

    @cached_property
    def tied(self) -> "Pairs":
        """Pairs with y = 0 or 1 in every row: the members of a compressed row become ties."""
        if self.moments is None:
            return self
        return Pairs._of(by_outcome(self._rows, self.counted))

    def resample(self, seed: int = 0) -> "Pairs":
        """One bootstrap sample: whole groups (or rows) drawn with replacement.

        A group that is drawn twice counts as two groups; groups are numbered as they are drawn.
        """
        generator = np.random.default_rng(whole_number("seed", seed, 0))
        if self.codes is None:
            return self.take(generator.integers(len(self), size=len(self)))
        drawn = draw_groups(self.codes, generator)
        return self.take(drawn.rows).with_group(drawn.draw, numbered=True)

    def select(self, above: float | None = None, below: float | None = None) -> "Pairs":
        """The pairs with above < q ≤ below.

        Examples
        --------
        >>> Pairs([0, 1, 1], [0.2, 0.7, 0.9]).select(above=0.2)
        Pairs(2 pairs: 100 % positive, mean q 0.8)
        """
        kept = np.ones(len(self), bool)
        wanted = []
        if above is not None:
            kept &= self.q > real_number("above", above)
            wanted.append(f"q > {above}")
        if below is not None:
            kept &= self.q <= real_number("below", below)
            wanted.append(f"q <= {below}")
        if not kept.any():
            raise InputError(
                f"No pair has {' and '.join(wanted)}: q runs from {self.q.min():.6g} to "
                f"{self.q.max():.6g}."
            )
        return self.take(np.flatnonzero(kept))

    def take(self, rows: NDArray[np.int64]) -> "Pairs":
        """The pairs of these rows, in this order."""
        return Pairs._of(self._rows.take(rows))

    def with_rows(self) -> "Pairs":
        """The same pairs, each of which remembers its row, also if only some are selected.

        Pairs as they were read need not remember anything: their rows are 0, 1, 2, ... `select`,
        `take` and `resample` leave pairs out or move them, and then only pairs that remember
        their rows know them. Adding and compressing pairs forgets rows.

        Examples
        --------
        >>> pairs = Pairs([0, 1, 1], [0.2, 0.7, 0.9]).with_rows()
        >>> pairs.select(above=0.5).rows_between(0.8, 1)
        array([2])
        """
        if self.origin is not None:
            return self
        self._check_rows_known()
        return Pairs._of(self._rows._replace(origin=np.arange(len(self))))

    def rows_between(self, low: float, high: float) -> NDArray[np.int64]:
        """The rows of the source with low ≤ q ≤ high, in ascending order.

        Rows are counted from 0. Pairs that do not remember their rows (`with_rows`) return their
        own positions. Of pairs from draws, a row is returned if any of its shares lies in the
        range.

        Examples
        --------
        >>> Pairs([0, 1, 1], [0.2, 0.7, 0.9]).rows_between(0.7, 0.9)
        array([1, 2])
        """
        for name, bound in (("low", low), ("high", high)):
            if not 0 <= real_number(name, bound) <= 1:
                hint = f" For {bound:g} % write {bound / 100:g}." if 1 < bound <= 100 else ""
                raise ParameterError(f"{name} must lie in [0, 1], but it is {bound!r}.{hint}")
        if not low <= high:
            raise ParameterError(f"low must not exceed high, but they are {low:g} and {high:g}.")
        return self.source_rows(np.flatnonzero((self.q >= low) & (self.q <= high)))

    def source_rows(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the source at these positions: each once, in ascending order.

        Examples
        --------
        >>> pairs = Pairs([0, 1, 1], [0.2, 0.7, 0.9]).with_rows().select(above=0.5)
        >>> pairs.source_rows([0, 1])
        array([1, 2])
        """
        self._check_rows_known()
        rows = np.arange(len(self)) if self.origin is None else self.origin
        return np.unique(rows[np.asarray(positions, np.int64)])

    def _check_rows_known(self) -> None:
        if self.moments is not None:
            raise UnsupportedError(
                "Compressed pairs are sums of many rows and do not know them: take the pairs as "
                "they were read."
            )
        if self.held is not None and self.origin is None:
            raise UnsupportedError(
                "Pairs from draws that were added do not know their rows: take each set by itself."
            )

    def with_predictions(self, q: object) -> "Pairs":
        """The same observations with other predictions, one for each row.

        Examples
        --------
        >>> Pairs([0, 1], [0.2, 0.7]).with_predictions([0.3, 0.6])
        Pairs(2 pairs: 50 % positive, mean q 0.45)
        """
        if self.held is not None or self.moments is not None:
            raise UnsupportedError(
                "Pairs from draws, and compressed pairs, have several predictions in a row: take "
                "the pairs as they were read."
            )
        made = Pairs(self.y, q)
        arrays.check_lengths(y=self.y, q=made.q)
        return Pairs._of(self._rows._replace(q=made.q))

    def without_groups(self) -> "Pairs":
        """The same pairs as if rows did not depend on each other."""
        return Pairs._of(
            self._rows._replace(group=None, numbered=None, folds=None, folded_from=None)
        )

    def with_group(self, group: object, *, numbered: bool = False) -> "Pairs":
        """The same pairs in other groups; `numbered` ones are never those of another set."""
        labels = arrays.labels(group, "group")
        arrays.check_lengths(q=self.q, group=labels)
        only_numbered = numbered or isinstance(group, Numbered)
        marks = all_numbered(len(self)) if only_numbered else None
        return Pairs._of(
            self._rows._replace(group=labels, numbered=marks, folds=None, folded_from=None)
        )
