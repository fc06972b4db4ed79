"""`calibrant summarise`."""

from typing import Annotated

import typer

from calibrant.cli.options import Reader, note, reads_pairs


@reads_pairs
def summarise_command(
    read: Reader,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Files of predictions, folders, patterns such as 'parts/*.parquet', or other "
            "summaries, which are added.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="FILE", help="The summary to write: .parquet."),
    ],
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            help="Fold groups into this many sets, a power of two up to 4096 (default: 1024 if "
            "there are more than 1024 groups).",
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", help="The most rows of the summary (default: 2097152)."),
    ] = None,
) -> None:
    """Sum predictions over cells of q and groups, so that parts can be added later.

    A summary holds no text and is small, whatever the number of predictions. All commands that
    take predictions take summaries too. Make one on each machine or for each night, and score
    several of them together.

    Examples
    --------
      calibrant summarise 'parts/*.parquet' -o monday.parquet --group doc
      calibrant score monday.parquet tuesday.parquet
    """
    from calibrant.checks.parameters import whole_number
    from calibrant.pairs.summary_size import check_folds
    from calibrant.tables.summaries import check_summary, write_summary

    check_summary(output)
    _refuse_input(read, files, output)
    check_folds(folds)
    if rows is not None:
        whole_number("--rows", rows, 1)
    pairs = read.summarised(files, folds, rows)
    many = "1 file" if len(files) == 1 else f"{len(files)} paths"
    written = write_summary(pairs, output, f"{many}, {pairs.n:.0f} pairs")
    typer.echo(f"{output}: {written!r}")
    note("Score it with: calibrant score " + output)


def _refuse_input(read: Reader, files: list[str], output: str) -> None:
    """Refuse to write over a file that is read."""
    from os.path import realpath

    from calibrant.errors import ParameterError
    from calibrant.tables.scanning.parts import find_parts

    given = [file for file in files if file != "-"]
    parts = find_parts(given, read.format) if given else []
    if any(realpath(part.path) == realpath(output) for part in parts):
        raise ParameterError(f"-o {output} is one of the files to read: give it another name.")
