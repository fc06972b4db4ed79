"""The tables of the study of parsing."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.describing import cox_slope
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.queries import HasConstituent
from calibrant.studies.compared import WITHIN, Compared, compared
from calibrant.studies.parsing.parsers import Parsed, Parsers
from calibrant.studies.parsing.plan import ParsingPlan
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section
from calibrant.verbs import ask, score

SCORED = "CalibScore, debiased, with a 95 % interval over documents"
FLOOR = HasConstituent().floor


class ModelRow(NamedTuple):
    """A grammar on a treebank."""

    corpus: str
    grammar: str
    f1: float
    safest: float
    sentences: int
    fallback: int
    questions: int
    missed: float  # the share of gold constituents below the floor
    whole: Estimate
    upper: Estimate
    share_above: float
    mean: float
    frequency: float
    slope: Estimate


def models(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Section[ModelRow]:
    """F1 and calibration of every grammar."""
    rows = [
        _model_row(plan, corpus, name, each)
        for corpus in parsed
        for name, each in corpus.models.items()
    ]
    above = f"q > {plan.above:g}"
    return Section(
        name="models",
        title="The grammars, asked whether there is a constituent",
        columns={
            "corpus": "corpus",
            "grammar": "grammar",
            "f1": "F1",
            "safest": "F1, safest",
            "sentences": "sentences",
            "fallback": "by the fallback",
            "questions": "questions",
            "missed": "true ones not asked",
            "whole": "CalibScore",
            "whole.plugin": "plug-in",
            "upper": f"CalibScore, {above}",
            "upper.plugin": f"plug-in, {above}",
            "share_above": f"share {above}",
            "mean": "mean q",
            "frequency": "frequency",
            "slope": "Cox slope",
        },
        rows=rows,
        text="F1 as EVALB counts, in per cent, of the most probable parse, and of the tree that "
        f"can be expected to have most right. {SCORED}; spans of any label are asked about from a "
        f"probability of {FLOOR:g} on, which leaves out a share of the true ones. "
        "A Cox slope below 1 says that predictions are too extreme.",
    )


def _model_row(plan: ParsingPlan, corpus: Parsers, name: str, each: Parsed) -> ModelRow:
    y, q = each.pairs.y, each.pairs.q
    return ModelRow(
        corpus=corpus.corpus,
        grammar=name,
        f1=100 * each.f1.f1,
        safest=100 * each.safest.f1,
        sentences=len(each.tree),
        fallback=int(each.tree.fell_back.sum()),
        questions=int(each.pairs.n),
        missed=float(1 - y.sum() / corpus.true),
        whole=score(each.pairs, plan.whole),
        upper=score(each.pairs, plan.upper),
        share_above=float((q > plan.above).mean()),
        mean=float(q.mean()),
        frequency=float(y.mean()),
        slope=cox_slope(each.pairs),
    )


class ComparisonRow(NamedTuple):
    """Two grammars on the same spans."""

    corpus: str
    floor: float
    spans: int
    compared: Compared


def comparisons(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Section[ComparisonRow]:
    """Compare the grammars on the same spans: those that reach the floor in either."""
    rows = []
    every = HasConstituent(floor=0.0)
    for corpus in parsed:
        asked = {name: ask(each.tree, corpus.test, every) for name, each in corpus.models.items()}
        for where, floor in (("", FLOOR), (f" above {plan.above:g}", plan.above)):
            kept = np.flatnonzero(np.any([each.q >= floor for each in asked.values()], axis=0))
            same = {name: each.take(kept) for name, each in asked.items()}
            found = compared(same, plan.whole, f"{corpus.corpus}{where}")
            rows.append(ComparisonRow(corpus.corpus, floor, int(kept.size), found))
    return Section(
        name="comparisons",
        title="Paired comparisons",
        columns={"corpus": "corpus", "floor": "either q from", "spans": "spans", **WITHIN},
        rows=rows,
        text="The CalibScore of the better less that of the worse, on the same spans, those that "
        "either grammar gives at least the probability shown, with a 95 % interval over documents.",
    )


class LabelRow(NamedTuple):
    """The F1 and the calibration of a label, by grammar; None if there are too few spans."""

    corpus: str
    label: str
    seen: int  # in the test sentences
    f1: Mapping[str, float | None]
    scores: Mapping[str, Estimate | None]


def labels(plan: ParsingPlan, parsed: Sequence[Parsers], progress: Progress) -> Section[LabelRow]:
    """The calibration and F1 of the most frequent labels."""
    todo = [
        (corpus, label, count)
        for corpus in parsed
        for label, count in corpus.common_labels(plan.labels)
    ]
    rows = []
    for corpus, label, count in progress.track(todo, len(todo), "Every label"):
        types = {name: each.f1.types.get(label) for name, each in corpus.models.items()}
        f1 = {name: None if its is None else 100 * its.f1 for name, its in types.items()}
        scores = {name: _score(plan, each.asked(label)) for name, each in corpus.models.items()}
        rows.append(LabelRow(corpus.corpus, label, count, f1, scores))
    return Section(
        name="labels",
        title="Every label",
        columns={
            "corpus": "corpus",
            "label": "label",
            "seen": "in test",
            "f1": "F1, {}",
            "scores": "{}",
        },
        rows=rows,
        text="F1 in per cent, of the most probable parse, where EVALB knows the label (PRT is "
        f"ADVP). {SCORED}; empty where fewer than {plan.fewest} spans are asked about.",
    )


class LengthRow(NamedTuple):
    """The calibration of constituents in a range of lengths, by grammar."""

    corpus: str
    words: str
    scores: Mapping[str, Estimate | None]
    sentences: int = 0
    f1: Mapping[str, float | None] = {}


def span_lengths(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Section[LengthRow]:
    """Calibration by span length."""
    rows = []
    for corpus in parsed:
        for low, high in plan.span_lengths:
            scores = {}
            for name, each in corpus.models.items():
                places = HasConstituent().where(each.tree)
                scores[name] = _within(plan, each.pairs, places.end - places.begin, low, high)
            rows.append(LengthRow(corpus.corpus, _range(low, high), scores))
    return Section(
        name="spans",
        title="By the words of the span",
        columns={"corpus": "corpus", "words": "words", "scores": "{}"},
        rows=rows,
        text=f"{SCORED}; constituents of any label.",
    )


def sentence_lengths(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Section[LengthRow]:
    """F1 and calibration by sentence length."""
    rows = [
        _sentence_row(plan, corpus, low, high)
        for corpus in parsed
        for low, high in plan.sentence_lengths
    ]
    return Section(
        name="sentences",
        title="By the words of the sentence",
        columns={
            "corpus": "corpus",
            "words": "words",
            "sentences": "sentences",
            "f1": "F1, {}",
            "scores": "{}",
        },
        rows=rows,
        text=f"F1 in per cent, of the most probable parse. {SCORED}; constituents of any label.",
    )


def _sentence_row(plan: ParsingPlan, corpus: Parsers, low: int, high: int) -> LengthRow:
    sizes = np.array([tree.size for tree in corpus.test.trees])
    chosen = np.flatnonzero((sizes >= low) & (sizes <= high)).tolist()
    gold = [corpus.test.trees[k] for k in chosen]
    f1: dict[str, float | None] = {}
    scores = {}
    for name, each in corpus.models.items():
        f1[name] = 100 * bracket_f1(gold, [each.mode[k] for k in chosen]).f1 if chosen else None
        asked = each.tree.lengths[HasConstituent().where(each.tree).sentence]
        scores[name] = _within(plan, each.pairs, asked, low, high)
    return LengthRow(corpus.corpus, _range(low, high), scores, len(chosen), f1)


class IntervalRow(NamedTuple):
    """Mean prediction and frequency in an interval of predictions."""

    corpus: str
    grammar: str
    interval: str
    spans: int
    mean: float
    frequency: float


def predictions(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Section[IntervalRow]:
    """Mean prediction and frequency, in intervals of predictions."""
    edges = np.array([FLOOR, *plan.edges])
    rows = [
        row
        for corpus in parsed
        for name, each in corpus.models.items()
        for row in _interval_rows(corpus.corpus, name, each.pairs, edges)
    ]
    return Section(
        name="predictions",
        title="What was said and what happened",
        columns={
            "corpus": "corpus",
            "grammar": "grammar",
            "interval": "q",
            "spans": "spans",
            "mean": "mean q",
            "frequency": "frequency",
        },
        rows=rows,
        text="Constituents of any label, in fixed ranges of the predictions.",
    )


def _interval_rows(
    corpus: str, grammar: str, pairs: Pairs, edges: NDArray[np.float64]
) -> list[IntervalRow]:
    y, q = pairs.y, pairs.q
    at = np.clip(np.searchsorted(edges, q, side="right") - 1, 0, edges.size - 2)
    rows = []
    for k in np.unique(at).tolist():
        inside = at == k
        rows.append(
            IntervalRow(
                corpus=corpus,
                grammar=grammar,
                interval=f"{edges[k]:g} to {edges[k + 1]:g}",
                spans=int(inside.sum()),
                mean=float(q[inside].mean()),
                frequency=float(y[inside].mean()),
            )
        )
    return rows


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _within(
    plan: ParsingPlan, pairs: Pairs, measured: NDArray[Any], low: int, high: int
) -> Estimate | None:
    return _score(plan, pairs.take(np.flatnonzero((measured >= low) & (measured <= high))))


def _score(plan: ParsingPlan, pairs: Pairs | None) -> Estimate | None:
    """Score some pairs; None if there are too few."""
    if pairs is None or pairs.n < plan.fewest or pairs.groups < 2:
        return None
    return score(pairs, plan.whole)
