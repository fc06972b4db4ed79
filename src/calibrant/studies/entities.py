"""The study of named entities: persons, places and organisations, exactly where they are."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.structures.exact_match import span_f1
from calibrant.structures.places import Places
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.spans import types_of
from calibrant.studies.figures import save_both
from calibrant.studies.judged import Judged, comparison_rows, judge
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.sections import Cell, Section, Study, write_report
from calibrant.studies.taggers import ADDED, MAIN, Parts, Tagged, fit_all
from calibrant.verbs import ask, curve, score

CORPORA = {"btc": "tweets (BTC)", "uner-ewt": "web text (UNER-EWT)"}
SIZE = 400
ALL = "all types"
Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """One corpus, its taggers, and their answers about spans of each type and of all."""

    corpus: str
    parts: Parts
    fits: Mapping[str, Tagged]
    judged: Mapping[tuple[str, str], Judged]  # by model and type

    @property
    def types(self) -> tuple[str, ...]:
        """The types of spans."""
        return types_of(self.fits["HMM"].chain.tags)


def run_entities(out: str | Path, track: Track = quietly, say: Say = lambda text: None) -> Study:
    """Train the taggers on both corpora, ask them, and write tables and figures to a folder."""
    begin, out = time.perf_counter(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    score_by = CalibScore(size=SIZE)
    found = [_look(name, score_by, track, say) for name in CORPORA]
    compared = [_comparisons(each, score_by) for each in found]
    sections = [
        _models(found), *compared, _ablation(found), _tags_multiplied(found, score_by),
    ]  # fmt: skip
    figures: dict[str, Path] = {}
    for each in found:
        panels = plot_panels(
            {name: curve(each.judged[name, ALL].pairs, AdaptiveBins(size=SIZE)) for name in MAIN}
        )
        words = f"Spans of {CORPORA[each.corpus]}: frequency against prediction, bins of {SIZE}"
        figures |= save_both(out, {words: (f"curves-{each.corpus}", panels[0])})
    findings = [
        f"{CORPORA[each.corpus]}: {row[-1]}"
        for each, section in zip(found, compared, strict=True)
        for row in section.rows
    ]
    facts = {
        "study": "entities",
        "corpora": "; ".join(f"{p.train}, {p.dev}, {p.test}" for p in (f.parts for f in found)),
        "query": str(HasSpan("T")),
        "score": str(score_by),
        "seconds": round(time.perf_counter() - begin, 1),
    }
    title = "Named entities: is there a span of this type exactly here?"
    written = write_report(out, title, sections, figures, facts, findings)
    say(f"{len(written) + 2 * len(figures)} files in {out}, {facts['seconds']} s")
    return Study(sections, findings, written)


def _look(name: str, by: CalibScore, track: Track, say: Say) -> Found:
    parts = Parts.of(name)
    fits = fit_all(MAIN | ADDED, parts, track, lambda text: say(f"{CORPORA[name]}, {text}"))
    judged = {}
    for model, fit in track(fits.items(), len(fits), "Scoring"):
        types = types_of(fit.chain.tags)
        asked = {type: ask(fit.chain, parts.test, HasSpan(type)) for type in types}
        for type, pairs in (asked | {ALL: reduce(add, asked.values())}).items():
            if model in MAIN or type == ALL:
                judged[model, type] = judge(fit, pairs, by)
    return Found(name, parts, fits, judged)


def _models(found: list[Found]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        for name in MAIN:
            f1 = span_f1(each.parts.test, each.fits[name].chain.mode)
            for type in (ALL, *each.types):
                judged = each.judged[name, type]
                one = f1 if type == ALL else f1.types[type]
                rows.append((
                    CORPORA[each.corpus], name, type, 100 * one.f1, int(judged.pairs.n),
                    judged.calibration, judged.calibration.plugin, judged.slope, judged.refinement,
                ))  # fmt: skip
    return Section(
        "models",
        "Three taggers, asked about spans of each type",
        (
            "corpus",
            "model",
            "type",
            "F1",
            "spans asked",
            "CalibScore",
            "plug-in",
            "Cox slope",
            "refinement",
        ),
        rows,
        f"All spans with a probability of at least {HasSpan('T').floor:g} are asked about. "
        "CalibScore is debiased, with a 95 % interval.",
    )


def _ablation(found: list[Found]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        for name, fit in each.fits.items():
            judged = each.judged[name, ALL]
            rows.append((
                CORPORA[each.corpus], name, 100 * span_f1(each.parts.test, fit.chain.mode).f1,
                judged.calibration, judged.calibration.plugin, fit.passes, round(fit.seconds, 1),
            ))  # fmt: skip
    return Section(
        "ablation",
        "One family of features at a time, and the HMM's rule for rare words",
        ("corpus", "model", "F1", "CalibScore", "plug-in", "passes", "seconds"),
        rows,
        "Spans of all types together.",
    )


def _comparisons(found: Found, by: CalibScore) -> Section:
    """Models on the same spans: those that any of them gives the floor's probability."""
    floor = HasSpan("T").floor
    pooled: dict[str, list[Pairs]] = {name: [] for name in MAIN}
    for type in found.types:
        every = HasSpan(type, floor=0.0)
        asked = {name: ask(found.fits[name].chain, found.parts.test, every) for name in MAIN}
        kept = np.any([pairs.q >= floor for pairs in asked.values()], axis=0)
        for name, pairs in asked.items():
            group = None if pairs.group is None else pairs.group[kept]
            pooled[name].append(Pairs(pairs.y[kept], pairs.q[kept], group=group))
    together = {name: reduce(add, each) for name, each in pooled.items()}
    return comparison_rows(together, by, f"-{found.corpus}", f", {CORPORA[found.corpus]}")


def product_of_tags(chain: Chain, type: str, places: Places) -> Float:
    """What multiplying the probabilities of single tags says about spans: not what is true."""
    log = np.log(np.maximum(chain.marginals, 1e-300))
    begin, end = (
        chain.start[places.sentence] + places.begin,
        chain.start[places.sentence] + places.end,
    )
    first, inside = chain.code(f"B-{type}"), chain.code(f"I-{type}")
    summed = np.concatenate([[0.0], np.cumsum(log[:, inside])])
    found = np.exp(log[begin, first] + summed[end] - summed[begin + 1])
    goes_on = end < chain.start[places.sentence + 1]
    after = np.where(goes_on, 1 - chain.marginals[np.minimum(end, len(log) - 1), inside], 1.0)
    multiplied: Float = np.clip(found * after, 0.0, 1.0)
    return multiplied


def _tags_multiplied(found: list[Found], by: CalibScore) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        for name in MAIN:
            chain, test = each.fits[name].chain, each.parts.test
            exact, other = _both(chain, test, each.types)
            gap = np.abs(exact.q - other.q)
            rows.append((
                CORPORA[each.corpus], name, float(gap.mean()), float(gap.max()),
                float((gap > 0.05).mean()), score(exact, by), score(other, by),
            ))  # fmt: skip
    return Section(
        "product",
        "Exact probabilities of spans against products of single tags' probabilities",
        ("corpus", "model", "mean difference", "largest", "share above 0.05",
         "CalibScore, exact", "CalibScore, product"),
        rows,
    )  # fmt: skip


def _both(chain: Chain, test: Corpus, types: tuple[str, ...]) -> tuple[Pairs, Pairs]:
    """The same questions, answered exactly and by multiplying."""
    exact, other = [], []
    for type in types:
        query = HasSpan(type)
        pairs = ask(chain, test, query)
        q = product_of_tags(chain, type, query.where(chain))
        exact.append(pairs)
        other.append(Pairs(pairs.y, q, group=pairs.group))
    return reduce(add, exact), reduce(add, other)
