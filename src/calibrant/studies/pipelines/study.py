"""The study of pipelines: tags and trees, names by document and month, entities of excerpts."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from calibrant.calibration.counting.beside_truth import BesideTruth
from calibrant.plots import Sweep, plot_sweep_panels
from calibrant.studies.pipelines.counting import (
    CountRow,
    CoverageRow,
    RectifiedRow,
    count_rows,
    coverage_row,
    rectified_row,
)
from calibrant.studies.pipelines.entities import OTHER, count_names
from calibrant.studies.pipelines.excerpts import count_entities
from calibrant.studies.pipelines.parsing import (
    compared_rows,
    draw_costs,
    parse_section,
    tag_and_parse,
)
from calibrant.studies.pipelines.plan import PipelinesPlan
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.writing import run_study


def run_pipelines_study(
    plan: PipelinesPlan, folder: str | Path, progress: Progress = QUIET
) -> Study:
    """Run all pipelines; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: PipelinesPlan, progress: Progress) -> Draft:
    cases = [*count_names(plan, progress), count_entities(plan, progress)]
    rows = [row for case in cases for by in case.units for row in count_rows(case, by, plan.level)]
    covered = [coverage_row(mine) for mine in _grouped(rows)]
    labelled = [(case, share) for case in cases for share in plan.shares]
    rectified = [
        rectified_row(plan, case, share)
        for case, share in progress.track(labelled, len(labelled), "Drawing labels")
    ]
    parsed = tag_and_parse(plan, progress)
    return Draft(
        title="Pipelines: what becomes of uncertainty in the next step",
        sections=[
            _coverage(plan, covered),
            _rectified(plan, rectified),
            parse_section(plan, parsed),
            _counts(rows),
        ],
        findings=[*_findings(covered, rectified), *compared_rows(plan, parsed)],
        facts={
            "study": "pipelines",
            "tagger": str(plan.tagger),
            "grammar": str(plan.grammar),
            "ranker": str(plan.ranker),
            "trees": parsed.facts,
            "names": "; ".join(f"{case.what}: {case.tallies!r}" for case in cases),
            "drawings of labels": plan.draws,
        },
        figures=[*_months(rows), _excerpts(rows), draw_costs(plan, parsed)],
    )


def _grouped(rows: Sequence[CountRow]) -> list[list[CountRow]]:
    """The rows of each case and column."""
    found: dict[tuple[str, str, str], list[CountRow]] = {}
    for row in rows:
        found.setdefault((row.trained, row.what, row.by), []).append(row)
    return list(found.values())


def _coverage(plan: PipelinesPlan, rows: list[CoverageRow]) -> Section[CoverageRow]:
    return Section(
        name="coverage",
        title="Counts by the model alone, against the truth",
        columns={
            "trained": "trained on",
            "what": "what",
            "by": "by",
            "numbers": "numbers",
            "gold": "true",
            "covered": "covered",
            "width": "width",
            "naive_bias": "bias of best guesses",
            "bias": "bias of expected",
            "naive_error": "error of best guesses",
            "error": "error of expected",
        },
        rows=rows,
        text=(
            f"“Covered” is the share of {100 * plan.level:g} % intervals of the posterior that "
            "have the true number in them; their mean width. Biases are relative errors of the "
            "sum; errors are root mean squares."
        ),
    )


def _rectified(plan: PipelinesPlan, rows: list[RectifiedRow]) -> Section[RectifiedRow]:
    return Section(
        name="rectified",
        title="Counts rectified by labels of a few documents",
        columns={
            "trained": "trained on",
            "what": "what",
            "labelled": "labelled",
            "documents": "documents",
            "gold": "true",
            "covered": "covered",
            "width": "width",
            "error": "error, rectified",
            "posterior_error": "error, posterior",
            "naive_error": "error, best guesses",
        },
        rows=rows,
        text=(
            f"All documents together, {plan.draws} random drawings of labelled documents. The "
            "error of rectified counts is the root mean square; the others do not depend on labels."
        ),
    )


def _counts(rows: list[CountRow]) -> Section[CountRow]:
    return Section(
        name="counts",
        title="Every number",
        columns={name: name for name in ("trained", "what", "by")}
        | {f"found.{name}": name for name in BesideTruth._fields},
        rows=rows,
        in_report=False,
    )


def _months(rows: Sequence[CountRow]) -> list[Drawn]:
    """The names of each month: the truth, best guesses, and the posterior's interval."""
    mine: dict[str, list[CountRow]] = {}
    for row in rows:
        if row.by == "month" and row.trained == OTHER:
            mine.setdefault(row.what.split()[0], []).append(row)
    if not mine:
        return []
    panels = {
        what: _lines(sorted(each, key=lambda row: row.found.name)) for what, each in mine.items()
    }
    axes = plot_sweep_panels(panels, "months, in order", "names", columns=3)
    words = "Names by month: the truth, best guesses, and the posterior with its 95 % intervals"
    return [Drawn("months", words, axes[0])]


def _excerpts(rows: Sequence[CountRow]) -> Drawn:
    """The entities of each excerpt, in the order of the true numbers."""
    mine = sorted((row for row in rows if row.what == "entities"), key=lambda row: row.found.true)
    axes = plot_sweep_panels({"excerpts": _lines(mine)}, "excerpt", "entities", side=3.6)
    words = "Distinct entities of each excerpt, in the order of their true numbers"
    return Drawn("excerpts", words, axes[0])


def _lines(rows: Sequence[CountRow]) -> dict[str, Sweep]:
    x = np.arange(len(rows), dtype=float)
    gold, naive, expected, low, high = (
        np.array([getattr(row.found, name) for row in rows], float)
        for name in ("true", "naive", "expected", "low", "high")
    )
    return {
        "true": Sweep(x, gold),
        "best guesses": Sweep(x, naive),
        "posterior": Sweep(x, expected, low, high),
    }


def _findings(covered: Sequence[CoverageRow], rectified: Sequence[RectifiedRow]) -> Iterator[str]:
    for row in covered:
        if row.by == "document":
            nearer = "expected numbers" if row.error < row.naive_error else "best guesses"
            yield (
                f"{row.what} by document, trained on {row.trained}: intervals cover "
                f"{100 * row.covered:.0f} % of {row.numbers} true numbers; best guesses are off by "
                f"{100 * row.naive_bias:+.0f} % in all, expected numbers by {100 * row.bias:+.0f} "
                f"%; {nearer} have the smaller root mean square error."
            )
    for each in rectified:
        yield (
            f"{each.what}, trained on {each.trained}, {each.labelled} of {each.documents} "
            f"documents labelled: rectified intervals cover {100 * each.covered:.0f} %."
        )
