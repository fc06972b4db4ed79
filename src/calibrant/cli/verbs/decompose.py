"""`calibrant decompose`."""

from typing import Annotated

import typer

from calibrant.cli.options import (
    Figure,
    File,
    Limits,
    Reader,
    Show,
    has_interval,
    note,
    reads_mapped_pairs,
    shows_results,
    split_name,
)


@shows_results
@has_interval
@reads_mapped_pairs
def decompose_command(
    read: Reader,
    limits: Limits,
    show: Show,
    file: File,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...] [RULE]",
            help="More files of the same data, or summaries, which are added. A proper scoring "
            "rule: Brier (the default), LogLoss, 'LogLoss(clip=1e-9)', Spherical.",
        ),
    ] = None,
    curve: Annotated[
        str,
        typer.Option(
            "--curve",
            metavar="CURVE",
            help="The curve that estimates the frequencies: AdaptiveBins, LocalLikelihood, "
            "Isotonic, ...",
        ),
    ] = "AdaptiveBins",
    output: Figure = None,
) -> None:
    """Decompose a mean loss into calibration and refinement, and into MCB − DSC + UNC.

    Examples
    --------
      calibrant decompose preds.csv
      calibrant decompose preds.csv LogLoss --curve LocalLikelihood -o parts.png
    """
    from calibrant.cli.output import check_figure, warnings_as_notes
    from calibrant.results.choices import choose
    from calibrant.verbs import decompose

    more, rule = split_name(words, "RULE", "Brier")
    chosen, estimator = choose(rule, "score"), choose(curve, "curve")
    check_figure(output, file, *more)
    pairs = read(file, *more)
    with warnings_as_notes():
        found = decompose(pairs, chosen, estimator, interval=limits.interval, level=limits.level)
    show(found.table(), [{"term": name} | each for name, each in found.to_dict().items()])
    if output is not None:
        from calibrant.plots import plot_decomposition, save_figure

        note(f"wrote {save_figure(plot_decomposition(found), output)}")
