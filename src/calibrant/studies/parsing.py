"""The study of parsing: grammars asked about constituents, of many genres and of biomedicine."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.corpora import SpanF1, Treebank, bracket_f1, load_treebank
from calibrant.curves import AdaptiveBins
from calibrant.models import PCFG
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.posteriors import Tree
from calibrant.queries import HasConstituent
from calibrant.scores import CalibScore
from calibrant.studies.figures import save_both
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.sections import Cell, Section, Study, write_report
from calibrant.verbs import ask, curve, describe, score

PLAIN, MARKOV = "plain", "markovised"
GRAMMARS = {PLAIN: PCFG(horizontal=None, vertical=1), MARKOV: PCFG()}
SIZE = 400  # of bins
SCORE = CalibScore(size=SIZE)
LABELS = 12  # how many of the most frequent are told apart
FEWEST = 100  # constituents asked about below which nothing is said
SPAN_LENGTHS = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 40))
SENTENCE_LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40))
LONGEST = 40
SMALL = {"train": 4000, "test": 150}  # sentences of craft unless the whole is asked for


@dataclass(frozen=True, eq=False)
class Parsed:
    """What one grammar believes about the test sentences of one treebank."""

    corpus: str
    model: str
    tree: Tree
    test: Treebank
    f1: SpanF1
    safest: SpanF1
    pairs: Pairs  # of constituents of any label


def run_parsing(
    out: str | Path,
    full: bool = False,
    track: Track = quietly,
    say: Say = lambda text: None,
    load: Callable[[str, str], Treebank] = load_treebank,
) -> Study:
    """Fit the grammars, ask them, and write tables and figures to a folder.

    Test sentences have at most 40 words. Of craft, which is large, some sentences are taken, at
    equal distances, unless `full`.
    """
    begin, out = time.perf_counter(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parsed: list[Parsed] = []
    taken: dict[str, str] = {}
    for corpus in ("gum", "craft"):
        small = corpus == "craft" and not full
        train, test, taken[corpus] = _parts(load, corpus, small)
        for model in track(GRAMMARS, len(GRAMMARS), f"Parsing {corpus}"):
            parsed.append(_parse(corpus, model, train, test, say))
    sections = [_models(parsed), _labels(parsed), _span_lengths(parsed), _sentence_lengths(parsed)]
    figures = _figures(out, parsed)
    findings = _findings(parsed, sections[1])
    facts = {
        "study": "parsing",
        **{f"corpus {name}": words for name, words in taken.items()},
        "query": str(HasConstituent()),
        "score": str(SCORE),
        "grammars": {name: str(model) for name, model in GRAMMARS.items()},
        "seconds": round(time.perf_counter() - begin, 1),
    }
    title = "Parsing: are constituents as probable as grammars say?"
    written = write_report(out, title, sections, figures, facts, findings)
    say(f"{len(written) + 2 * len(figures)} files in {out}, {facts['seconds']} s")
    return Study(sections, findings, written)


def _parts(
    load: Callable[[str, str], Treebank], corpus: str, small: bool
) -> tuple[Treebank, Treebank, str]:
    train, whole = load(corpus, "train"), load(corpus, "test")
    test = whole.up_to(LONGEST)
    if small:
        train, test = (
            each.take(range(0, len(each), max(1, len(each) // SMALL[part])))
            for part, each in (("train", train), ("test", test))
        )
    said = (
        f"{len(train)} training and {len(test)} test sentences of at most {LONGEST} words, of "
        f"{len(whole)} test sentences"
    )
    return train, test, said


def _parse(corpus: str, model: str, train: Treebank, test: Treebank, say: Say) -> Parsed:
    begin = time.perf_counter()
    tree = GRAMMARS[model].fit(train).posteriors(test)
    f1, safest = bracket_f1(test, tree.mode), bracket_f1(test, tree.minimum_risk())
    found = Parsed(corpus, model, tree, test, f1, safest, ask(tree, test, HasConstituent()))
    say(
        f"{corpus}, {model}: F1 {100 * f1.f1:.2f}, {int(tree.fell_back.sum())} sentences by the "
        f"fallback, {time.perf_counter() - begin:.0f} s"
    )
    return found


def _models(parsed: Sequence[Parsed]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for each in parsed:
        calibration = score(each.pairs, SCORE)
        rows.append(
            (each.corpus, each.model, 100 * each.f1.f1, 100 * each.safest.f1, len(each.tree),
             int(each.tree.fell_back.sum()), int(each.pairs.n), calibration, calibration.plugin,
             describe(each.pairs).slope)
        )  # fmt: skip
    return Section(
        "models",
        "The grammars, asked whether there is a constituent",
        ("corpus", "grammar", "F1", "F1, safest", "sentences", "by the fallback", "questions",
         "CalibScore", "plug-in", "Cox slope"),
        rows,
        "F1 as EVALB counts, in per cent, of the most probable parse, and of the tree that can be "
        "expected to have most right. CalibScore is debiased, with a 95 % interval; spans of any "
        "label are asked about from a probability of 0.001 on. A Cox slope below 1 says that "
        "predictions are too extreme.",
    )  # fmt: skip


def _labels(parsed: Sequence[Parsed]) -> Section:
    """The calibration of the most frequent labels."""
    rows: list[tuple[Cell, ...]] = []
    for corpus, models in _by_corpus(parsed).items():
        test = models[0].test
        seen = Counter(span.type for tree in test.trees for span in tree.spans)
        known = [label for label, _ in seen.most_common() if label in models[-1].tree.labels]
        for label in known[:LABELS]:
            cells = [_score(_asked(each, label)) for each in models]
            rows.append((corpus, label, seen[label], *cells))
    return Section(
        "labels", "Every label", ("corpus", "label", "in test", *GRAMMARS), rows,
        "CalibScore, debiased, with a 95 % interval; empty where fewer than "
        f"{FEWEST} spans are asked about.",
    )  # fmt: skip


def _span_lengths(parsed: Sequence[Parsed]) -> Section:
    def spans(each: Parsed) -> NDArray[Any]:
        places = HasConstituent().where(each.tree)
        return places.end - places.begin

    return _by_length(parsed, spans, SPAN_LENGTHS, "spans", "words of the span")


def _sentence_lengths(parsed: Sequence[Parsed]) -> Section:
    def sentences(each: Parsed) -> NDArray[Any]:
        return each.tree.lengths[HasConstituent().where(each.tree).sentence]

    return _by_length(parsed, sentences, SENTENCE_LENGTHS, "sentences", "words of the sentence")


def _by_length(
    parsed: Sequence[Parsed],
    measure: Callable[[Parsed], NDArray[Any]],
    bounds: Sequence[tuple[int, int]],
    name: str,
    what: str,
) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for corpus, models in _by_corpus(parsed).items():
        measured = [measure(each) for each in models]
        for low, high in bounds:
            parts = zip(models, measured, strict=True)
            within = [(each, np.flatnonzero((n >= low) & (n <= high))) for each, n in parts]
            cells = [_score(each.pairs.take(chosen)) for each, chosen in within]
            rows.append((corpus, str(low) if low == high else f"{low} to {high}", *cells))
    return Section(
        name, f"By the {what}", ("corpus", what, *GRAMMARS), rows,
        "CalibScore, debiased, with a 95 % interval; constituents of any label.",
    )  # fmt: skip


def _asked(each: Parsed, label: str) -> Pairs | None:
    """The answers about a label; None where no span is likely enough."""
    query = HasConstituent(label)
    if label not in each.tree.labels or query.where(each.tree).q.size == 0:
        return None
    return ask(each.tree, each.test, query)


def _score(pairs: Pairs | None) -> Cell:
    """The score of some pairs; None where there are too few of them."""
    if pairs is None or pairs.n < FEWEST or pairs.groups < 2:
        return None
    return score(pairs, SCORE)


def _by_corpus(parsed: Sequence[Parsed]) -> Mapping[str, list[Parsed]]:
    found: dict[str, list[Parsed]] = {}
    for each in parsed:
        found.setdefault(each.corpus, []).append(each)
    return found


def _figures(out: Path, parsed: Sequence[Parsed]) -> dict[str, Path]:
    bins = AdaptiveBins(size=SIZE)
    panels = plot_panels({f"{each.corpus}, {each.model}": curve(each.pairs, bins)
                          for each in parsed})  # fmt: skip
    words = f"Calibration of constituents: frequency against prediction, bins of {SIZE}"
    return save_both(out, {words: ("curves", panels[0])})


def _findings(parsed: Sequence[Parsed], labels: Section) -> list[str]:
    said = []
    for corpus, (plain, markov) in _by_corpus(parsed).items():
        gain = 100 * (markov.f1.f1 - plain.f1.f1)
        said.append(
            f"{corpus}: F1 is {100 * markov.f1.f1:.1f} with memories and {100 * plain.f1.f1:.1f} "
            f"without, a difference of {gain:.1f} points."
        )
        for each in (plain, markov):
            found, slope = score(each.pairs, SCORE), describe(each.pairs).slope
            lean = "too extreme" if slope.value < 1 else "too timid"
            said.append(
                f"{corpus}, {each.model}: CalibScore {found.text('value')} {found.interval}; "
                f"predictions are {lean} (Cox slope {slope.text('value')} {slope.interval})."
            )
        better = [
            row for row in labels.rows
            if row[0] == corpus and row[3] is not None and row[4] is not None
        ]  # fmt: skip
        many = sum(float(row[4]) < float(row[3]) for row in better)  # type: ignore[arg-type]
        said.append(
            f"{corpus}: the markovised grammar is better calibrated on {many} of {len(better)} "
            "labels."
        )
    return said
