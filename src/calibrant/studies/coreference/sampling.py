"""The table of sampled clusterings, the thesis's way, beside exact probabilities."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibrant.pairs import Pairs
from calibrant.structures.coreference.queries import distinct_answers, draw_answers
from calibrant.studies.coreference.asked import Asked
from calibrant.studies.coreference.plan import CoreferencePlan
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Section

EXACT = "exact"  # instead of a number of samples


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
