"""`calibrant apply`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import OUTPUT, Reader, note, reads_pairs

if TYPE_CHECKING:
    import polars

    from calibrant.calibration.recalibration.recalibrator import Recalibrator
    from calibrant.tables.columns import Given

KEPT = "_before"  # added to the name of the column with the predictions as they were


@reads_pairs
def apply_command(
    read: Reader,
    saved: Annotated[
        str,
        typer.Argument(metavar="MAP", help="A map that calibrant recalibrate has saved, .json."),
    ],
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Predictions: CSV, TSV, JSON lines or Parquet; - for standard input. Observations "
            "are not needed.",
        ),
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="For a map of classes: the columns of their probabilities, as for calibrant "
            "score-classes; repeatable.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The recalibrated predictions: .parquet, .csv, .tsv, .jsonl, or - for CSV on "
            "stdout.",
            rich_help_panel=OUTPUT,
        ),
    ] = "-",
) -> None:
    """Recalibrate the predictions of a file by a saved map.

    All columns are kept. The predictions are replaced; as they were, they are in a column whose
    name ends in _before. Probabilities of classes are replaced without a copy.

    Examples
    --------
      calibrant apply map.json test.parquet -o fixed.parquet
      calibrant apply map.json test.csv --q prob > fixed.csv
      calibrant apply map.json test.csv --columns 'prob_*' -o fixed.csv
    """
    from calibrant.calibration.recalibration.classes import ClassMap
    from calibrant.cli.maps import load_map
    from calibrant.cli.output import check_output, warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.tables import check_table, table_text
    from calibrant.tables.writing import write_frame

    if output != "-":
        check_table(output)
        check_output(output, file, saved)
    check_inputs(saved, file, read.given)
    found = load_map(saved)
    of_classes = isinstance(found.map, ClassMap)
    if columns and not of_classes:
        raise ParameterError(f"--columns is for maps of classes, but {saved} is one of pairs.")
    if of_classes and read.given.get("q") is not None:
        raise ParameterError(f"{saved} is a map of classes: name their --columns, not --q.")
    with warnings_as_notes():
        mapped = (_rows if of_classes else _pairs)(found, read, file, columns or ())
    note(f"{found.method}: {found.verdict}")
    if output == "-":
        typer.echo(table_text(mapped, "csv"), nl=False)
        return
    write_frame(mapped, output)
    note(f"wrote {output}")


def check_inputs(saved: str, file: str, given: "Given") -> None:
    """Refuse options that have no effect, and two inputs that are both standard input."""
    from calibrant.errors import ParameterError

    for name, column in given.items():
        if name != "q" and isinstance(column, str):
            raise ParameterError(
                f"calibrant apply changes the predictions alone: leave --{name} out. All columns "
                "are kept."
            )
    if saved == file == "-":
        raise ParameterError("The map and the predictions cannot both be standard input.")


def _pairs(
    found: "Recalibrator", read: Reader, file: str, columns: Sequence[str]
) -> "polars.DataFrame":
    """The columns of a file, with other predictions; the old ones are kept."""
    import polars

    from calibrant.errors import InputError
    from calibrant.tables.predictions import unlabelled_from_file

    table = unlabelled_from_file(file, {"q": read.given.get("q")}, read.format, note)
    found.compare_column(table.q)
    kept = f"{table.q}{KEPT}"
    if kept in table.columns.columns:
        raise InputError(
            f"{file} has a column {kept!r} already: it seems to be recalibrated. Rename it."
        )
    q = polars.Series(table.q, found.apply(table.values))
    return table.columns.rename({table.q: kept}).with_columns(q)


def _rows(
    found: "Recalibrator", read: Reader, file: str, columns: Sequence[str]
) -> "polars.DataFrame":
    """The columns of a file, with other probabilities of classes."""
    import polars

    from calibrant.structures.labels.labels import Labels
    from calibrant.tables.matrices import class_predictions_from_file

    table = class_predictions_from_file(file, columns, read.format, note)
    mapped = found.apply(Labels(table.probabilities, list(table.names.values()))).probabilities
    new = zip(table.names, mapped.T, strict=True)
    return table.columns.with_columns(polars.Series(name, values) for name, values in new)
