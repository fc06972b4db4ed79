"""`calibrant apply`."""

from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.options import OUTPUT, input_option, note

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from calibrant.tables.predictions import Unlabelled

KEPT = "_before"  # added to the name of the column with the predictions as they were


def apply_command(
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
    q: Annotated[
        str | None,
        input_option(
            "--q",
            metavar="COLUMN",
            help="Column of predicted probabilities of 1 (default: guessed from common names).",
        ),
    ] = None,
    source: Annotated[
        str | None,
        input_option(
            "--from",
            metavar="FORMAT",
            help="csv, tsv, jsonl or parquet (default: from the file name).",
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
    name ends in _before.

    Examples
    --------
      calibrant apply map.json test.parquet -o fixed.parquet
      calibrant apply map.json test.csv --q prob > fixed.csv
    """
    from calibrant.calibration.recalibration.recalibrator import Recalibrator
    from calibrant.checks.files import read_bytes
    from calibrant.cli.output import check_output, warnings_as_notes
    from calibrant.errors import ParameterError
    from calibrant.tables import check_table, table_text
    from calibrant.tables.predictions import unlabelled_from_file
    from calibrant.tables.writing import write_frame

    if output != "-":
        check_table(output)
        check_output(output, file, saved)
    if saved == file == "-":
        raise ParameterError("The map and the predictions cannot both be standard input.")
    if saved != "-":
        read_bytes(saved)  # a file that cannot be read is no bad map
    found = Recalibrator.load(saved)
    table = unlabelled_from_file(file, {"q": q}, source, note)
    with warnings_as_notes():
        frame = _replaced(table, found.apply(table.values), file)
    note(f"{found.method}: {found.verdict}")
    if output == "-":
        typer.echo(table_text(frame, "csv"), nl=False)
        return
    write_frame(frame, output)
    note(f"wrote {output}")


def _replaced(table: "Unlabelled", q: "NDArray[np.float64]", file: str) -> "polars.DataFrame":
    """The columns of the file, with other predictions; the old ones are kept."""
    import polars

    from calibrant.errors import InputError

    kept = f"{table.q}{KEPT}"
    if kept in table.columns.columns:
        raise InputError(
            f"{file} has a column {kept!r} already: it seems to be recalibrated. Rename it."
        )
    return table.columns.rename({table.q: kept}).with_columns(polars.Series(table.q, q))
