"""Frames of any library that narwhals knows: pandas, polars, pyarrow, DuckDB, Dask, Spark."""

from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.tables.columns import Given, choose_columns


def pairs_from_frame(frame: object, given: Given) -> Pairs:
    """Pairs from the columns of a frame; lazy frames are collected, only those columns."""
    import narwhals

    try:
        wrapped = narwhals.from_native(frame)  # type: ignore[call-overload]
    except TypeError as error:
        raise InputError(
            f"A path or a data frame was expected, not {type(frame).__name__}."
        ) from error
    columns = choose_columns(wrapped.collect_schema().names(), given, "The frame")
    picked = wrapped.select(*dict.fromkeys(columns.roles().values()))
    if isinstance(picked, narwhals.LazyFrame):
        picked = picked.collect()
    values = {role: picked[name].to_native() for role, name in columns.roles().items()}
    return columns.pairs(values)


def is_frame(given: object) -> bool:
    """Whether something is a data frame of a library that narwhals knows."""
    import narwhals

    if isinstance(given, narwhals.DataFrame | narwhals.LazyFrame):
        return True
    return narwhals.from_native(given, pass_through=True) is not given
