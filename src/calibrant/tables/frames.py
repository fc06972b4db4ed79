"""Read data frames through narwhals: pandas, polars, pyarrow, DuckDB, Dask, Spark, datasets."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.tables.columns import SEEN, Columns, Given, choose_columns

if TYPE_CHECKING:
    import polars


def pairs_from_frame(frame: object, given: Given) -> Pairs:
    """Make pairs from the columns of a frame; collect only those columns of a lazy frame."""
    found = collected_columns(frame, given)
    return found.columns.pairs(found.values)


class Collected(NamedTuple):
    """Columns of a frame in memory, and which of them are y, q and so on."""

    frame: Any  # of narwhals
    columns: Columns
    wanted: Sequence[str] = ()  # the names of other columns

    @property
    def values(self) -> dict[str, Any]:
        """The columns of pairs, by role."""
        return {role: self.frame[name].to_native() for role, name in self.columns.roles().items()}


def collected_columns(
    frame: object,
    given: Given,
    wanted: Sequence[str] | Callable[[Sequence[str], Columns], Sequence[str]] = (),
    check: Callable[[Sequence[str], Sequence[str], str], None] | None = None,
) -> Collected:
    """Collect the columns of pairs and the `wanted` ones; `check` may refuse their names."""
    import narwhals
    from narwhals.exceptions import DuplicateError

    given_frame: Any = _table(frame)
    try:
        wrapped = narwhals.from_native(given_frame)
        names = wrapped.collect_schema().names()
    except TypeError as error:
        raise InputError(
            f"A path or a data frame was expected, not {type(frame).__name__}."
        ) from error
    except DuplicateError as error:
        raise InputError("The frame has several columns of one name: rename them.") from error

    def look(names: list[str]) -> Mapping[str, Sequence[object]]:
        first = _collected(wrapped.select(*names).head(SEEN))
        return {name: first[name].to_list() for name in names}

    columns = choose_columns(names, given, "The frame", look).columns
    others = list(dict.fromkeys(wanted(names, columns) if callable(wanted) else wanted))
    if check is not None:
        check(others, names, "The frame")
    picked = dict.fromkeys([*columns.roles().values(), *others])
    return Collected(_collected(wrapped.select(*picked)), columns, others)


def whole_frame(frame: object) -> "polars.DataFrame":
    """All columns of a frame of any library, in memory."""
    import narwhals
    from narwhals.exceptions import DuplicateError

    given_frame: Any = _table(frame)
    try:
        found: polars.DataFrame = _collected(narwhals.from_native(given_frame)).to_polars()
    except TypeError as error:
        raise InputError(
            f"A path or a data frame was expected, not {type(frame).__name__}."
        ) from error
    except DuplicateError as error:
        raise InputError("The frame has several columns of one name: rename them.") from error
    return found


def _is_dataset(given: object) -> bool:
    """Whether an object is from the library datasets, without importing it."""
    return type(given).__module__.split(".")[0] == "datasets"


def _table(given: Any) -> Any:  # noqa: ANN401 - a frame of any library
    """The rows of a dataset as a table of pyarrow, in the order of the dataset; frames as is."""
    if not _is_dataset(given):
        return given
    if isinstance(given, Mapping):
        raise InputError(
            f"A dataset was expected, not all its splits: choose one of {', '.join(given)}."
        )
    if not hasattr(given, "__len__"):
        raise InputError(
            f"A dataset in memory was expected, not {type(given).__name__}: load it without "
            "streaming."
        )
    return given.with_format("arrow")[:]


def _collected(frame: Any) -> Any:  # noqa: ANN401 - frames of any library
    """Load a lazy frame into memory."""
    import narwhals

    return frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame


def is_frame(given: object) -> bool:
    """Whether an object is a data frame that narwhals supports."""
    import narwhals
    from narwhals.exceptions import DuplicateError

    if isinstance(given, narwhals.DataFrame | narwhals.LazyFrame) or _is_dataset(given):
        return True
    try:
        return narwhals.from_native(given, pass_through=True) is not given
    except DuplicateError:  # of the names of its columns
        return True
