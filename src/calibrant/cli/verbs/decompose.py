"""`calibrant decompose`."""

from typing import Annotated

import typer

from calibrant.cli.options import File, Format, Level, Reader, note, reads_pairs


@reads_pairs
def decompose_command(
    read: Reader,
    file: File,
    rule: Annotated[
        str, typer.Argument(metavar="RULE", help="Brier, LogLoss, 'LogLoss(clip=1e-9)', Spherical.")
    ] = "Brier",
    curve: Annotated[
        str,
        typer.Option(
            "--curve", help="AdaptiveBins, LocalLikelihood, Isotonic, ..., as they print."
        ),
    ] = "AdaptiveBins",
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Also draw it: .png, .svg or .pdf.")
    ] = None,
    replicates: Annotated[
        int, typer.Option("--replicates", help="Bootstrap replicates; 0 for no intervals.")
    ] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the intervals.")] = 0,
    level: Level = 0.95,
    format: Format = None,
) -> None:
    """Say where a mean loss comes from: calibration, refinement, and what recalibration gains.

    Examples
    --------
      calibrant decompose preds.csv
      calibrant decompose preds.csv LogLoss --curve LocalLikelihood -o parts.png
    """
    from calibrant.calibration.intervals import Bootstrap
    from calibrant.checks.parameters import check_level
    from calibrant.cli.output import check_figure, chosen_format, render, warnings_as_notes
    from calibrant.results.naming import parse
    from calibrant.verbs import decompose

    shown = chosen_format(format)
    check_level(level)
    chosen, estimator = parse(rule, "score"), parse(curve, "curve")
    interval = Bootstrap(replicates, seed) if replicates else None
    check_figure(output)
    pairs = read(file)
    with warnings_as_notes():
        found = decompose(pairs, chosen, estimator, interval=interval, level=level)
    records = [{"term": name} | each for name, each in found.to_dict().items()]
    typer.echo(render(shown, found.table(), records))
    if output is not None:
        from calibrant.plots import plot_decomposition, save_figure

        note(f"wrote {save_figure(plot_decomposition(found), output)}")
