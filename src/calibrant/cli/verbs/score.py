"""`calibrant score`."""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.gates import Gate, has_gate
from calibrant.cli.options import (
    By,
    File,
    Limits,
    Reader,
    Show,
    has_interval,
    note,
    reads_mapped_pairs,
    shows_results,
    split_files,
)

if TYPE_CHECKING:
    from calibrant.pairs import Pairs
    from calibrant.results.estimate import Estimates


@has_gate
@shows_results
@has_interval
@reads_mapped_pairs
def score_command(
    read: Reader,
    limits: Limits,
    show: Show,
    gate: Gate,
    file: File,
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...] [SCORE...]",
            help="More files of the same data, or summaries, which are added. One or more "
            "scores: CalibScore (the default), "
            "'CalibScore(size=400)', 'CalibScore(LocalLikelihood)', CalibMSE, ECE, MCE, SmoothECE, "
            "SKCE, ATB, ECCE, Cutoff, ICI, E50, E90, Emax, Brier, LogLoss, Spherical.",
        ),
    ] = None,
    by: By = None,
) -> None:
    """Score predictions, with an interval.

    Rows of one sentence or document are not independent. If the file has a column such as group,
    sentence, sent_id or doc, or if --group names one, intervals resample whole groups.

    Examples
    --------
      calibrant score preds.csv
      calibrant score preds.parquet 'CalibScore(size=400)' Brier --y gold --q prob --group sent
      calibrant score preds.csv --fail-above 0.05
      calibrant score new.csv --fail-if-worse old.csv --key id
      calibrant score 'parts/*.parquet' Brier
      calibrant score monday.parquet tuesday.parquet
      calibrant score preds.csv --by genre --by length:5
    """
    from calibrant.cli.output import warnings_as_notes
    from calibrant.results.choices import choose_all
    from calibrant.verbs import score

    more, names = split_files(scores)
    chosen = choose_all(names or ["CalibScore"], "score")
    gate.check(read, limits, [file, *more], by)

    def verb(pairs: "Pairs") -> "Estimates":
        return score(pairs, chosen, interval=limits.interval, level=limits.level)

    if by:
        estimates, compared = _sliced(read, by, [file, *more], verb, show), []
    else:
        models = gate.models(read, file)
        pairs = read(file, *more) if models is None else next(iter(models.pairs.values()))
        with warnings_as_notes():
            estimates = verb(pairs)
            compared = gate.baseline_outcomes(models, chosen, limits)
        show(estimates.table(), [estimate.to_dict() for estimate in estimates])
        _notes(estimates)
    gate.close([*gate.limit_outcomes(estimates), *compared], file)


def _sliced(
    read: Reader,
    by: list[str],
    files: list[str],
    verb: "Callable[[Pairs], Estimates]",
    show: Show,
) -> "Estimates":
    """Show the scores of every slice."""
    from calibrant.cli.inputs.sliced import each_slice, joined_records, joined_table, sliced
    from calibrant.cli.output import warnings_as_notes
    from calibrant.results.estimate import Estimates

    with warnings_as_notes():
        found = each_slice(sliced(read, by, files), verb)
    records = {name: [each.to_dict() for each in group] for name, group in found.items()}
    show(joined_table({name: g.table() for name, g in found.items()}), joined_records(records))
    note("Intervals are not adjusted for the number of slices: calibrant slices tests them.")
    return Estimates(
        replace(each, score=f"{name}: {each.score}") for name, g in found.items() for each in g
    )


def _notes(estimates: "Estimates") -> None:
    for estimate in estimates:
        if estimate.too_small:
            bins = "1 bin is" if estimate.too_small == 1 else f"{estimate.too_small} bins are"
            note(f"{estimate.score}: {bins} too small to be debiased.")
        if estimate.plugin is not None and estimate.low == 0:
            note(
                f"{estimate.score}: the interval starts at 0, so its test Consistency finds no "
                "miscalibration; calibrant test also looks for other errors."
            )
        if sys.stdout.isatty():
            note(estimate.signature)
