"""The study of coreference, which asks whether two mentions refer to the same entity."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from calibrant.calibration.curves import AdaptiveBins
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.results.estimate import Estimate
from calibrant.structures.coreference.queries import SameEntity
from calibrant.studies.coreference import accuracy, sampling, tables
from calibrant.studies.coreference.asked import Asked
from calibrant.studies.coreference.plan import RULE, CoreferencePlan
from calibrant.studies.coreference.rankers import Resolved, resolve_litbank, resolve_ontogum
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.writing import run_study
from calibrant.verbs import ask, curve


def run_coreference(plan: CoreferencePlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Train and query mention rankers on both corpora; write tables and figures."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: CoreferencePlan, progress: Progress) -> Draft:
    rankers = {**plan.rankers, **plan.others}
    resolved = [*resolve_ontogum(rankers, progress), *resolve_litbank(rankers, progress)]
    corpora = [each.only(plan.rankers) for each in resolved]
    asked = [Asked(each, _asked(each, progress)) for each in corpora]
    calibration = tables.calibration(plan, asked, progress)
    systems = accuracy.systems(corpora)
    sampled = sampling.sampled(plan, asked, progress)
    compared = tables.comparisons(plan, asked, progress)
    others = tables.other_queries(plan, corpora, progress)
    strengths = tables.strengths(plan, resolved, asked, progress)
    findings = [
        *(_calibration_said(plan, row) for row in calibration.rows),
        *_systems_said(systems),
        *(row.compared.words for row in compared.rows),
        *(_query_said(row) for row in others.rows),
        *(_strengths_said(each.name, strengths) for each in corpora),
        *_sampled_said(sampled),
    ]
    return Draft(
        title="Coreference: do two mentions refer to the same entity?",
        sections=[
            *(calibration, systems, sampled, compared, others, strengths),
            tables.predictions(plan, asked),
            accuracy.mentions(corpora),
        ],
        findings=findings,
        facts={
            "study": "coreference",
            "corpora": "; ".join(f"{each.name}: {each.found}" for each in corpora),
            "query": str(SameEntity()),
            "score": f"{plan.whole}, {plan.upper}",
        },
        figures=_figures(plan, asked, progress),
    )


def _asked(corpus: Resolved, progress: Progress) -> dict[str, Pairs]:
    """The answers of each system about every two mentions."""
    todo = progress.track(corpus.links.items(), len(corpus.links), f"Asking about {corpus.name}")
    return {name: ask(links, corpus.found, SameEntity()) for name, links in todo}


def _figures(plan: CoreferencePlan, asked: Sequence[Asked], progress: Progress) -> list[Drawn]:
    whole, upper = {}, {}
    todo = {
        f"{each.found.name}, {name}": pairs for each in asked for name, pairs in each.pairs.items()
    }
    for title, pairs in progress.track(todo.items(), len(todo), "Drawing"):
        whole[title] = curve(pairs, AdaptiveBins(size=plan.size))
        those = pairs.select(above=plan.above)
        size = max(plan.above_size, len(those) // plan.points)
        upper[title] = curve(those, AdaptiveBins(size=size))
    above = f"predictions above {plan.above:g}, bins of at least {plan.above_size}"
    return [
        Drawn(
            "curves",
            f"Same entity: frequency against prediction, bins of {plan.size}",
            plot_panels(whole, columns=2)[0],
        ),
        Drawn("curves-above", f"Same entity, {above}", plot_panels(upper, columns=2)[0]),
    ]


def _calibration_said(plan: CoreferencePlan, row: tables.CalibrationRow) -> str:
    lean = "too low" if row.mean < row.frequency else "too high"
    return (
        f"{row.corpus}, {row.system}: {_told(row.whole)} over all pairs (plug-in "
        f"{row.whole.plugin:.3f}; the thesis had {row.thesis.score:g} on other data), "
        f"{_told(row.upper)} above {plan.above:g}; on average {lean} (mean q {row.mean:.4f}, "
        f"frequency {row.frequency:.4f})."
    )


def _systems_said(systems: Section[accuracy.SystemRow]) -> Iterator[str]:
    rule = {row.corpus: row.conll for row in systems.rows if row.system == RULE}
    for row in systems.rows:
        if row.system != RULE:
            yield (
                f"{row.corpus}: {row.system} has a CoNLL score of {row.conll:.1f}, the rule of "
                f"heads {rule[row.corpus]:.1f}."
            )


def _query_said(row: tables.QueryRow) -> str:
    return (
        f"{row.corpus}, {row.system}, {row.query}: {_told(row.calibration)}; mean q "
        f"{row.mean:.3f}, frequency {row.frequency:.3f}."
    )


def _strengths_said(corpus: str, strengths: Section[tables.StrengthRow]) -> str:
    first, *_, last = [row for row in strengths.rows if row.corpus == corpus]
    return (
        f"{corpus}: from l2 = {first.l2:g} to {last.l2:g} the CoNLL score goes from "
        f"{first.conll:.1f} to {last.conll:.1f}, and calibration from {_told(first.whole)} to "
        f"{_told(last.whole)}."
    )


def _sampled_said(sampled: Section[sampling.SampledRow]) -> Iterator[str]:
    exact = {row.corpus: row for row in sampled.rows if row.samples == sampling.EXACT}
    for row in sampled.rows:
        if row.samples != sampling.EXACT:
            yield (
                f"{row.corpus}: shares of {row.samples} samples differ from the exact probability "
                f"by {row.gap:.4f} (rms); their plug-in score is {row.shares.whole:.4f}, the exact "
                f"one's {exact[row.corpus].shares.whole:.4f}."
            )


def _told(found: Estimate) -> str:
    return f"CalibScore {found.text('value')} {found.interval}"
