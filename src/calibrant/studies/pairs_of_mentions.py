"""What is asked about every two mentions: tables of the study of coreference."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from calibrant.calibration.analyses.description import cox_slope
from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.coreference.queries import SameEntity, distinct_answers, draw_answers
from calibrant.studies.compared import COLUMNS, compared
from calibrant.studies.progress import Track
from calibrant.studies.rankers import Resolved
from calibrant.studies.sections import Cell, Section
from calibrant.verbs import ask, score

SIZE, ABOVE_SIZE, ABOVE = 10_000, 1_000, 0.1
THESIS = 0.007  # CoNLL-2011, Berkeley with surface features, about 4 million pairs, plug-in
THESIS_ABOVE = 0.043  # read off its figure
SAMPLES = (10, 100, 1000)
STRENGTHS = (0.3, 1.0, 3.0, 10.0)
WHOLE, UPPER = CalibScore(size=SIZE), CalibScore(size=ABOVE_SIZE, above=ABOVE)


@dataclass(frozen=True, eq=False)
class Asked:
    """One corpus: its systems, and their answers about pairs."""

    found: Resolved
    pairs: Mapping[str, Pairs]


def calibration_rows(asked: list[Asked], track: Track) -> Section:
    """Scores of all pairs and of those above the bound, beside the thesis's."""
    rows: list[tuple[Cell, ...]] = []
    todo = [(each.found.name, name, pairs) for each in asked for name, pairs in each.pairs.items()]
    for corpus, name, pairs in track(todo, len(todo), "Scoring"):
        whole, upper = score(pairs, WHOLE), score(pairs, UPPER)
        few = float((pairs.q <= ABOVE).mean())
        rows.append((
            corpus, name, int(pairs.n), pairs.mean(pairs.y), pairs.mean(pairs.q), few, whole,
            whole.plugin, upper, upper.plugin, cox_slope(pairs), THESIS, THESIS_ABOVE,
        ))  # fmt: skip
    return Section(
        "calibration",
        "The probability that two mentions refer to the same entity",
        ("corpus", "system", "pairs", "share true", "mean q", f"share q ≤ {ABOVE:g}", "CalibScore",
         "plug-in",
         f"CalibScore, q > {ABOVE:g}", f"plug-in, q > {ABOVE:g}", "Cox slope",
         "thesis, CoNLL-2011", f"thesis, q > {ABOVE:g}"),
        rows,
        f"Bins of {SIZE} pairs, above {ABOVE:g} of {ABOVE_SIZE}. CalibScore is debiased, with a "
        "95 % interval over documents; the thesis printed the plug-in. A Cox slope below 1 says "
        "that predictions are too extreme, above 1 too timid.",
    )  # fmt: skip


def sampled_rows(asked: list[Asked], track: Track) -> Section:
    """The thesis's way, with fewer and more samples, beside the exact answer."""
    rows: list[tuple[Cell, ...]] = []
    todo = [(each, count) for each in asked for count in (None, *SAMPLES)]
    for each, count in track(todo, len(todo), "Sampling"):
        name, links = next(iter(each.found.links.items()))
        exact = each.pairs[name]
        if count is None:
            rows.append((each.found.name, name, "exact", 0.0, *_both(exact), *_both(exact)))
            continue
        yes = draw_answers(links, count)
        gap = float(np.sqrt(np.mean((yes / count - exact.q) ** 2)))
        answers = distinct_answers(exact.y, yes)
        shares = Pairs(answers.y, answers.yes / count, weight=answers.many)
        known = Pairs.from_draws(answers.y, answers.yes, count, weight=answers.many)
        rows.append((each.found.name, name, count, gap, *_both(shares), *_both(known)))
    return Section(
        "sampled",
        "Sampled clusterings against exact probabilities",
        ("corpus", "system", "samples", "rms difference", "plug-in of shares",
         f"plug-in of shares, q > {ABOVE:g}", "plug-in, draws known",
         f"plug-in, draws known, q > {ABOVE:g}"),
        rows,
        "Shares of samples taken as probabilities, and the same shares with the number of draws "
        "known, so that their noise is not taken for miscalibration.",
    )  # fmt: skip


def _both(pairs: Pairs) -> tuple[Cell, Cell]:
    """The plug-in scores of all pairs, and of those above the bound."""
    return tuple(  # type: ignore[return-value]
        by.plugin(by.evidence(by.within(pairs))) for by in (WHOLE, UPPER)
    )


def comparison_rows(asked: list[Asked], track: Track) -> Section:
    """Which of the two ways to train is better calibrated."""
    rows: list[tuple[Cell, ...]] = []
    for each in track(asked, len(asked), "Comparing"):
        rows.append((each.found.name, *compared(each.pairs, WHOLE, each.found.name)))
    return Section(
        "comparisons",
        "Training that is faithful to probabilities against loss-augmented training",
        ("corpus", *COLUMNS),
        rows,
        "The difference of CalibScore on the same pairs of mentions, with a 95 % interval.",
    )


def strengths_of(ranker: MentionRanker) -> dict[str, MentionRanker]:
    """The same ranker with other strengths of L2."""
    others = [l2 for l2 in STRENGTHS if l2 != ranker.l2]
    return {f"l2 = {l2:g}": replace(ranker, l2=l2) for l2 in others}


def strength_rows(
    resolved: list[Resolved], asked: list[Asked], rankers: Mapping[str, MentionRanker], track: Track
) -> Section:
    """What the strength of L2 does to rankers."""
    rows: list[tuple[Cell, ...]] = []
    ordered = sorted(rankers, key=lambda name: rankers[name].l2)
    todo = [(one, its, name) for one, its in zip(resolved, asked, strict=True) for name in ordered]
    for each, its, name in track(todo, len(todo), "Strengths of L2"):
        pairs = its.pairs.get(name) or ask(each.links[name], each.found, SameEntity())
        rows.append((
            each.name, rankers[name].l2, 100 * each.scores[name].conll, pairs.mean(pairs.y),
            pairs.mean(pairs.q), score(pairs, WHOLE), score(pairs, UPPER), cox_slope(pairs),
        ))  # fmt: skip
    return Section(
        "l2",
        "The strength of L2 and the faithful ranker",
        ("corpus", "l2", "CoNLL", "share true", "mean q", "CalibScore",
         f"CalibScore, q > {ABOVE:g}", "Cox slope"),
        rows,
        "Of all passes the one with the best likelihood of the dev documents is kept.",
    )  # fmt: skip


def prediction_rows(asked: list[Asked]) -> Section:
    """How the predictions are distributed."""
    edges = np.concatenate([[0.0, 0.001, 0.01, 0.05], np.linspace(0.1, 1, 10)])
    columns = {f"{each.found.name}, {name}": pairs.q for each in asked
               for name, pairs in each.pairs.items()}  # fmt: skip
    shares = [np.histogram(q, edges)[0] / q.size for q in columns.values()]
    rows: list[tuple[Cell, ...]] = [
        (f"{edges[k]:g} to {edges[k + 1]:g}", *(float(share[k]) for share in shares))
        for k in range(edges.size - 1)
    ]
    return Section(
        "predictions", "The distribution of the predictions", ("q", *columns), rows,
        "The share of pairs whose prediction lies there.",
    )  # fmt: skip
