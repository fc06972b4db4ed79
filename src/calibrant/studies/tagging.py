"""The studies of part-of-speech tagging: tweets, and text of the web."""

import itertools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.plots import Sweep, plot_dots, plot_panels, plot_sweep
from calibrant.results.estimate import Estimate
from calibrant.structures.query import Query
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.training import LBFGS
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs, TagPair
from calibrant.studies.figures import save_both
from calibrant.studies.judged import Judged, comparison_rows, judge
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.published import THESIS, Tagger
from calibrant.studies.sections import Cell, Section, Study, write_report
from calibrant.studies.taggers import ADDED, MAIN, Parts, Tagged, fit_all
from calibrant.verbs import ask, curve, score

NEIGHBOURS = 100  # how many pairs of tags are asked about
SLOPE = "A Cox slope below 1 says that predictions are too extreme, above 1 too timid."
STRENGTHS = (0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True)
class Plan:
    """A study: its corpus, its question, its bins, and whether L2 is varied."""

    name: str
    title: str
    corpus: str
    tag: str
    size: int
    published: str  # what the thesis's numbers are of
    vary_l2: bool

    @property
    def score(self) -> CalibScore:
        """What calibration is measured by."""
        return CalibScore(size=self.size)

    @property
    def thesis(self) -> Mapping[str, Tagger]:
        """The thesis's numbers by model."""
        return THESIS[self.name]


TWITTER = Plan(
    "twitter-pos", "Part-of-speech tagging of tweets", "ark", "V", 400, "tweets", vary_l2=True
)
WEB = Plan(
    "web-pos", "Part-of-speech tagging of web text", "ud-ewt", "NN", 1000, "WSJ", vary_l2=False
)


def run_tagging(
    plan: Plan, out: str | Path, track: Track = quietly, say: Say = lambda text: None
) -> Study:
    """Train the taggers, ask them, and write tables and figures to a folder."""
    begin, out = time.perf_counter(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parts = Parts.of(plan.corpus)
    fits = fit_all(MAIN | ADDED, parts, track, say)
    judged = {
        name: judge(fit, ask(fit.chain, parts.test, TagIs(plan.tag)), plan.score)
        for name, fit in track(fits.items(), len(fits), "Scoring")
    }
    main = {name: fits[name] for name in MAIN}
    sections = [
        _models(plan, parts, {name: judged[name] for name in MAIN}),
        comparison_rows({name: judged[name].pairs for name in MAIN}, plan.score),
        _ablation(parts, judged),
        _queries(plan, parts, main),
    ]
    tags = _tags(plan, parts, main, track)
    neighbours = _neighbours(plan, parts, main, track)
    sections += [tags, neighbours, _predictions({name: judged[name].pairs for name in MAIN})]
    figures = _figures(plan, out, judged, tags)
    if plan.vary_l2:
        strengths = _strengths(plan, parts, track, say)
        sections.append(strengths)
        figures |= _draw_strengths(plan, out, strengths)
    findings = _findings(plan, judged, sections[1], tags, neighbours)
    facts = {
        "study": plan.name,
        "corpus": f"{parts.train}, {parts.dev}, {parts.test}",
        "query": f"TagIs({plan.tag!r})",
        "score": str(plan.score),
        "signature": judged["HMM"].calibration.signature,
        "seconds": round(time.perf_counter() - begin, 1),
    }
    written = write_report(out, plan.title, sections, figures, facts, findings)
    say(f"{len(written) + 2 * len(figures)} files in {out}, {facts['seconds']} s")
    return Study(sections, findings, written)


def _models(plan: Plan, parts: Parts, judged: Mapping[str, Judged]) -> Section:
    where = f"thesis, {plan.published}"
    rows = [
        (
            name, each.fit.accuracy(parts.test), each.calibration, each.calibration.plugin,
            each.slope, each.refinement, each.brier,
            plan.thesis[name].accuracy, plan.thesis[name].score,
        )
        for name, each in judged.items()
    ]  # fmt: skip
    return Section(
        "models",
        f"The three taggers, asked whether a word is {plan.tag}",
        ("model", "accuracy", "CalibScore", "plug-in", "Cox slope", "refinement", "Brier",
         f"accuracy ({where})", f"CalibScore ({where})"),
        rows,
        f"CalibScore is debiased, with a 95 % interval; the thesis printed the plug-in. {SLOPE}",
    )  # fmt: skip


def _ablation(parts: Parts, judged: Mapping[str, Judged]) -> Section:
    rows = [
        (name, each.fit.accuracy(parts.test), each.calibration, each.calibration.plugin,
         each.refinement, each.fit.passes, round(each.fit.seconds, 1))
        for name, each in judged.items()
    ]  # fmt: skip
    return Section(
        "ablation",
        "One family of features at a time, and the HMM's rule for rare words",
        ("model", "accuracy", "CalibScore", "plug-in", "refinement", "passes", "seconds"),
        rows,
    )


def _queries(plan: Plan, parts: Parts, fits: Mapping[str, Tagged]) -> Section:
    """One tag, two neighbouring tags, and every tag at once."""
    first, second = next(pair for pair in _common_pairs(parts) if plan.tag in pair)
    queries: list[Query] = [TagIs(plan.tag), TagPair(first, second), EveryTag()]
    rows: list[tuple[Cell, ...]] = []
    for query in queries:
        for name, fit in fits.items():
            pairs = ask(fit.chain, parts.test, query)
            found = score(pairs, plan.score)
            rows.append((str(query), name, int(pairs.n), found, found.plugin))
    return Section(
        "queries",
        "One tag, two neighbouring tags, every tag",
        ("query", "model", "questions", "CalibScore", "plug-in"),
        rows,
    )


def _tags(plan: Plan, parts: Parts, fits: Mapping[str, Tagged], track: Track) -> Section:
    """The calibration of every tag that some model knows, the most frequent first."""
    counts = Counter(tag for sentence in parts.test.tags for tag in sentence)
    tags = sorted(fits["HMM"].chain.tags, key=lambda tag: (-counts[tag], tag))
    rows: list[tuple[Cell, ...]] = []
    for tag in track(tags, len(tags), "Every tag"):
        found = [score(ask(fit.chain, parts.test, TagIs(tag)), plan.score) for fit in fits.values()]
        rows.append((tag, counts[tag], *found))
    return Section(
        "tags", "Every tag", ("tag", "in test", *fits), rows, "CalibScore, debiased, of each tag."
    )


def _common_pairs(parts: Parts) -> list[tuple[str, str]]:
    """Pairs of neighbouring tags, the most frequent of the training sentences first."""
    seen = Counter(pair for each in parts.train.tags for pair in itertools.pairwise(each))
    return [pair for pair, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))]


def _neighbours(plan: Plan, parts: Parts, fits: Mapping[str, Tagged], track: Track) -> Section:
    """The calibration of the most frequent pairs of neighbouring tags."""
    wanted = _common_pairs(parts)[:NEIGHBOURS]
    rows: list[tuple[Cell, ...]] = []
    for first, second in track(wanted, len(wanted), "Neighbouring tags"):
        asked = [ask(fit.chain, parts.test, TagPair(first, second)) for fit in fits.values()]
        found = [score(pairs, plan.score, interval=None).value for pairs in asked]
        rows.append((f"{first} {second}", int(asked[0].y.sum()), *found))
    return Section(
        "neighbours",
        f"The {len(wanted)} most frequent pairs of neighbouring tags",
        ("tags", "in test", *fits),
        rows,
        "CalibScore, debiased.",
    )


def _predictions(pairs: Mapping[str, Pairs]) -> Section:
    """How the predictions are distributed, in twenty intervals."""
    edges = np.linspace(0, 1, 21)
    shares = [np.histogram(each.q, edges)[0] / each.n for each in pairs.values()]
    rows: list[tuple[Cell, ...]] = [
        (f"{edges[k]:.2f} to {edges[k + 1]:.2f}", *(float(share[k]) for share in shares))
        for k in range(20)
    ]
    return Section(
        "predictions", "The distribution of the predictions", ("q", *pairs), rows,
        "The share of questions whose prediction lies there.",
    )  # fmt: skip


def _strengths(plan: Plan, parts: Parts, track: Track, say: Say) -> Section:
    """What the strength of L2 does to CRF-Advanced, trained to the minimum of its objective."""
    models = {f"{l2:g}": CRF(l2=l2, training=LBFGS()) for l2 in STRENGTHS}
    rows: list[tuple[Cell, ...]] = []
    for name, fit in fit_all(dict(models), parts, track, lambda text: say(f"l2 = {text}")).items():
        each = judge(fit, ask(fit.chain, parts.test, TagIs(plan.tag)), plan.score)
        rows.append(
            (float(name), fit.accuracy(parts.test), each.calibration, each.calibration.plugin,
             each.slope, each.refinement)
        )  # fmt: skip
    return Section(
        "l2",
        "The strength of L2 and CRF-Advanced",
        ("l2", "accuracy", "CalibScore", "plug-in", "Cox slope", "refinement"),
        rows,
        f"Trained by L-BFGS to the minimum of the objective, without early stopping. {SLOPE}",
    )


def _figures(plan: Plan, out: Path, judged: Mapping[str, Judged], tags: Section) -> dict[str, Path]:
    bins = AdaptiveBins(size=plan.size)
    panels = plot_panels({name: curve(judged[name].pairs, bins) for name in MAIN})
    dots = {name: [row[2 + k] for row in tags.rows] for k, name in enumerate(MAIN)}
    labels = [f"{row[0]} ({row[1]})" for row in tags.rows]
    drawn = {
        f"Calibration of {plan.tag}: frequency against prediction, bins of {plan.size}": (
            "curves", panels[0]
        ),
        "Calibration of every tag (and how often it occurs)": (
            "tags", plot_dots(labels, _estimates(dots), "CalibScore")
        ),
    }  # fmt: skip
    return save_both(out, drawn)


def _estimates(found: Mapping[str, Sequence[object]]) -> dict[str, list[Estimate]]:
    return {name: [e for e in each if isinstance(e, Estimate)] for name, each in found.items()}


def _draw_strengths(plan: Plan, out: Path, strengths: Section) -> dict[str, Path]:
    x = np.array([row[0] for row in strengths.rows], float)
    found = [row[2] for row in strengths.rows if isinstance(row[2], Estimate)]
    value, low, high = (np.array([getattr(e, name) for e in found], float)
                        for name in ("value", "low", "high"))  # fmt: skip
    ax = plot_sweep({"CRF-Advanced": Sweep(x, value, low, high)}, "strength of L2", "CalibScore")
    ax.set_xscale("log")
    return save_both(out, {f"L2 and the calibration of {plan.tag}": ("l2", ax)})


def _findings(
    plan: Plan, judged: Mapping[str, Judged], compared: Section, tags: Section, pairs: Section
) -> list[str]:
    said = [f"{name}: CalibScore {judged[name].calibration.text('value')} "
            f"{judged[name].calibration.interval}." for name in MAIN]  # fmt: skip
    said += [str(row[-1]) for row in compared.rows]
    for what, section in (("tags", tags), ("pairs of tags", pairs)):
        hmm, basic = (np.array([float(row[k]) for row in section.rows]) for k in (2, 3))  # type: ignore[arg-type]
        better = int((basic < hmm).sum())
        said.append(
            f"CRF-Basic is better calibrated than the HMM on {better} of {len(hmm)} {what}."
        )
    return said
