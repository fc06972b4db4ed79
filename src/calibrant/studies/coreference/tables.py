"""The tables of calibration of the study of coreference."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibrant.calibration.analyses.describing import cox_slope
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.coreference.queries import SameEntity
from calibrant.studies.compared import WITHIN, Compared, compared
from calibrant.studies.coreference.asked import Asked
from calibrant.studies.coreference.plan import FAITHFUL, CoreferencePlan
from calibrant.studies.coreference.rankers import Resolved
from calibrant.studies.progress import Progress
from calibrant.studies.published import COREFERENCE, Coreference
from calibrant.studies.sections import Section
from calibrant.studies.shares import SharesRow, shares_section
from calibrant.verbs import ask, score


class CalibrationRow(NamedTuple):
    """A system's answers about all pairs of mentions."""

    corpus: str
    system: str
    pairs: int
    frequency: float
    mean: float
    below: float  # the share of predictions up to the bound
    whole: Estimate
    upper: Estimate
    slope: Estimate
    thesis: Coreference = COREFERENCE


def calibration(
    plan: CoreferencePlan, asked: Sequence[Asked], progress: Progress
) -> Section[CalibrationRow]:
    """Scores of all pairs and of those above the bound, beside the thesis's."""
    todo = [(each.found.name, name, pairs) for each in asked for name, pairs in each.pairs.items()]
    rows = [_calibration_row(plan, *each) for each in progress.track(todo, len(todo), "Scoring")]
    above = f"q > {plan.above:g}"
    return Section(
        name="calibration",
        title="The probability that two mentions refer to the same entity",
        columns={
            "corpus": "corpus",
            "system": "system",
            "pairs": "pairs",
            "frequency": "share true",
            "mean": "mean q",
            "below": f"share q ≤ {plan.above:g}",
            "whole": "CalibScore",
            "whole.plugin": "plug-in",
            "upper": f"CalibScore, {above}",
            "upper.plugin": f"plug-in, {above}",
            "slope": "Cox slope",
            "thesis.score": "thesis, CoNLL-2011",
            "thesis.above": f"thesis, {above}",
        },
        rows=rows,
        text=f"Bins of {plan.size} pairs, above {plan.above:g} of {plan.above_size}. CalibScore is "
        "debiased, with a 95 % interval over documents; the thesis printed the plug-in. A Cox "
        "slope below 1 means that predictions are overconfident, above 1 underconfident.",
    )


def _calibration_row(
    plan: CoreferencePlan, corpus: str, system: str, pairs: Pairs
) -> CalibrationRow:
    return CalibrationRow(
        corpus=corpus,
        system=system,
        pairs=int(pairs.n),
        frequency=pairs.mean(pairs.y),
        mean=pairs.mean(pairs.q),
        below=float((pairs.q <= plan.above).mean()),
        whole=score(pairs, plan.whole),
        upper=score(pairs, plan.upper),
        slope=cox_slope(pairs),
    )


class ComparisonRow(NamedTuple):
    """Two ways to train, on the same pairs of mentions."""

    corpus: str
    compared: Compared


def comparisons(
    plan: CoreferencePlan, asked: Sequence[Asked], progress: Progress
) -> Section[ComparisonRow]:
    """Which of the two ways to train is better calibrated."""
    rows = [
        ComparisonRow(each.found.name, compared(each.pairs, plan.whole, each.found.name))
        for each in progress.track(asked, len(asked), "Comparing")
    ]
    return Section(
        name="comparisons",
        title="Training that is faithful to probabilities against loss-augmented training",
        columns={"corpus": "corpus", **WITHIN},
        rows=rows,
        text="The difference of CalibScore on the same pairs of mentions, with a 95 % interval.",
    )


class QueryRow(NamedTuple):
    """A system's answers to another query about mentions."""

    corpus: str
    system: str
    query: str
    mentions: int
    frequency: float
    mean: float
    calibration: Estimate


def other_queries(
    plan: CoreferencePlan, corpora: Sequence[Resolved], progress: Progress
) -> Section[QueryRow]:
    """New entities, and entities of one mention."""
    todo = [
        (each, name, query) for each in corpora for name in each.links for query in plan.queries
    ]
    rows = []
    for each, name, query in progress.track(todo, len(todo), "Other queries"):
        pairs = ask(each.links[name], each.found, query)
        rows.append(
            QueryRow(
                corpus=each.name,
                system=name,
                query=str(query),
                mentions=int(pairs.n),
                frequency=pairs.mean(pairs.y),
                mean=pairs.mean(pairs.predicted),
                calibration=score(pairs),
            )
        )
    return Section(
        name="mentions-asked",
        title="New entities and entities of one mention",
        columns={
            "corpus": "corpus",
            "system": "system",
            "query": "query",
            "mentions": "mentions",
            "frequency": "frequency",
            "mean": "mean q",
            "calibration": "CalibScore",
            "calibration.plugin": "plug-in",
        },
        rows=rows,
    )


class StrengthRow(NamedTuple):
    """The faithful ranker with one strength of L2."""

    corpus: str
    l2: float
    conll: float
    frequency: float
    mean: float
    whole: Estimate
    upper: Estimate
    slope: Estimate


def strengths(
    plan: CoreferencePlan, resolved: Sequence[Resolved], asked: Sequence[Asked], progress: Progress
) -> Section[StrengthRow]:
    """What the strength of L2 does to the faithful ranker."""
    rankers = {FAITHFUL: plan.rankers[FAITHFUL], **plan.others}
    ordered = sorted(rankers, key=lambda name: rankers[name].l2)
    todo = [(one, its, name) for one, its in zip(resolved, asked, strict=True) for name in ordered]
    rows = []
    for each, its, name in progress.track(todo, len(todo), "Strengths of L2"):
        pairs = its.pairs.get(name) or ask(each.links[name], each.found, SameEntity())
        rows.append(
            StrengthRow(
                corpus=each.name,
                l2=rankers[name].l2,
                conll=100 * each.scores[name].conll,
                frequency=pairs.mean(pairs.y),
                mean=pairs.mean(pairs.q),
                whole=score(pairs, plan.whole),
                upper=score(pairs, plan.upper),
                slope=cox_slope(pairs),
            )
        )
    return Section(
        name="l2",
        title="The strength of L2 and the faithful ranker",
        columns={
            "corpus": "corpus",
            "l2": "l2",
            "conll": "CoNLL",
            "frequency": "share true",
            "mean": "mean q",
            "whole": "CalibScore",
            "upper": f"CalibScore, q > {plan.above:g}",
            "slope": "Cox slope",
        },
        rows=rows,
        text="Of all passes the one with the best likelihood of the dev documents is kept.",
    )


def predictions(plan: CoreferencePlan, asked: Sequence[Asked]) -> Section[SharesRow]:
    """How the predictions are distributed."""
    q = {
        f"{each.found.name}, {name}": pairs.q
        for each in asked
        for name, pairs in each.pairs.items()
    }
    text = "The share of pairs whose prediction lies there."
    return shares_section(q, np.array(plan.edges), "g", text)
