"""Categories of units: the values of a column, its numbers in parts, or the months of its dates."""

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.slicing.cuts import MISSING, Cut, as_column, chosen, cut_column
from calibrant.errors import InputError, option

if TYPE_CHECKING:
    import polars

    from calibrant.pairs.tallies import Tallies

PERIODS = {  # how dates are shortened
    "year": "%Y",
    "month": "%Y-%m",
    "week": "%G-W%V",
    "day": "%Y-%m-%d",
}
QUARTER = "quarter"
FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y")  # unambiguous; all have ten characters
DAY = 10  # characters of a date, before a time of day
MOST_PERIODS = 2000
TOTAL = "total"


def categories(tallies: "Tallies", by: str | None) -> Cut:
    """The category of each unit; a single one without `by`.

    `by` is a column, `length:5` for its numbers in five parts, or `date:month`.
    """
    if by is None:
        return Cut("", (TOTAL,), np.zeros(len(tallies), np.int32))
    if not isinstance(by, str):
        raise InputError(f"{option('by')} must name one column, but it is {by!r}.")
    column, period = period_of(by, list(tallies.by))
    if column not in tallies.by:
        names = ", ".join(tallies.by) or "none"
        raise InputError(f"There is no column {column!r} to count by. There are: {names}.")
    values = as_column(column, tallies.by[column])
    if period is not None:
        return _cut(column, _periods(values, period))
    found: Cut = cut_column(chosen(by, list(tallies.by)).singles[0], values, tallies.weight)
    return found


def period_of(by: str, names: list[str]) -> tuple[str, str | None]:
    """The column that `by` names, and the period of its dates (None: they are not dates).

    >>> period_of("date:month", ["date"]), period_of("length:5", ["length"])
    (('date', 'month'), ('length', None))
    """
    column, colon, after = by.rpartition(":")
    if by in names or not colon:
        return by, None
    if after in PERIODS or after == QUARTER:
        return column, after
    if not after.isdigit():
        raise InputError(
            f"{option('by', by)}: after the colon, give a number of parts, or one of "
            f"{', '.join([*PERIODS, QUARTER])} for a column of dates."
        )
    return column, None


def _cut(column: str, texts: "polars.Series") -> Cut:
    labels = texts.drop_nulls().unique().sort().to_list()
    if len(labels) > MOST_PERIODS:
        raise InputError(
            f"Column {column!r} has {len(labels)} periods, more than {MOST_PERIODS}: take longer "
            "ones."
        )
    missing = [MISSING] * bool(texts.null_count())
    codes = texts.replace_strict(labels, list(range(len(labels))), default=len(labels))
    return Cut(column, (*labels, *missing), codes.to_numpy().astype(np.int32))


def _periods(values: "polars.Series", period: str) -> "polars.Series":
    """The period of each date, as text that sorts by time."""
    import polars

    dates = _dates(values)
    if period == QUARTER:
        frame = polars.DataFrame({"date": dates})
        year, quarter = polars.col("date").dt.year(), polars.col("date").dt.quarter()
        return frame.select(polars.format("{}-Q{}", year, quarter).alias("date"))["date"]
    return dates.dt.strftime(PERIODS[period])


def _dates(values: "polars.Series") -> "polars.Series":
    """Dates, or texts such as 2019-03-07, perhaps with a time; a blank is a missing date."""
    import polars

    if values.dtype in (polars.Date, polars.Datetime):
        return values.cast(polars.Date)
    texts = values.cast(polars.String).str.strip_chars()
    texts = texts.set(texts == "", None)
    days = texts.str.slice(0, DAY)
    found = polars.Series(values.name, [None] * values.len(), dtype=polars.Date)
    for format in FORMATS:
        found = found.fill_null(days.str.to_date(format, strict=False))
    months = (texts + "-01").str.to_date("%Y-%m-%d", strict=False)
    found = found.fill_null(months)
    _refuse_unread(texts, found)
    return found


def _refuse_unread(texts: "polars.Series", found: "polars.Series") -> None:
    wrong = (texts.is_not_null() & found.is_null()).to_numpy()
    if wrong.any():
        where = int(np.argmax(wrong))
        be = "value is" if wrong.sum() == 1 else "values are"
        raise InputError(
            f"Column {texts.name!r} must hold dates such as 2019-03-07 or 2019-03, but row "
            f"{where + 1} is {str(texts[where])!r} ({int(wrong.sum())} {be} not)."
        )


def times_of(cut: Cut, by: str | None) -> tuple[float, ...]:
    """The time of each period in years, NaN where it is missing; empty without periods."""
    after = "" if by is None or by == cut.column else by.rpartition(":")[2]
    if after not in (*PERIODS, QUARTER):
        return ()
    return tuple(nan if label == MISSING else _year(label, after) for label in cut.labels)


def _year(label: str, period: str) -> float:
    from datetime import date

    if period == "year":
        return float(label)
    year, _, rest = label.partition("-")
    if period == QUARTER:
        return int(year) + (int(rest[1:]) - 1) / 4
    if period == "month":
        return int(year) + (int(rest) - 1) / 12
    day = date.fromisocalendar(int(year), int(rest[1:]), 1) if period == "week" else None
    whole = date.fromisoformat(label) if day is None else day
    return whole.year + (whole.timetuple().tm_yday - 1) / 365.25


def cut_like(here: "Tallies", there: "Tallies", column: str) -> tuple[Cut, Cut]:
    """Categories of a column in two tables, with the numbers of the first; all must be in both."""
    one, other = categories(here, column), categories(there, column)
    missing = [label for label in one.labels if label not in other.labels]
    if missing:
        raise InputError(
            f"There are no labels from elsewhere for {column} = {missing[0]!r} ({len(missing)} of "
            f"{len(one.labels)} categories have none): leave {option('within')} out."
        )
    number = {label: k for k, label in enumerate(one.labels)}
    codes = np.array([number.get(label, -1) for label in other.labels], np.int32)
    return one, Cut(column, one.labels, codes[other.codes])
