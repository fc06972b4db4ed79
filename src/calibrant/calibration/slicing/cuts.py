"""Cut pairs into slices by other columns: the categories of a column, or its numbers in parts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError, option

if TYPE_CHECKING:
    import polars

Float = NDArray[np.float64]
Codes = NDArray[np.int32]
Number = np.float64 | np.int64 | np.uint64
Numbers = NDArray[np.float64] | NDArray[np.int64] | NDArray[np.uint64]
MISSING = "(missing)"
MOST_CATEGORIES = 200  # a column with more names rows, not kinds of them
MOST_PARTS = 100  # into which numbers are cut
FEW_NUMBERS = 20  # a column with at most so many distinct numbers is taken as categories
PARTS = 4  # into which other numbers are cut unless the count is given
MOST_SLICES = 2000
MOST_SEARCHED = 20_000
LOOK = 100  # texts to look at before all are taken for numbers
SHOWN = 20  # characters of a value in a message
CODE = "^[+-]?(0[0-9]+|[0-9]{19,})$"  # whole numbers that no type of number keeps as written
DIGITS = 3  # significant digits of the ends of a part, more if two ends would look alike
EXACT = 20  # digits, as many as a whole number has at most


@dataclass(frozen=True)
class Wanted:
    """A column, and into how many parts to cut its numbers (None: by its values)."""

    column: str
    count: int | None = None

    def __str__(self) -> str:
        return self.column if self.count is None else f"{self.column}:{self.count}"


class Choice(NamedTuple):
    """Columns to cut, and which two of them are crossed."""

    singles: tuple[Wanted, ...]
    crosses: tuple[tuple[Wanted, Wanted], ...]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(dict.fromkeys(each.column for each in self.singles))

    def __str__(self) -> str:
        crossed = {each for both in self.crosses for each in both}
        alone = [str(each) for each in self.singles if each not in crossed]
        return ",".join([*alone, *("*".join(map(str, both)) for both in self.crosses)])


def chosen(by: str | Iterable[str], names: Sequence[str], crosses: bool = False) -> Choice:
    """Parse words such as `genre`, `length:5` and `genre*length:5`.

    `names` are the columns there are: one whose own name has a colon or a star is found first.
    """
    words = [by] if isinstance(by, str) else list(by)
    if not words:
        raise ParameterError(f"Name at least one column, such as {option('by', 'genre')}.")
    terms = [_term(word, names) for word in words]
    singles = tuple(dict.fromkeys(each for term in terms for each in term))
    both = [(term[0], term[1]) for term in terms if len(term) > 1]
    if crosses:
        both += [two for two in combinations(singles, 2) if two[0].column != two[1].column]
    kept = {frozenset(two): two for two in reversed(both)}
    return Choice(singles, tuple(reversed(kept.values())))


def _term(word: str, names: Sequence[str]) -> tuple[Wanted, ...]:
    if not isinstance(word, str):
        raise ParameterError(f"{option('by')} must name columns, but it holds {word!r}.")
    if word in names or "*" not in word:
        return (_single(word, names),)
    parts = tuple(_single(part.strip(), names) for part in word.split("*"))
    if len(parts) > 2:
        raise ParameterError(f"{option('by', word)} crosses {len(parts)} columns: cross two.")
    if parts[0].column == parts[1].column:
        raise ParameterError(f"{option('by', word)} crosses a column with itself.")
    return parts


def _single(word: str, names: Sequence[str]) -> Wanted:
    column, colon, count = word.rpartition(":")
    if word in names or not colon:
        return Wanted(word)
    if not (re.fullmatch("[0-9]{1,9}", count) and 2 <= int(count) <= MOST_PARTS):
        raise ParameterError(
            f"{option('by', word)}: after the colon, give a number of parts from 2 to "
            f"{MOST_PARTS}, such as {column}:5."
        )
    return Wanted(column, int(count))


@dataclass(frozen=True, eq=False)
class Cut:
    """A column cut into parts: the label of each part, and the part of every row."""

    column: str
    labels: tuple[str, ...]
    codes: Codes


def cut_column(wanted: Wanted, values: "polars.Series", weight: Float | None = None) -> Cut:
    """Cut a column into its categories, or its numbers by quantiles of the (weighted) rows."""
    import polars

    known = _without_blanks(values)
    numbers = _numbers(known)
    if numbers is not None and wanted.count is None and _are_codes(known):
        numbers = None
    if wanted.count is not None and numbers is None:
        raise InputError(
            f"Column {wanted.column!r} holds text, such as {_shown(known)}, which cannot be cut "
            f"into {wanted.count} parts: use {option('by', wanted.column)}."
        )
    if numbers is None:
        cut = _categories(wanted.column, known.cast(polars.String))
    else:
        cut = _parts(wanted, numbers, weight)
    if len(cut.labels) == 1:
        raise InputError(
            f"Column {wanted.column!r} has the same value in all rows, {cut.labels[0]}, so there "
            "is nothing to slice."
        )
    return cut


def as_column(name: str, values: object) -> "polars.Series":
    """An array, list or column of any library as a column of polars."""
    import narwhals
    import polars

    if isinstance(values, polars.Series):
        return values.rename(name)
    native = narwhals.from_native(values, series_only=True, pass_through=True)
    if isinstance(native, narwhals.Series):
        values = native.to_list()
    found = np.asarray(values) if isinstance(values, np.ndarray) else list(_iterable(name, values))
    try:
        return polars.Series(name, found)
    except (TypeError, polars.exceptions.PolarsError):
        texts = [None if each is None or each != each else str(each) for each in found]
        return polars.Series(name, texts, dtype=polars.String)


def _iterable(name: str, values: object) -> Iterable[object]:
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return values
    raise InputError(f"{name} must be an array with a value for each pair, not {values!r}.")


def _without_blanks(values: "polars.Series") -> "polars.Series":
    """The values, with NaN and blank text as missing; what is neither is text."""
    import polars

    kind = values.dtype
    if kind.is_float():
        return values.fill_nan(None)
    if kind.is_integer() or kind == polars.Boolean:
        return values
    if kind.is_decimal():
        return values.cast(polars.Float64)
    if kind.is_nested() or kind == polars.Object:
        texts = [None if each is None else str(each) for each in values.to_list()]
        values = polars.Series(values.name, texts, dtype=polars.String)
    text = values.cast(polars.String)
    return text.set(text.str.strip_chars() == "", None)


def _may_be_numbers(known: "polars.Series") -> bool:
    """Whether the first texts are numbers, which is quickly seen."""
    import polars

    first = known.drop_nulls().head(LOOK).str.strip_chars()
    return first.cast(polars.Float64, strict=False).null_count() == 0


def _are_codes(known: "polars.Series") -> bool:
    """Whether text holds codes such as 007, which differ from 7 although the numbers are equal."""
    import polars

    if known.dtype != polars.String:
        return False
    texts = known.str.strip_chars().unique()
    codes = texts.filter(texts.str.contains(CODE))
    exact = codes.cast(polars.Int64, strict=False).cast(polars.String) == codes
    return texts.len() <= MOST_CATEGORIES and not exact.fill_null(False).all()


def _numbers(known: "polars.Series") -> "polars.Series | None":
    """The values as numbers; None if some are not, or all are missing.

    Whole numbers stay whole, since floating-point numbers above 2⁵³ merge those that differ.
    """
    import polars

    if known.dtype == polars.Boolean or known.null_count() == known.len():
        return None
    if known.dtype == polars.String and not _may_be_numbers(known):
        return None
    values = known if known.dtype.is_numeric() else known.str.strip_chars()
    if not values.dtype.is_float():
        for kind in (polars.Int64, polars.UInt64):
            whole = values.cast(kind, strict=False)
            if whole.null_count() == known.null_count():
                return whole
    found = values.cast(polars.Float64, strict=False)
    return found.fill_nan(None) if found.null_count() == known.null_count() else None


def _shown(known: "polars.Series") -> str:
    import polars

    texts = known.drop_nulls().cast(polars.String)
    plain = texts.filter(texts.str.strip_chars().cast(polars.Float64, strict=False).is_null())
    value = str(plain[0]) if plain.len() else MISSING
    return repr(value if len(value) <= SHOWN else value[:SHOWN] + "…")


def _categories(column: str, texts: "polars.Series") -> Cut:
    """The distinct texts in order; missing values come last."""
    import polars

    distinct = texts.drop_nulls().unique().sort()
    if distinct.len() > MOST_CATEGORIES:
        raise InputError(
            f"Column {column!r} has {distinct.len()} different values, more than "
            f"{MOST_CATEGORIES}: choose a column of categories, or one of numbers, which "
            f"{option('by', f'{column}:5')} would cut into parts."
        )
    labels = distinct.to_list()
    codes = texts.replace_strict(labels, list(range(len(labels))), default=len(labels))
    return _with_missing(column, labels, codes.cast(polars.Int32).to_numpy())


def _with_missing(column: str, labels: list[str], codes: NDArray[np.integer]) -> Cut:
    missing = [MISSING] * bool((codes == len(labels)).any())
    return Cut(column, (*labels, *missing), np.asarray(codes, np.int32))


def _parts(wanted: Wanted, values: "polars.Series", weight: Float | None) -> Cut:
    """Numbers by quantiles, or each by itself if they are few."""
    known = values.is_not_null().to_numpy()
    numbers = values.fill_null(0).to_numpy()
    distinct, place = np.unique(numbers[known], return_inverse=True)
    if wanted.count is None and distinct.size <= FEW_NUMBERS:
        part, count = np.arange(distinct.size), distinct.size
    else:
        held = np.bincount(place, None if weight is None else weight[known])
        part = _quantile_parts(held, wanted.count or PARTS)
        count = int(part[-1]) + 1
    codes = np.full(numbers.size, count, np.int32)
    codes[known] = part[place]
    first = np.searchsorted(part, np.arange(count))
    last = np.searchsorted(part, np.arange(count), side="right") - 1
    return _with_missing(wanted.column, _ranges(distinct[first], distinct[last]), codes)


def _quantile_parts(held: NDArray[Any], count: int) -> NDArray[np.int64]:
    """The part of each distinct number, which has this weight; equal numbers stay together."""
    reached = np.cumsum(held) / np.sum(held)
    shares = np.arange(1, count) / count
    ends = np.unique(np.searchsorted(reached, shares - 1e-12))
    ends = ends[ends < held.size - 1]
    if not ends.size and held.size > 1:  # most rows have the largest number
        ends = np.array([held.size - 2])
    return np.searchsorted(ends, np.arange(held.size))


def _ranges(low: Numbers, high: Numbers) -> list[str]:
    """Labels of parts by their smallest and largest numbers, with enough digits to differ."""
    for digits in (*range(DIGITS, 18), EXACT):
        ends = [[_text(each, digits) for each in side] for side in (low, high)]
        labels = [
            _single_text(x, a) if x == y else f"{a} to {b}"
            for a, b, x, y in zip(*ends, low, high, strict=True)
        ]
        if len(set(labels)) == len(labels) and all(
            b != a for b, a in zip(ends[1][:-1], ends[0][1:], strict=True)
        ):
            break
    return labels


def _single_text(number: Number, rounded: str) -> str:
    """A part of one number: whole numbers are exact, since they may be the names of things."""
    return str(number) if isinstance(number, np.integer) else rounded


def _text(number: Number, digits: int) -> str:
    if digits == EXACT:
        return str(number)
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{number:.0f}"
    return f"{number:.{digits}g}"


class Part(NamedTuple):
    """One part of a column."""

    cut: Cut
    code: int

    @property
    def label(self) -> str:
        """The value, or the range of values."""
        return self.cut.labels[self.code]

    def __str__(self) -> str:
        return f"{self.cut.column} = {self.label}"


Parts = tuple[Part, ...]  # of different columns: the rows that lie in all of them


def all_parts(cuts: Mapping[Wanted, Cut], choice: Choice) -> list[Parts]:
    """The slices of each column, and of each cross.

    A slice of a cross with no rows, or with the same rows as a slice of one of its columns, is left
    out.
    """
    found: list[Parts] = [(each,) for cut in cuts.values() for each in each_part(cut)]
    for one, other in choice.crosses:
        found += crossed(cuts[one], cuts[other])
    if len(found) > MOST_SLICES:
        raise ParameterError(
            f"There are {len(found)} slices, more than {MOST_SLICES}: name fewer columns in "
            f"{option('by')}, or cut numbers into fewer parts."
        )
    return found


def each_part(cut: Cut) -> list[Part]:
    """The parts of a column."""
    return [Part(cut, code) for code in range(len(cut.labels))]


def crossed(one: Cut, other: Cut) -> list[Parts]:
    """The slices of two columns together."""
    shape = len(one.labels), len(other.labels)
    both = one.codes.astype(np.int64) * shape[1] + other.codes
    counts = np.bincount(both, minlength=shape[0] * shape[1]).reshape(shape)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    new = (counts > 0) & (counts < rows[:, None]) & (counts < columns)
    return [(Part(one, int(a)), Part(other, int(b))) for a, b in np.argwhere(new)]


def rows_of(parts: Parts) -> NDArray[np.int64]:
    """The rows of a slice, in ascending order."""
    inside = parts[0].cut.codes == parts[0].code
    for part in parts[1:]:
        inside &= part.cut.codes == part.code
    return np.flatnonzero(inside)
