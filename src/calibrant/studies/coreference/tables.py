"""The tables of the study of coreference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calibrant.calibration.analyses.description import cox_slope
from calibrant.pairs import Pairs
from calibrant.results.estimate import Estimate
from calibrant.structures.coreference.accuracy import CoreferenceScore, Share
from calibrant.structures.coreference.queries import SameEntity, distinct_answers, draw_answers
from calibrant.studies.compared import WITHIN, Compared, compared
from calibrant.studies.coreference.plan import FAITHFUL, CoreferencePlan
from calibrant.studies.coreference.rankers import Resolved
from calibrant.studies.progress import Progress
from calibrant.studies.published import COREFERENCE, Coreference
from calibrant.studies.sections import Section
from calibrant.verbs import ask, score


@dataclass(frozen=True, eq=False)
class Asked:
    """One corpus: its systems, and their answers about pairs of mentions."""

    found: Resolved
    pairs: Mapping[str, Pairs]


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
    rows = [
        CalibrationRow(
            corpus=corpus,
            system=name,
            pairs=int(pairs.n),
            frequency=pairs.mean(pairs.y),
            mean=pairs.mean(pairs.q),
            below=float((pairs.q <= plan.above).mean()),
            whole=score(pairs, plan.whole),
            upper=score(pairs, plan.upper),
            slope=cox_slope(pairs),
        )
        for corpus, name, pairs in progress.track(todo, len(todo), "Scoring")
    ]
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
        "slope below 1 says that predictions are too extreme, above 1 too timid.",
    )


class SystemRow(NamedTuple):
    """How well a system finds entities, F1 in per cent."""

    corpus: str
    system: str
    muc: float
    b_cubed: float
    ceaf_e: float
    conll: float


def systems(corpora: Sequence[Resolved]) -> Section[SystemRow]:
    """The accuracy of all systems, the rule included."""
    return Section(
        name="systems",
        title="How well entities are found",
        columns={
            "corpus": "corpus",
            "system": "system",
            "muc": "MUC",
            "b_cubed": "B³",
            "ceaf_e": "CEAFe",
            "conll": "CoNLL",
        },
        rows=[
            _system_row(each.name, system, found)
            for each in corpora
            for system, found in each.scores.items()
        ],
        text="F1 in per cent; CoNLL is the mean of the three. OntoGUM: its test documents; with "
        "dev, which also chose how many passes to make, twice as many; mentions from trees, "
        "entities of one mention left out, as the corpus does not mark them. LitBank: true "
        "mentions, entities of one mention counted, ten folds pooled. The rule links mentions of "
        "the same head.",
    )


def _system_row(corpus: str, system: str, found: CoreferenceScore) -> SystemRow:
    return SystemRow(
        corpus=corpus,
        system=system,
        muc=100 * found.muc.f1,
        b_cubed=100 * found.b_cubed.f1,
        ceaf_e=100 * found.ceaf_e.f1,
        conll=100 * found.conll,
    )


class Plugins(NamedTuple):
    """The plug-in scores of all pairs, and of those above the bound."""

    whole: float
    upper: float


class SampledRow(NamedTuple):
    """Shares of sampled clusterings against exact probabilities."""

    corpus: str
    system: str
    samples: int | str
    gap: float  # root mean square difference to the exact probability
    shares: Plugins  # of shares taken as probabilities
    draws: Plugins  # of shares whose number of draws is known


EXACT = "exact"  # instead of a number of samples


def sampled(
    plan: CoreferencePlan, asked: Sequence[Asked], progress: Progress
) -> Section[SampledRow]:
    """The thesis's way, with fewer and more samples, beside the exact answer."""
    todo = [(each, count) for each in asked for count in (None, *plan.samples)]
    rows = [
        _sampled_row(plan, each, count)
        for each, count in progress.track(todo, len(todo), "Sampling")
    ]
    above = f"q > {plan.above:g}"
    return Section(
        name="sampled",
        title="Sampled clusterings against exact probabilities",
        columns={
            "corpus": "corpus",
            "system": "system",
            "samples": "samples",
            "gap": "rms difference",
            "shares.whole": "plug-in of shares",
            "shares.upper": f"plug-in of shares, {above}",
            "draws.whole": "plug-in, draws known",
            "draws.upper": f"plug-in, draws known, {above}",
        },
        rows=rows,
        text="Shares of samples taken as probabilities, and the same shares with the number of "
        "draws known, so that their noise is not taken for miscalibration.",
    )


def _sampled_row(plan: CoreferencePlan, asked: Asked, count: int | None) -> SampledRow:
    name, links = next(iter(asked.found.links.items()))
    exact = asked.pairs[name]
    if count is None:
        both = _plugins(plan, exact)
        return SampledRow(asked.found.name, name, EXACT, 0.0, both, both)
    yes = draw_answers(links, count)
    gap = float(np.sqrt(np.mean((yes / count - exact.q) ** 2)))
    answers = distinct_answers(exact.y, yes)
    shares = Pairs(answers.y, answers.yes / count, weight=answers.many)
    known = Pairs.from_draws(answers.y, answers.yes, count, weight=answers.many)
    return SampledRow(
        asked.found.name, name, count, gap, _plugins(plan, shares), _plugins(plan, known)
    )


def _plugins(plan: CoreferencePlan, pairs: Pairs) -> Plugins:
    return Plugins(*(by.plugin(by.evidence(by.within(pairs))) for by in (plan.whole, plan.upper)))


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


class SharesRow(NamedTuple):
    """The share of predictions in an interval, by corpus and system."""

    interval: str
    shares: Mapping[str, float]


def predictions(plan: CoreferencePlan, asked: Sequence[Asked]) -> Section[SharesRow]:
    """How the predictions are distributed."""
    edges = np.array(plan.edges)
    shares = {
        f"{each.found.name}, {name}": np.histogram(pairs.q, edges)[0] / pairs.q.size
        for each in asked
        for name, pairs in each.pairs.items()
    }
    rows = [
        SharesRow(
            f"{edges[k]:g} to {edges[k + 1]:g}",
            {name: float(share[k]) for name, share in shares.items()},
        )
        for k in range(edges.size - 1)
    ]
    return Section(
        name="predictions",
        title="The distribution of the predictions",
        columns={"interval": "q", "shares": "{}"},
        rows=rows,
        text="The share of pairs whose prediction lies there.",
    )


class MentionsRow(NamedTuple):
    """Mentions found in trees against the true ones."""

    corpus: str
    found: Share

    @property
    def sizes(self) -> Mapping[str, int]:
        """How many mentions are true, and how many were found."""
        return {"true": int(self.found.recall_whole), "found": int(self.found.precision_whole)}

    @property
    def shares(self) -> Mapping[str, float]:
        """Recall and precision in per cent."""
        return {"recall": 100 * self.found.recall, "precision": 100 * self.found.precision}


def mentions(corpora: Sequence[Resolved]) -> Section[MentionsRow]:
    """How well the mentions of trees agree with the true ones."""
    return Section(
        name="mentions",
        title="Mentions from trees",
        columns={"corpus": "corpus", "sizes": "{}", "shares": "{}"},
        rows=[MentionsRow(each.name, each.recall) for each in corpora if each.recall is not None],
        text="Noun phrases and pronouns, the largest per head, against the mentions of the corpus, "
        "which are only those of entities with several. Recall and precision in per cent.",
    )
