"""A tagger and a parser: how much of the tagger's uncertainty the parser should be given."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from calibrant.calibration.analyses.describing import cox_slope
from calibrant.calibration.scores import CalibScore, LogLoss
from calibrant.pairs import Pairs
from calibrant.plots import Sweep, plot_sweep
from calibrant.results.digits import p_text
from calibrant.results.estimate import Estimate
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.models.pcfg import FittedPCFG
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.pipelines.plan import PipelinesPlan
from calibrant.studies.pipelines.tagged_trees import (
    ALL,
    BEST,
    DRAWN,
    WORDS,
    Answered,
    run_pipelines,
)
from calibrant.studies.progress import Progress
from calibrant.studies.sections import Drawn, Section
from calibrant.verbs import compare, score

SHOWN = 0.05  # a smaller p-value counts as evidence of a difference


class ParseRow(NamedTuple):
    """One pipeline: accuracy, proper score, calibration and cost."""

    pipeline: str
    f1: float
    loss: Estimate
    calibration: Estimate
    slope: Estimate
    missed: float  # share of gold constituents that are all but excluded
    parses: float  # per sentence
    seconds: float  # per sentence


class Parsed(NamedTuple):
    """The results of all pipelines on the same sentences."""

    rows: list[ParseRow]
    pairs: Mapping[str, Pairs]
    facts: str


def tag_and_parse(plan: PipelinesPlan, progress: Progress) -> Parsed:
    """Train a tagger and a grammar on GUM, and run every pipeline on test sentences."""
    train, whole = plan.load_trees("gum", "train"), plan.load_trees("gum", "test")
    short = whole.up_to(plan.longest)
    test = short.take(range(0, len(short), plan.every))
    tagged = Corpus(train.words, train.tags)
    tagger = plan.tagger.fit(tagged)
    chain = tagger.posteriors(test.words)
    right = sum(
        a == b
        for one, two in zip(chain.mode, test.tags, strict=True)
        for a, b in zip(one, two, strict=True)
    )
    progress.say(f"GUM: {100 * right / test.tokens:.1f} % of tags are right")
    fitted = plan.grammar.fit(train)
    found = run_pipelines(plan, fitted, chain, tagged, test, progress)
    pairs = _ask(plan, fitted, test, found)
    rows = [_row(plan, name, found[name], pairs[name], test) for name in found]
    facts = (
        f"{len(train)} training and {len(test)} test sentences of at most {plan.longest} words, "
        f"{test.tokens} words, {100 * right / test.tokens:.1f} % of the best tags right"
    )
    return Parsed(rows, pairs, facts)


def _ask(
    plan: PipelinesPlan, fitted: FittedPCFG, test: Treebank, found: Mapping[str, Answered]
) -> dict[str, Pairs]:
    """The same questions to all: the labelled spans that any pipeline finds likely enough."""
    column = {label: at for at, label in enumerate(fitted.labels)}
    q: dict[str, list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]] = {n: [] for n in found}
    y, group = [], []
    for k, tree in enumerate(test.trees):
        begin, last = np.triu_indices(tree.size)
        row = {(int(a), int(b) + 1): at for at, (a, b) in enumerate(zip(begin, last, strict=True))}
        true = np.zeros((begin.size, len(column)), bool)
        for a, b, label in tree.spans:
            if label in column:
                true[row[a, b], column[label]] = True
        asked = np.max([each.q[k] for each in found.values()], axis=0) >= plan.floor
        y.append(true[asked])
        group += [str(k) if test.documents is None else test.documents[k]] * int(asked.sum())
        for name, each in found.items():
            q[name].append(each.q[k][asked])
    answer = np.concatenate(y)
    return {
        name: Pairs(answer, np.concatenate(each).clip(plan.least, 1 - plan.least), group=group)
        for name, each in q.items()
    }


def _row(plan: PipelinesPlan, name: str, found: Answered, pairs: Pairs, test: Treebank) -> ParseRow:
    loss, calibration = score(pairs, [LogLoss(), CalibScore(size=plan.size)])
    return ParseRow(
        pipeline=name,
        f1=100 * bracket_f1(test, found.trees).f1,
        loss=loss,
        calibration=calibration,
        slope=cox_slope(pairs),
        missed=float((pairs.q[pairs.y.astype(bool)] <= 10 * plan.least).mean()),
        parses=found.parses / len(test),
        seconds=found.seconds / len(test),
    )


def parse_section(plan: PipelinesPlan, parsed: Parsed) -> Section[ParseRow]:
    """A row for each pipeline."""
    return Section(
        name="parsing",
        title="A tagger, then a parser: what to hand on",
        columns={
            "pipeline": "tags",
            "f1": "F1",
            "loss": "log loss",
            "calibration": "CalibScore",
            "slope": "Cox slope",
            "missed": "gold excluded",
            "parses": "parses",
            "seconds": "seconds",
        },
        rows=parsed.rows,
        text=(
            f"{parsed.facts}. Labelled constituents that any pipeline gives a probability of "
            f"{plan.floor:g} or more; F1 of minimum-risk trees. “Gold excluded” is the share of "
            f"true ones with a probability of at most {10 * plan.least:g}. Parses and seconds "
            "are per sentence; equal tag sequences are parsed once."
        ),
    )


def compared_rows(plan: PipelinesPlan, parsed: Parsed) -> Iterator[str]:
    """The log loss of pipelines against that of the best tags, in words."""
    best = BEST.format(1)
    most = max(plan.few)
    for name in (BEST.format(most), DRAWN.format(most), ALL, WORDS):
        found = compare(parsed.pairs[best], parsed.pairs[name], LogLoss())
        ((first, _), difference) = next(iter(found.differences.items()))
        better = name if first == "b" else best
        text = f"Parsing: “{name}” against “{best}”: "
        if found.p_value < SHOWN:
            low, high = sorted(abs(end or 0.0) for end in (difference.low, difference.high))
            yield (
                f"{text}“{better}” has the smaller log loss, by {abs(difference.value):.3f} "
                f"[{low:.3f}, {high:.3f}] ({p_text(found.p_value)})."
            )
        else:
            yield f"{text}no difference of log loss is shown ({p_text(found.p_value)})."


def draw_costs(plan: PipelinesPlan, parsed: Parsed) -> Drawn:
    """Log loss against the number of tag sequences."""
    by_name = {row.pipeline: row for row in parsed.rows}
    x = np.array(plan.few, float)
    sweeps = {}
    for name, form in (("best", BEST), ("samples", DRAWN)):
        rows: Sequence[ParseRow] = [by_name[form.format(many)] for many in plan.few]
        sweeps[name] = Sweep(x, np.array([row.loss.value for row in rows]))
    for name, pipeline in (("all tags", ALL), ("no tagger", WORDS)):
        sweeps[name] = Sweep(x, np.full(x.size, by_name[pipeline].loss.value))
    axes = plot_sweep(sweeps, "tag sequences", "log loss of constituents")
    low = min(float(each.score.min()) for each in sweeps.values())
    high = max(float(each.score.max()) for each in sweeps.values())
    axes.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    axes.set_xscale("log")
    axes.set_xticks(x, [f"{each:g}" for each in x])
    axes.minorticks_off()
    return Drawn("parsing", "Log loss of constituents by the number of tag sequences", axes)
