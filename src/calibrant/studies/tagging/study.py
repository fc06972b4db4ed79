"""The studies of part-of-speech tagging: tweets and web text."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibrant.calibration.curves import AdaptiveBins
from calibrant.plots import Sweep, plot_dots, plot_panels, plot_sweep
from calibrant.structures.sequences.tag_queries import TagIs
from calibrant.studies.compared import Compared
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.tagging import tables
from calibrant.studies.tagging.judged import Judged, comparison_rows, judge
from calibrant.studies.tagging.plan import TaggingPlan
from calibrant.studies.tagging.taggers import Parts, Tagged, fit_all
from calibrant.studies.writing import run_study
from calibrant.verbs import ask, curve


def run_tagging(plan: TaggingPlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Train and query the taggers; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: TaggingPlan, progress: Progress) -> Draft:
    parts = Parts.of(plan.corpus)
    fits = fit_all({**plan.models, **plan.added}, parts, progress)
    judged = _judged(plan, parts, fits, progress)
    main = {name: fits[name] for name in plan.models}
    pairs = {name: judged[name].pairs for name in plan.models}
    compared = comparison_rows(pairs, plan.compared, plan.score)
    tags = tables.tags(plan, parts, main, progress)
    neighbours = tables.neighbours(plan, parts, main, progress)
    sections: list[Section[Any]] = [
        tables.models(plan, parts, judged),
        compared,
        tables.ablation(parts, judged),
        tables.queries(plan, parts, main),
        tags,
        neighbours,
        tables.predictions(plan, pairs),
    ]
    figures = [_draw_curves(plan, judged), _draw_tags(plan, tags)]
    if plan.strengths:
        strengths = tables.strengths(plan, parts, progress)
        sections.append(strengths)
        figures.append(_draw_strengths(plan, strengths))
    return Draft(
        title=plan.title,
        sections=sections,
        findings=list(_findings(plan, judged, compared, tags, neighbours)),
        facts=_facts(plan, parts, judged),
        figures=figures,
    )


def _judged(
    plan: TaggingPlan, parts: Parts, fits: Mapping[str, Tagged], progress: Progress
) -> dict[str, Judged]:
    """What each tagger answers about the tag of the plan, judged."""
    return {
        name: judge(fit, ask(fit.chain, parts.test, TagIs(plan.tag)), plan.score)
        for name, fit in progress.track(fits.items(), len(fits), "Scoring")
    }


def _facts(plan: TaggingPlan, parts: Parts, judged: Mapping[str, Judged]) -> dict[str, str]:
    return {
        "study": plan.name,
        "corpus": str(parts),
        "query": f"TagIs({plan.tag!r})",
        "score": str(plan.score),
        "signature": next(iter(judged.values())).calibration.signature,
    }


def _draw_curves(plan: TaggingPlan, judged: Mapping[str, Judged]) -> Drawn:
    bins = AdaptiveBins(size=plan.size)
    panels = plot_panels({name: curve(judged[name].pairs, bins) for name in plan.models})
    words = f"Calibration of {plan.tag}: frequency against prediction, bins of {plan.size}"
    return Drawn("curves", words, panels[0])


def _draw_tags(plan: TaggingPlan, tags: Section[tables.TagRow]) -> Drawn:
    labels = [f"{row.tag} ({row.seen})" for row in tags.rows]
    dots = {name: [row.scores[name] for row in tags.rows] for name in plan.models}
    words = "Calibration of every tag (and how often it occurs)"
    return Drawn("tags", words, plot_dots(labels, dots, "CalibScore"))


def _draw_strengths(plan: TaggingPlan, strengths: Section[tables.StrengthRow]) -> Drawn:
    found = [row.judged.calibration for row in strengths.rows]
    sweep = Sweep(
        np.array([row.l2 for row in strengths.rows]),
        np.array([each.value for each in found]),
        np.array([each.low for each in found], float),
        np.array([each.high for each in found], float),
    )
    ax = plot_sweep({"CRF-Advanced": sweep}, "strength of L2", "CalibScore")
    ax.set_xscale("log")
    return Drawn("l2", f"L2 and the calibration of {plan.tag}", ax)


def _findings(
    plan: TaggingPlan,
    judged: Mapping[str, Judged],
    compared: Section[Compared],
    tags: Section[tables.TagRow],
    neighbours: Section[tables.NeighboursRow],
) -> Iterator[str]:
    for name in plan.models:
        found = judged[name].calibration
        yield f"{name}: CalibScore {found.text('value')} {found.interval}."
    for row in compared.rows:
        yield row.words
    one, other = plan.compared[0]
    for what, scores in (
        ("tags", [row.scores for row in tags.rows]),
        ("pairs of tags", [row.scores for row in neighbours.rows]),
    ):
        better = sum(float(each[other]) < float(each[one]) for each in scores)
        yield f"{other} is better calibrated than the {one} on {better} of {len(scores)} {what}."
