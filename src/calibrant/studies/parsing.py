"""The study of parsing: grammars asked about constituents, of many genres and of biomedicine."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.calibration.analyses.description import cox_slope
from calibrant.calibration.curves import AdaptiveBins
from calibrant.calibration.scores import CalibScore
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.plots.dots import plot_dots
from calibrant.results.estimate import Estimate
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.parse import ROOTS
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.compared import COLUMNS, compared
from calibrant.studies.figures import save_both
from calibrant.studies.parsers import GRAMMARS, MARKOV, PLAIN, Parsed, Parsers, parse_corpus
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.sections import Cell, Section, Study, write_report
from calibrant.verbs import ask, curve, score

SIZE, ABOVE = 400, 0.1
WHOLE, UPPER = CalibScore(size=SIZE), CalibScore(size=SIZE, above=ABOVE)
LABELS = 12  # how many of the most frequent are told apart
FEWEST = 100  # constituents asked about below which nothing is said
SPAN_LENGTHS = ((1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 40))
SENTENCE_LENGTHS = ((1, 10), (11, 20), (21, 30), (31, 40))
SCORED = "CalibScore, debiased, with a 95 % interval over documents"


def run_parsing(
    out: str | Path,
    full: bool = False,
    track: Track = quietly,
    say: Say = lambda text: None,
    load: Callable[[str, str], Treebank] = load_treebank,
) -> Study:
    """Fit the grammars, ask them, and write tables and figures to a folder.

    Test sentences have at most 40 words. Of craft, which is large, every fifth is taken unless
    `full`.
    """
    begin, out = time.perf_counter(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    parsed = [parse_corpus(corpus, full, load, track, say) for corpus in ("gum", "craft")]
    models, compared = _models(parsed), _comparisons(parsed)
    labels = _labels(parsed, track)
    spans, sentences = _span_lengths(parsed), _sentence_lengths(parsed)
    sections = [models, compared, labels, spans, sentences, _predictions(parsed)]
    figures = _figures(out, parsed, labels, spans, sentences)
    findings = _findings(parsed, models, compared, labels)
    facts = {
        "study": "parsing",
        **{f"corpus {each.corpus}": each.taken for each in parsed},
        "query": str(HasConstituent()),
        "score": f"{WHOLE}, {UPPER}",
        "grammars": {name: str(model) for name, model in GRAMMARS.items()},
        "seconds": round(time.perf_counter() - begin, 1),
    }
    title = "Parsing: are constituents as probable as grammars say?"
    written = write_report(out, title, sections, figures, facts, findings)
    say(f"{len(written) + 2 * len(figures)} files in {out}, {facts['seconds']} s")
    return Study(sections, findings, written)


def _models(parsed: Sequence[Parsers]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for corpus in parsed:
        true = _true(corpus.test)
        for name, each in corpus.models.items():
            whole, upper = score(each.pairs, WHOLE), score(each.pairs, UPPER)
            q = each.pairs.q
            rows.append((
                corpus.corpus, name, 100 * each.f1.f1, 100 * each.safest.f1, len(each.tree),
                int(each.tree.fell_back.sum()), int(each.pairs.n),
                float(1 - each.pairs.y.sum() / true), whole, whole.plugin, upper, upper.plugin,
                float((q > ABOVE).mean()), float(q.mean()), float(each.pairs.y.mean()),
                cox_slope(each.pairs),
            ))  # fmt: skip
    return Section(
        "models",
        "The grammars, asked whether there is a constituent",
        ("corpus", "grammar", "F1", "F1, safest", "sentences", "by the fallback", "questions",
         "true ones not asked", "CalibScore", "plug-in", f"CalibScore, q > {ABOVE:g}",
         f"plug-in, q > {ABOVE:g}", f"share q > {ABOVE:g}", "mean q", "frequency", "Cox slope"),
        rows,
        "F1 as EVALB counts, in per cent, of the most probable parse, and of the tree that can be "
        f"expected to have most right. {SCORED}; spans of any label are asked about from a "
        f"probability of {HasConstituent().floor:g} on, which leaves out a share of the true ones. "
        "A Cox slope below 1 says that predictions are too extreme.",
    )  # fmt: skip


def _true(test: Treebank) -> int:
    """How many spans are constituents of some label."""
    return sum(
        len({span[:2] for span in tree.spans if span.type not in ROOTS}) for tree in test.trees
    )


def _comparisons(parsed: Sequence[Parsers]) -> Section:
    """The grammars on the same spans: those that either of them gives the floor's probability."""
    rows: list[tuple[Cell, ...]] = []
    every = HasConstituent(floor=0.0)
    for corpus in parsed:
        asked = {name: ask(each.tree, corpus.test, every) for name, each in corpus.models.items()}
        for where, floor in (("", HasConstituent().floor), (f" above {ABOVE:g}", ABOVE)):
            kept = np.flatnonzero(np.any([each.q >= floor for each in asked.values()], axis=0))
            same = {name: each.take(kept) for name, each in asked.items()}
            found = compared(same, WHOLE, f"{corpus.corpus}{where}")
            rows.append((corpus.corpus, floor, int(kept.size), *found))
    return Section(
        "comparisons", "Paired comparisons",
        ("corpus", "either q from", "spans", *COLUMNS),
        rows,
        "The CalibScore of the better less that of the worse, on the same spans, those that either "
        "grammar gives at least the probability shown, with a 95 % interval over documents.",
    )  # fmt: skip


def _labels(parsed: Sequence[Parsers], track: Track) -> Section:
    """The calibration and F1 of the most frequent labels."""
    rows: list[tuple[Cell, ...]] = []
    todo = [(corpus, label, many) for corpus in parsed for label, many in _common(corpus)]
    for corpus, label, many in track(todo, len(todo), "Every label"):
        models = corpus.models.values()
        types = [each.f1.types.get(label) for each in models]
        f1 = [None if found is None else 100 * found.f1 for found in types]
        cells = [_score(_asked(each, label)) for each in models]
        rows.append((corpus.corpus, label, many, *f1, *cells))
    return Section(
        "labels", "Every label",
        ("corpus", "label", "in test", *(f"F1, {name}" for name in GRAMMARS), *GRAMMARS), rows,
        "F1 in per cent, of the most probable parse, where EVALB knows the label (PRT is ADVP). "
        f"{SCORED}; empty where fewer than {FEWEST} spans are asked about.",
    )  # fmt: skip


def _common(corpus: Parsers) -> list[tuple[str, int]]:
    seen = Counter(span.type for tree in corpus.test.trees for span in tree.spans)
    known = corpus.models[MARKOV].tree.labels
    return [(label, many) for label, many in seen.most_common() if label in known][:LABELS]


def _span_lengths(parsed: Sequence[Parsers]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for corpus in parsed:
        for low, high in SPAN_LENGTHS:
            cells = []
            for each in corpus.models.values():
                places = HasConstituent().where(each.tree)
                cells.append(_within(each.pairs, places.end - places.begin, low, high))
            rows.append((corpus.corpus, _range(low, high), *cells))
    return Section(
        "spans", "By the words of the span", ("corpus", "words", *GRAMMARS), rows,
        f"{SCORED}; constituents of any label.",
    )  # fmt: skip


def _sentence_lengths(parsed: Sequence[Parsers]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for corpus in parsed:
        for low, high in SENTENCE_LENGTHS:
            sizes = np.array([tree.size for tree in corpus.test.trees])
            chosen = np.flatnonzero((sizes >= low) & (sizes <= high)).tolist()
            f1, cells = [], []
            for each in corpus.models.values():
                gold, said = (
                    [its[k] for k in chosen] for its in (corpus.test.trees, each.mode)
                )  # fmt: skip
                f1.append(100 * bracket_f1(gold, said).f1 if chosen else None)
                asked = each.tree.lengths[HasConstituent().where(each.tree).sentence]
                cells.append(_within(each.pairs, asked, low, high))
            rows.append((corpus.corpus, _range(low, high), len(chosen), *f1, *cells))
    return Section(
        "sentences", "By the words of the sentence",
        ("corpus", "words", "sentences", *(f"F1, {name}" for name in GRAMMARS), *GRAMMARS), rows,
        f"F1 in per cent, of the most probable parse. {SCORED}; constituents of any label.",
    )  # fmt: skip


def _predictions(parsed: Sequence[Parsers]) -> Section:
    """What was said and what happened, in ranges of the predictions."""
    edges = np.array([HasConstituent().floor, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0])
    rows: list[tuple[Cell, ...]] = []
    for corpus in parsed:
        for name, each in corpus.models.items():
            y, q = each.pairs.y, each.pairs.q
            at = np.clip(np.searchsorted(edges, q, side="right") - 1, 0, edges.size - 2)
            for k in range(edges.size - 1):
                inside = at == k
                if inside.any():
                    means = (float(q[inside].mean()), float(y[inside].mean()))
                    words = f"{edges[k]:g} to {edges[k + 1]:g}"
                    rows.append((corpus.corpus, name, words, int(inside.sum()), *means))
    return Section(
        "predictions", "What was said and what happened",
        ("corpus", "grammar", "q", "spans", "mean q", "frequency"), rows,
        "Constituents of any label, in fixed ranges of the predictions.",
    )  # fmt: skip


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _within(pairs: Pairs, measured: NDArray[Any], low: int, high: int) -> Cell:
    return _score(pairs.take(np.flatnonzero((measured >= low) & (measured <= high))))


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
    return score(pairs, WHOLE)


def _figures(
    out: Path, parsed: Sequence[Parsers], labels: Section, spans: Section, sentences: Section
) -> dict[str, Path]:
    bins = AdaptiveBins(size=SIZE)
    curves = {f"{corpus.corpus}, {name}": curve(each.pairs, bins)
              for corpus in parsed for name, each in corpus.models.items()}  # fmt: skip
    words = f"Calibration of constituents: frequency against prediction, bins of {SIZE}"
    drawn = {words: ("curves", plot_panels(curves, columns=2)[0])}
    for what, section, unit in (
        ("Calibration of every label", labels, ""),
        ("Calibration by the length of spans", spans, " words"),
        ("Calibration by the length of sentences", sentences, " words"),
    ):
        rows = [row for row in section.rows if all(isinstance(e, Estimate) for e in row[-2:])]
        if rows:
            names = [f"{row[0]}, {row[1]}{unit[:-1] if row[1] == '1' else unit}" for row in rows]
            scores = {name: [row[k - 2] for row in rows] for k, name in enumerate(GRAMMARS)}
            drawn[what] = (section.name, plot_dots(names, scores, "CalibScore"))  # type: ignore[arg-type]
    return save_both(out, drawn)


def _findings(
    parsed: Sequence[Parsers], models: Section, compared: Section, labels: Section
) -> list[str]:
    said = []
    for corpus in parsed:
        plain, markov = (100 * corpus.models[name].f1.f1 for name in (PLAIN, MARKOV))
        said.append(
            f"{corpus.corpus}: F1 is {markov:.1f} with memories and {plain:.1f} without, a "
            f"difference of {markov - plain:.1f} points."
        )
        for record in models.records():
            if record["corpus"] == corpus.corpus:
                said.append(_reliable(record))
        said += [str(row[-1]) for row in compared.rows if row[0] == corpus.corpus]
        both = [row[-2:] for row in labels.rows
                if row[0] == corpus.corpus and None not in row[-2:]]  # fmt: skip
        many = sum(float(after) < float(before) for before, after in both)  # type: ignore[arg-type]
        said.append(
            f"{corpus.corpus}: the markovised grammar has the smaller score on {many} of "
            f"{len(both)} labels."
        )
    return said


def _reliable(record: dict[str, Any]) -> str:
    """What the scores of all spans and of the upper ones show, and the slope."""
    parts = []
    for where, name in (("", "CalibScore"), (f" above {ABOVE:g}", f"CalibScore, q > {ABOVE:g}")):
        low, high = record[f"{name} low"], record[f"{name} high"]
        words = "could be 0" if low == 0 else "not 0"
        parts.append(f"{record[name]:.4f} [{low:.4f}, {high:.4f}]{where} ({words})")
    slope, low, high = (record[f"Cox slope{end}"] for end in ("", " low", " high"))
    lean = (
        "too extreme" if high < 1 else "too timid" if low > 1 else "neither too extreme nor timid"
    )
    return (
        f"{record['corpus']}, {record['grammar']}: CalibScore {' and '.join(parts)}; predictions "
        f"are {lean} (Cox slope {slope:.2f} [{low:.2f}, {high:.2f}])."
    )
