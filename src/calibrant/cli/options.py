"""Options that several commands share."""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from calibrant.calibration.intervals import Interval
    from calibrant.pairs import Pairs
    from calibrant.tables.columns import Given
    from calibrant.tables.predictions import Predictions, Wanted

INPUT, INTERVAL, OUTPUT = "Input", "Interval", "Output"  # panels of the help


def input_option(name: str, *, help: str, metavar: str | None = None) -> object:
    """An option that says what to read."""
    return typer.Option(name, metavar=metavar, help=help, rich_help_panel=INPUT)


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Predictions: CSV, TSV, JSON lines or Parquet, plain or .gz; - for standard input; a "
        "folder or a pattern such as 'parts/*.parquet' for many files; or a summary.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="text (the default), json, csv, md or latex; json and csv show all digits.",
        rich_help_panel=OUTPUT,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Slice by a column: its values, or length:5 for numbers in five parts of equal "
        "count; 'genre*length:5' also takes both together; repeatable.",
    ),
]
Figure = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Also draw a figure: .png, .svg or .pdf.",
        rich_help_panel=OUTPUT,
    ),
]
Level = Annotated[
    float,
    typer.Option("--level", help="Level of intervals and bands.", rich_help_panel=INTERVAL),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Seed for resampling (default: 0).",
        rich_help_panel=INTERVAL,
    ),
]


def split_files(words: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Separate further files from names, such as those of scores."""
    from pathlib import Path

    from calibrant.tables.sources import suffix_format

    files: list[str] = []
    names: list[str] = []
    for word in words or ():
        is_file = suffix_format(word) is not None or Path(word).exists()
        (files if is_file else names).append(word)
    return files, names


def split_name(words: Sequence[str] | None, what: str, default: str) -> tuple[list[str], str]:
    """Separate further files from at most one name, of a curve for instance."""
    from calibrant.errors import ParameterError

    files, names = split_files(words)
    if len(names) > 1:
        raise ParameterError(
            f"{what} can be given once, but these are {len(names)}: {', '.join(names)}. (If one is "
            "a file, it does not exist.)"
        )
    return files, names[0] if names else default


class Reader(NamedTuple):
    """Reads files as the command-line options specify."""

    given: "Given"
    format: str | None
    map: str | None = None  # a saved map that predictions go through

    def __call__(self, file: str, *more: str) -> "Pairs":
        """Read the pairs of a file, and print the columns used as a note.

        Several files, patterns, folders and very large files are summarised, not loaded.
        """
        from calibrant.tables import pairs_from_file
        from calibrant.tables.large import why_summarised

        why = why_summarised(file, *more)
        if why is None:
            return self._mapped(pairs_from_file(file, self.given, self.format, note))
        note(f"{why}: sums over cells of q are computed instead of single pairs.")
        return self.summarised([file, *more])

    def summarised(
        self, files: Sequence[str], folds: int | None = None, rows: int | None = None
    ) -> "Pairs":
        """Summarise the pairs of files without loading them, with a progress bar."""
        from calibrant.errors import ParameterError

        if self.map is not None:
            raise ParameterError("--with maps the predictions of one file: several are summarised.")
        from calibrant.pairs.summary_size import MOST_ROWS
        from calibrant.tables.scanning import scan_source

        return scan_source(
            list(files),
            self.given,
            folds=folds,
            rows=MOST_ROWS if rows is None else rows,
            format=self.format,
            progress=sys.stderr.isatty(),
            note=note,
        )

    def with_keys(self, file: str, names: Sequence[str]) -> "tuple[Pairs, list[NDArray[Any]]]":
        """The pairs of a file, and columns that name its rows."""
        from calibrant.tables import keyed_pairs_from_file

        return keyed_pairs_from_file(file, self.given, names, self.format, note)

    def predictions(self, file: str, wanted: "Wanted") -> "Predictions":
        """The pairs of a file, and other columns of it."""
        from calibrant.errors import FileError
        from calibrant.tables.large import why_summarised
        from calibrant.tables.predictions import predictions_from_file

        why = why_summarised(file)
        if why is not None:
            raise FileError(
                f"{why}: give one file of predictions, whose other columns can be read."
            )
        found = predictions_from_file(file, self.given, wanted, self.format, note)
        return found._replace(pairs=self._mapped(found.pairs))

    def _mapped(self, pairs: "Pairs") -> "Pairs":
        """The pairs as the map of --with mends them."""
        if self.map is None:
            return pairs
        from calibrant.cli.maps import load_map
        from calibrant.cli.output import warnings_as_notes

        found = load_map(self.map)
        named = self.given.get("q")
        with warnings_as_notes():
            found.compare_column(named if isinstance(named, str) else None)
            mapped = found.apply(pairs)
        note(f"{self.map}: {found.method}, {found.verdict}")
        return mapped


GroupColumn = Annotated[
    str | None,
    input_option(
        "--group",
        metavar="COLUMN",
        help="Column of sentences or documents, whose rows depend on each other.",
    ),
]
NoGroup = Annotated[bool, input_option("--no-group", help="Treat all rows as independent.")]


def column_or_none(role: str, name: str | None, none: bool) -> str | Literal[False] | None:
    """The column that --role names, False with --no-role, None to guess it; not both."""
    from calibrant.errors import ParameterError

    if name is not None and none:
        raise ParameterError(f"Give --{role} or --no-{role}, not both.")
    return False if none else name


def pairs_input(
    y: Annotated[
        str | None,
        input_option(
            "--y",
            metavar="COLUMN",
            help="Column of observations, 0 or 1 (default: guessed from common names).",
        ),
    ] = None,
    q: Annotated[
        str | None,
        input_option(
            "--q",
            metavar="COLUMN",
            help="Column of predicted probabilities of 1 (default: guessed from common names).",
        ),
    ] = None,
    yes: Annotated[
        str | None,
        input_option(
            "--yes",
            metavar="COLUMN",
            help="Instead of --q: column with the number of draws that said yes.",
        ),
    ] = None,
    draws: Annotated[
        str | None,
        input_option(
            "--draws",
            metavar="COLUMN|NUMBER",
            help="With --yes: column with the number of draws, or the number itself.",
        ),
    ] = None,
    weight: Annotated[
        str | None,
        input_option("--weight", metavar="COLUMN", help="Column of weights."),
    ] = None,
    no_weight: Annotated[
        bool,
        input_option("--no-weight", help="Ignore a column of weights."),
    ] = False,
    group: GroupColumn = None,
    no_group: NoGroup = False,
    source: Annotated[
        str | None,
        input_option(
            "--from",
            metavar="FORMAT",
            help="csv, tsv, jsonl or parquet (default: from the file name).",
        ),
    ] = None,
) -> Reader:
    """Turn the options for reading pairs into a reader."""
    given: Given = {
        "y": y,
        "q": q,
        "yes": yes,
        "draws": draws,
        "weight": column_or_none("weight", weight, no_weight),
        "group": column_or_none("group", group, no_group),
    }
    return Reader(given, source)


class Limits(NamedTuple):
    """The requested interval (None for the value alone) and its level."""

    interval: "Interval | None"
    level: float


def _limits(
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            metavar="INTERVAL",
            rich_help_panel=INTERVAL,
            help="Bootstrap, 'Bootstrap(replicates=5000)', NormalSampling (as in the thesis; "
            "for binned scores), or none for the value alone.",
        ),
    ] = "Bootstrap",
    replicates: Annotated[
        int | None,
        typer.Option(
            "--replicates",
            help="Replicates of Bootstrap (default: 1000).",
            rich_help_panel=INTERVAL,
        ),
    ] = None,
    seed: Seed = None,
    level: Level = 0.95,
) -> Limits:
    """Turn the interval options into `Limits`."""
    from calibrant.calibration.intervals import Bootstrap
    from calibrant.calibration.intervals.interval import FEWEST, MOST
    from calibrant.checks.parameters import check_level, check_seed, whole_number
    from calibrant.errors import ParameterError, option
    from calibrant.results.choices import choose_interval

    chosen = choose_interval(interval, check_seed(seed))
    if replicates is not None:
        if not isinstance(chosen, Bootstrap):
            raise ParameterError(f"--replicates is for Bootstrap, not for --interval {interval}.")
        many = whole_number(option("replicates"), replicates, FEWEST, MOST)
        chosen = replace(chosen, replicates=many)
    return Limits(chosen, check_level(level))


class Show(NamedTuple):
    """Prints results in the requested format."""

    format: str
    given: bool = False  # whether --format or --json was given

    def __call__(
        self, table: tuple[list[str], list[list[str]]], records: Sequence[Mapping[str, Any]]
    ) -> None:
        """Print a table; JSON and CSV show the records with all digits."""
        from calibrant.cli.output import render

        typer.echo(render(self.format, table, records))


def _show(
    format: Format = None,
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=OUTPUT)
    ] = False,
) -> Show:
    """Turn the format options into a `Show`."""
    from calibrant.cli.output import chosen_format
    from calibrant.errors import ParameterError

    if json and format not in (None, "json"):
        raise ParameterError(f"Give --json or --format {format}, not both.")
    return Show(chosen_format("json" if json else format), json or format is not None)


def with_reader(make: Callable[..., Any], command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `make` to a command; its first argument becomes what `make` returns."""
    first, *own = inspect.signature(command).parameters.values()
    options = inspect.signature(make).parameters.values()

    @functools.wraps(command)
    def with_options(**values: Any) -> None:  # noqa: ANN401 - values parsed by typer
        made = make(**{option.name: values.pop(option.name) for option in options})
        command(**{first.name: made}, **values)

    every = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *options)]
    described: Any = with_options
    described.__signature__ = inspect.Signature(every)
    with_options.__annotations__ = {each.name: each.annotation for each in every}
    return with_options


def reads_pairs(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading pairs to a command; its first argument becomes a `Reader`."""
    return with_reader(pairs_input, command)


def _mapped_input(
    through: Annotated[
        str | None,
        input_option(
            "--with",
            metavar="MAP",
            help="Mend the predictions first, by a map that calibrant recalibrate has saved, "
            ".json.",
        ),
    ] = None,
    **options: Any,  # noqa: ANN401 - those of pairs_input
) -> Reader:
    """Turn the options for reading pairs, and that of a map, into a reader."""
    return pairs_input(**options)._replace(map=through)


_of_pairs = inspect.signature(pairs_input)
_of_map = inspect.signature(_mapped_input).parameters["through"]
_mapped_input.__signature__ = _of_pairs.replace(  # type: ignore[attr-defined]
    parameters=[*_of_pairs.parameters.values(), _of_map]
)


def reads_mapped_pairs(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading pairs, and --with; the first argument becomes a `Reader`."""
    return with_reader(_mapped_input, command)


def has_interval(command: Callable[..., None]) -> Callable[..., None]:
    """Add the interval options to a command; its first argument becomes their `Limits`."""
    return with_reader(_limits, command)


def shows_results(command: Callable[..., None]) -> Callable[..., None]:
    """Add the format options to a command; its first argument becomes a `Show`."""
    return with_reader(_show, command)


def note(text: str) -> None:
    """Print a line to stderr, with control characters escaped."""
    from calibrant.errors import printable

    typer.echo("\n".join(map(printable, text.split("\n"))), err=True)


def present(options: dict[str, Any]) -> dict[str, Any]:
    """Keep only the options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}
