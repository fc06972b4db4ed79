"""`Tallies`: how many yes answers a model believes each unit to have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrant.checks import arrays
from calibrant.errors import InputError
from calibrant.results.wording import counted

Float = NDArray[np.float64]
Int = NDArray[np.int64]
ROUNDING = 1e-9  # relative error that sums of probabilities may have


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Tallies:
    """What a model believes about the number of yes answers in each unit.

    A unit is a row, a sentence or a document. The answers of one unit may depend on each other in
    any way, as `variance` or `pmf` says. Under the model, units are independent.

    Parameters
    ----------
    expected
        The expected number of yes answers in each unit.
    variance
        The variance of that number. It can be left out if `pmf` is given.
    asked
        How many questions each unit has: the denominator of a share (default: 1). A unit may have
        none.
    best
        How many of the model's best guesses are yes: the naive count (default: not known, NaN).
    pmf
        For each unit, the probabilities of 0, 1, 2, ... yes answers. Units may differ in length.
    gold
        The true number, NaN where it is not known.
    weight
        How often each unit counts (default: once).
    group
        The document of each unit, as integers or strings, if units of one group may depend on each
        other in ways that the model does not know.
    by
        Columns that tell units apart, such as {"month": months}: a value for each unit.

    Examples
    --------
    >>> from calibrant.pairs.tallies import Tallies
    >>> Tallies(pmf=[[0.5, 0.3, 0.2], [0.9, 0.1]], asked=[2, 1], best=[0, 0], gold=[1, None])
    Tallies(2 units, 1 of them labelled: 0.8 expected of 3 asked)
    """

    expected: Float
    variance: Float
    asked: Float
    best: Float
    gold: Float
    weight: Float | None
    group: NDArray[Any] | None
    by: Mapping[str, Any]
    start: Int | None  # where the probabilities of each unit begin in `probabilities`, and the end
    probabilities: Float | None
    rows: bool  # units are single questions: expected is the probability of yes

    def __init__(
        self,
        expected: ArrayLike | None = None,
        variance: ArrayLike | None = None,
        *,
        asked: ArrayLike | None = None,
        best: ArrayLike | None = None,
        pmf: Sequence[ArrayLike] | None = None,
        gold: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> None:
        start, flat = (None, None) if pmf is None else _flat(pmf)
        if start is not None and flat is not None:
            mean, spread = _moments(start, flat)
            _check_same("expected", expected, mean)
            _check_same("variance", variance, spread)
            expected, variance = mean, spread
        if expected is None or variance is None:
            raise InputError("Give expected and variance, or pmf, which says both.")
        many = _column("expected", expected).size
        made = {
            "expected": _not_negative("expected", expected),
            "variance": _not_negative("variance", variance),
            "asked": np.ones(many) if asked is None else _not_negative("asked", asked),
            "best": np.full(many, np.nan) if best is None else _column("best", best),
            "gold": np.full(many, np.nan) if gold is None else _column("gold", gold),
            "weight": None if weight is None else _weights(weight),
            "group": None if group is None else arrays.labels(group, "group"),
        }
        self._hold(**made, by=dict(by or {}), start=start, probabilities=flat, rows=False)
        self._check()

    def _hold(self, **fields: Any) -> None:  # noqa: ANN401 - columns and flags
        fields["by"] = MappingProxyType(fields["by"])
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value = value.view()
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        sized = {
            name: getattr(self, name)
            for name in ("expected", "variance", "asked", "best", "gold", "weight", "group")
        } | {f"by[{name!r}]": np.empty(len(column)) for name, column in self.by.items()}
        arrays.check_lengths(**{name: each for name, each in sized.items() if each is not None})
        known = ~np.isnan(self.gold)
        for name, values in (("gold", self.gold), ("best", self.best)):
            bad = values < 0
            if bad.any():
                found = arrays.describe(values, bad, name, "less")
                raise InputError(f"{name} must not be negative, but {found}.")
        if self.rows and not np.isin(self.gold[known], (0.0, 1.0)).all():
            bad = known & ~np.isin(self.gold, (0.0, 1.0))
            raise InputError(
                "y must be 0 or 1, or missing where there is no label, but "
                f"{arrays.describe(self.gold, bad, 'y', 'neither')}."
            )

    @classmethod
    def of_rows(
        cls,
        q: ArrayLike,
        y: ArrayLike | None = None,
        *,
        best: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Self:
        """Units that are one question each: q is the probability of yes, y the answer or NaN.

        Without `best`, the best guess is yes if q is above ½; at ½ it counts half.

        >>> Tallies.of_rows([0.2, 0.9, 0.7], [0, None, 1])
        Tallies(3 units, 2 of them labelled: 1.8 expected of 3 asked)
        """
        chance = _column("q", q)
        arrays.check_lengths(q=chance)
        arrays.check_predictions(chance)
        made = object.__new__(cls)
        made._hold(
            expected=chance,
            variance=chance * (1 - chance),
            asked=np.ones(chance.size),
            best=(chance > 0.5) + 0.5 * (chance == 0.5) if best is None else _column("best", best),
            gold=np.full(chance.size, np.nan) if y is None else _column("y", y),
            weight=None if weight is None else _weights(weight),
            group=None if group is None else arrays.labels(group, "group"),
            by=dict(by or {}),
            start=None,
            probabilities=None,
            rows=True,
        )
        made._check()
        return made

    def __len__(self) -> int:
        return int(self.expected.size)

    def __repr__(self) -> str:
        known = int(self.labelled.sum())
        told = f"{counted(len(self), 'unit')}, {known} of them labelled"
        groups = "" if self.codes is None else f" in {counted(int(self.codes.max()) + 1, 'group')}"
        once = np.ones(len(self)) if self.weight is None else self.weight
        return (
            f"Tallies({told}{groups}: {np.sum(once * self.expected):g} expected of "
            f"{np.sum(once * self.asked):g} asked)"
        )

    @cached_property
    def labelled(self) -> NDArray[np.bool_]:
        """Which units have a known number of yes answers."""
        return ~np.isnan(self.gold)

    @cached_property
    def codes(self) -> arrays.Numbers | None:
        """The groups numbered 0, 1, ... in the order of their labels; None without groups."""
        return None if self.group is None else arrays.codes(self.group)

    @property
    def known(self) -> bool:
        """Whether the whole distribution of each unit is known, not only its moments."""
        return self.rows or self.start is not None

    def distribution(self, unit: int) -> Float | None:
        """The probabilities of 0, 1, 2, ... yes answers in a unit; None if they are not known."""
        if self.rows:
            chance = float(self.expected[unit])
            return np.array([1 - chance, chance])
        if self.start is None or self.probabilities is None:
            return None
        return self.probabilities[self.start[unit] : self.start[unit + 1]]

    def with_gold(self, gold: ArrayLike) -> "Tallies":
        """The same beliefs with other labels, NaN where there is none."""
        made = object.__new__(Tallies)
        fields = {name: getattr(self, name) for name in Tallies.__dataclass_fields__}
        made._hold(**fields | {"gold": _column("gold", gold)})
        made._check()
        return made


def _column(name: str, values: ArrayLike) -> Float:
    """Numbers as floats; None and missing values are NaN."""
    found = np.asarray(values)
    if found.dtype.kind == "O":
        try:
            found = np.array([np.nan if each is None else each for each in found], np.float64)
        except (TypeError, ValueError):
            found = arrays.numeric(found, name)  # says which one is not a number
    found = arrays.numeric(found, name)
    if found.ndim != 1:
        raise InputError(f"{name} must have one number for each unit, not shape {found.shape}.")
    return found.astype(np.float64, copy=False)


def _not_negative(name: str, values: ArrayLike) -> Float:
    found = _column(name, values)
    bad = ~((found >= 0) & np.isfinite(found))
    if bad.any():
        raise InputError(
            f"{name} must be finite and not negative, but "
            f"{arrays.describe(found, bad, name, 'not')}."
        )
    return found


def _weights(values: ArrayLike) -> Float:
    found = _column("weight", values)
    if found.size:
        arrays.check_weights(found)
    return found


def _flat(pmf: Sequence[ArrayLike]) -> tuple[Int, Float]:
    """All distributions one after the other, and where each begins; sums must be 1."""
    each = [np.asarray(row, np.float64).ravel() for row in pmf]
    sizes = np.array([row.size for row in each], np.int64)
    if not sizes.size or not sizes.all():
        raise InputError("pmf must have at least one probability for each of at least one unit.")
    start = np.concatenate([[0], np.cumsum(sizes)])
    flat = np.concatenate(each)
    total = np.add.reduceat(flat, start[:-1])
    wrong = ~(np.abs(total - 1) <= ROUNDING * np.maximum(sizes, 1000))
    wrong |= np.minimum.reduceat(np.where(flat >= 0, flat, -1.0), start[:-1]) < 0
    if wrong.any():
        where = int(np.argmax(wrong))
        raise InputError(
            "Each pmf must be probabilities that sum to 1, but those of unit "
            f"{where} sum to {total[where]:.6g}, or some are negative ({int(wrong.sum())} of "
            f"{sizes.size} units are wrong)."
        )
    return start, flat / np.repeat(total, sizes)


def _moments(start: Int, flat: Float) -> tuple[Float, Float]:
    """The mean and the variance of each distribution."""
    number = np.arange(flat.size) - np.repeat(start[:-1], np.diff(start))
    mean = np.add.reduceat(number * flat, start[:-1])
    away = number - np.repeat(mean, np.diff(start))
    return mean, np.add.reduceat(away**2 * flat, start[:-1])


def _check_same(name: str, given: ArrayLike | None, found: Float) -> None:
    if given is None:
        return
    asked = _column(name, given)
    close = np.allclose(asked, found, rtol=1e-6, atol=1e-6) if asked.size == found.size else False
    if not close:
        raise InputError(f"{name} must agree with pmf: leave it out.")
