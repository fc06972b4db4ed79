"""The tables of the studies of tagging."""

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.query import Query
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.training import LBFGS
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair
from calibrant.studies.progress import Progress
from calibrant.studies.published import Tagger
from calibrant.studies.sections import Section
from calibrant.studies.shares import SharesRow, shares_section
from calibrant.studies.tagging.judged import Judged, judge
from calibrant.studies.tagging.plan import TaggingPlan
from calibrant.studies.tagging.taggers import Parts, Tagged, fit_all
from calibrant.verbs import ask, score

SLOPE = "A Cox slope below 1 means that predictions are overconfident, above 1 underconfident."


class ModelRow(NamedTuple):
    """A tagger beside that of the thesis."""

    model: str
    accuracy: float
    judged: Judged
    thesis: Tagger | None = None


def models(plan: TaggingPlan, parts: Parts, judged: Mapping[str, Judged]) -> Section[ModelRow]:
    """The taggers beside the numbers of the thesis."""
    where = f"thesis, {plan.published}"
    rows = [
        ModelRow(name, judged[name].fit.accuracy(parts.test), judged[name], plan.thesis[name])
        for name in plan.models
    ]
    return Section(
        name="models",
        title=f"The three taggers, asked whether a word is {plan.tag}",
        columns={
            "model": "model",
            "accuracy": "accuracy",
            "judged.calibration": "CalibScore",
            "judged.calibration.plugin": "plug-in",
            "judged.slope": "Cox slope",
            "judged.refinement": "refinement",
            "judged.brier": "Brier",
            "thesis.accuracy": f"accuracy ({where})",
            "thesis.score": f"CalibScore ({where})",
        },
        rows=rows,
        text="CalibScore is debiased, with a 95 % interval; the thesis printed the plug-in. "
        + SLOPE,
    )


def ablation(parts: Parts, judged: Mapping[str, Judged]) -> Section[ModelRow]:
    """All taggers, including those with one more family of features."""
    return Section(
        name="ablation",
        title="One family of features at a time, and the HMM's rule for rare words",
        columns={
            "model": "model",
            "accuracy": "accuracy",
            "judged.calibration": "CalibScore",
            "judged.calibration.plugin": "plug-in",
            "judged.refinement": "refinement",
            "judged.fit.passes": "passes",
            "judged.seconds": "seconds",
        },
        rows=[ModelRow(name, each.fit.accuracy(parts.test), each) for name, each in judged.items()],
    )


class QueryRow(NamedTuple):
    """The answers of a tagger to one query."""

    query: str
    model: str
    questions: int
    calibration: Estimate


def queries(plan: TaggingPlan, parts: Parts, fits: Mapping[str, Tagged]) -> Section[QueryRow]:
    """One tag, two neighbouring tags, and every tag at once."""
    first, second = next(pair for pair in common_pairs(parts) if plan.tag in pair)
    asked: list[Query] = [TagIs(plan.tag), TagPair(first, second), EveryTag()]
    rows = []
    for query in asked:
        for name, fit in fits.items():
            pairs = ask(fit.chain, parts.test, query)
            rows.append(QueryRow(str(query), name, int(pairs.n), score(pairs, plan.score)))
    return Section(
        name="queries",
        title="One tag, two neighbouring tags, every tag",
        columns={
            "query": "query",
            "model": "model",
            "questions": "questions",
            "calibration": "CalibScore",
            "calibration.plugin": "plug-in",
        },
        rows=rows,
    )


class TagRow(NamedTuple):
    """The calibration of a tag, by model."""

    tag: str
    seen: int  # in the test sentences
    scores: Mapping[str, Estimate]


def tags(
    plan: TaggingPlan, parts: Parts, fits: Mapping[str, Tagged], progress: Progress
) -> Section[TagRow]:
    """The calibration of every tag, the most frequent first."""
    counts = Counter(tag for sentence in parts.test.tags for tag in sentence)
    known = next(iter(fits.values())).chain.tags
    ordered = sorted(known, key=lambda tag: (-counts[tag], tag))
    rows = []
    for tag in progress.track(ordered, len(ordered), "Every tag"):
        scores = {
            name: score(ask(fit.chain, parts.test, TagIs(tag)), plan.score)
            for name, fit in fits.items()
        }
        rows.append(TagRow(tag, counts[tag], scores))
    return Section(
        name="tags",
        title="Every tag",
        columns={"tag": "tag", "seen": "in test", "scores": "{}"},
        rows=rows,
        text="CalibScore, debiased, of each tag.",
    )


class NeighboursRow(NamedTuple):
    """The calibration of two neighbouring tags, by model."""

    tags: str
    seen: int  # in the test sentences
    scores: Mapping[str, float]


def common_pairs(parts: Parts) -> list[tuple[str, str]]:
    """Pairs of neighbouring tags, by frequency in the training sentences."""
    seen = Counter(pair for each in parts.train.tags for pair in itertools.pairwise(each))
    return [pair for pair, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))]


def neighbours(
    plan: TaggingPlan, parts: Parts, fits: Mapping[str, Tagged], progress: Progress
) -> Section[NeighboursRow]:
    """The calibration of the most frequent pairs of neighbouring tags."""
    wanted = common_pairs(parts)[: plan.neighbours]
    rows = []
    for first, second in progress.track(wanted, len(wanted), "Neighbouring tags"):
        asked = {
            name: ask(fit.chain, parts.test, TagPair(first, second)) for name, fit in fits.items()
        }
        scores = {
            name: score(pairs, plan.score, interval=None).value for name, pairs in asked.items()
        }
        count = int(next(iter(asked.values())).y.sum())
        rows.append(NeighboursRow(f"{first} {second}", count, scores))
    return Section(
        name="neighbours",
        title=f"The {len(wanted)} most frequent pairs of neighbouring tags",
        columns={"tags": "tags", "seen": "in test", "scores": "{}"},
        rows=rows,
        text="CalibScore, debiased.",
    )


def predictions(plan: TaggingPlan, pairs: Mapping[str, Pairs]) -> Section[SharesRow]:
    """The distribution of the predictions, in intervals of equal width."""
    edges = np.linspace(0, 1, plan.intervals + 1)
    text = "The share of questions whose prediction lies there."
    return shares_section({name: each.q for name, each in pairs.items()}, edges, ".2f", text)


class StrengthRow(NamedTuple):
    """A CRF trained with one strength of L2."""

    l2: float
    accuracy: float
    judged: Judged


def strengths(plan: TaggingPlan, parts: Parts, progress: Progress) -> Section[StrengthRow]:
    """The effect of the strength of L2 on CRF-Advanced, trained until convergence."""
    crfs = {f"{l2:g}": CRF(l2=l2, training=LBFGS()) for l2 in plan.strengths}
    rows = []
    for name, fit in fit_all(crfs, parts, progress.about("l2 = ")).items():
        judged = judge(fit, ask(fit.chain, parts.test, TagIs(plan.tag)), plan.score)
        rows.append(StrengthRow(float(name), fit.accuracy(parts.test), judged))
    return Section(
        name="l2",
        title="The strength of L2 and CRF-Advanced",
        columns={
            "l2": "l2",
            "accuracy": "accuracy",
            "judged.calibration": "CalibScore",
            "judged.calibration.plugin": "plug-in",
            "judged.slope": "Cox slope",
            "judged.refinement": "refinement",
        },
        rows=rows,
        text="Trained by L-BFGS to the minimum of the objective, without early stopping. " + SLOPE,
    )
