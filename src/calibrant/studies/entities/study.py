"""The study of named entities: persons, places and organisations, by exact span."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibrant.calibration.curves import AdaptiveBins
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.results.estimate import Estimate
from calibrant.structures.exact_match import span_f1
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.spans import types_of
from calibrant.studies.compared import Compared
from calibrant.studies.entities.plan import EntitiesPlan
from calibrant.studies.entities.product import both_ways, shared_groups
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.tagging.judged import Judged, comparison_rows, judge
from calibrant.studies.tagging.taggers import Parts, Tagged, fit_all
from calibrant.studies.writing import run_study
from calibrant.verbs import ask, curve, score

ALL = "all types"
FLOOR = HasSpan("T").floor


@dataclass(frozen=True, eq=False)
class Found:
    """One corpus, its taggers, and their answers about spans of each type and of all."""

    name: str
    words: str  # its name in tables
    parts: Parts
    fits: Mapping[str, Tagged]
    judged: Mapping[tuple[str, str], Judged]  # by model and type

    @property
    def types(self) -> tuple[str, ...]:
        """The types of spans."""
        return types_of(next(iter(self.fits.values())).chain.tags)


def run_entities(plan: EntitiesPlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Train and query the taggers on the corpora; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: EntitiesPlan, progress: Progress) -> Draft:
    found = [_tag(plan, name, progress) for name in plan.corpora]
    compared = [_comparisons(plan, each) for each in found]
    return Draft(
        title="Named entities: is there a span of this type exactly here?",
        sections=[
            _models(plan, found),
            *compared,
            _ablation(found),
            _products(plan, found),
        ],
        findings=[
            f"{each.words}: {row.words}"
            for each, section in zip(found, compared, strict=True)
            for row in section.rows
        ],
        facts={
            "study": "entities",
            "corpora": "; ".join(str(each.parts) for each in found),
            "query": str(HasSpan("T")),
            "score": str(plan.score),
        },
        figures=[_draw(plan, each) for each in found],
    )


def _tag(plan: EntitiesPlan, name: str, progress: Progress) -> Found:
    """Train all taggers on one corpus and score their answers."""
    parts, words = Parts.of(name), plan.corpora[name]
    fits = fit_all({**plan.models, **plan.added}, parts, progress.about(f"{words}, "))
    judged = {}
    for model, fit in progress.track(fits.items(), len(fits), "Scoring"):
        types = types_of(fit.chain.tags)
        groups = shared_groups(parts.test)
        asked = {type: ask(fit.chain, parts.test, HasSpan(type), group=groups) for type in types}
        for type, pairs in (asked | {ALL: reduce(add, asked.values())}).items():
            if model in plan.models or type == ALL:
                judged[model, type] = judge(fit, pairs, plan.score)
    return Found(name, words, parts, fits, judged)


class SpansRow(NamedTuple):
    """The answers of a tagger about spans of one type."""

    corpus: str
    model: str
    type: str
    f1: float
    judged: Judged

    @property
    def asked(self) -> int:
        """The number of spans that the query covers."""
        return int(self.judged.pairs.n)


def _models(plan: EntitiesPlan, found: list[Found]) -> Section[SpansRow]:
    rows = []
    for each in found:
        for name in plan.models:
            f1 = span_f1(each.parts.test, each.fits[name].chain.mode)
            for type in (ALL, *each.types):
                one = f1 if type == ALL else f1.types[type]
                judged = each.judged[name, type]
                rows.append(SpansRow(each.words, name, type, 100 * one.f1, judged))
    return Section(
        name="models",
        title="Three taggers, asked about spans of each type",
        columns={
            "corpus": "corpus",
            "model": "model",
            "type": "type",
            "f1": "F1",
            "asked": "spans asked",
            "judged.calibration": "CalibScore",
            "judged.calibration.plugin": "plug-in",
            "judged.slope": "Cox slope",
            "judged.refinement": "refinement",
        },
        rows=rows,
        text=f"All spans with a probability of at least {FLOOR:g} are asked about. "
        "CalibScore is debiased, with a 95 % interval.",
    )


def _ablation(found: list[Found]) -> Section[SpansRow]:
    rows = []
    for each in found:
        for name, fit in each.fits.items():
            f1 = 100 * span_f1(each.parts.test, fit.chain.mode).f1
            rows.append(SpansRow(each.words, name, ALL, f1, each.judged[name, ALL]))
    return Section(
        name="ablation",
        title="One family of features at a time, and the HMM's rule for rare words",
        columns={
            "corpus": "corpus",
            "model": "model",
            "f1": "F1",
            "judged.calibration": "CalibScore",
            "judged.calibration.plugin": "plug-in",
            "judged.fit.passes": "passes",
            "judged.seconds": "seconds",
        },
        rows=rows,
        text="Spans of all types together.",
    )


def _comparisons(plan: EntitiesPlan, found: Found) -> Section[Compared]:
    """Compare models on the same spans: those that reach the floor in any of them."""
    pooled: dict[str, list[Pairs]] = {name: [] for name in plan.models}
    for type in found.types:
        every = HasSpan(type, floor=0.0)
        asked = {name: ask(found.fits[name].chain, found.parts.test, every) for name in pooled}
        kept = np.any([pairs.q >= FLOOR for pairs in asked.values()], axis=0)
        for name, pairs in asked.items():
            group = None if pairs.group is None else pairs.group[kept]
            pooled[name].append(Pairs(pairs.y[kept], pairs.q[kept], group=group))
    together = {name: reduce(add, each) for name, each in pooled.items()}
    return comparison_rows(
        together, plan.compared, plan.score, name=f"-{found.name}", where=f", {found.words}"
    )


class ProductRow(NamedTuple):
    """Exact probabilities of the spans of a tagger against products of tags."""

    corpus: str
    model: str
    mean: float
    largest: float
    far: float  # the share of large differences
    exact: Estimate
    product: Estimate


def _products(plan: EntitiesPlan, found: list[Found]) -> Section[ProductRow]:
    rows = []
    for each in found:
        for name in plan.models:
            both = both_ways(each.fits[name].chain, each.parts.test, each.types)
            gap = np.abs(both.exact.q - both.product.q)
            rows.append(
                ProductRow(
                    corpus=each.words,
                    model=name,
                    mean=float(gap.mean()),
                    largest=float(gap.max()),
                    far=float((gap > plan.far).mean()),
                    exact=score(both.exact, plan.score),
                    product=score(both.product, plan.score),
                )
            )
    return Section(
        name="product",
        title="Exact probabilities of spans against products of single tags' probabilities",
        columns={
            "corpus": "corpus",
            "model": "model",
            "mean": "mean difference",
            "largest": "largest",
            "far": f"share above {plan.far:g}",
            "exact": "CalibScore, exact",
            "product": "CalibScore, product",
        },
        rows=rows,
    )


def _draw(plan: EntitiesPlan, found: Found) -> Drawn:
    bins = AdaptiveBins(size=plan.size)
    panels = plot_panels({name: curve(found.judged[name, ALL].pairs, bins) for name in plan.models})
    words = f"Spans of {found.words}: frequency against prediction, bins of {plan.size}"
    return Drawn(f"curves-{found.name}", words, panels[0])
