"""The study of parsing: queries about constituents, in many genres and in biomedicine."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.calibration.curves import AdaptiveBins
from calibrant.plots import plot_dots, plot_panels
from calibrant.results.estimate import Estimate
from calibrant.structures.trees.queries import HasConstituent
from calibrant.studies.parsing import tables
from calibrant.studies.parsing.parsers import Parsers, parse_corpus
from calibrant.studies.parsing.plan import ParsingPlan
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section, Study
from calibrant.studies.writing import run_study
from calibrant.verbs import curve


def run_parsing(plan: ParsingPlan, folder: str | Path, progress: Progress = QUIET) -> Study:
    """Fit and query the grammars; write tables and figures to a folder."""
    return run_study(folder, progress, lambda: _look(plan, progress))


def _look(plan: ParsingPlan, progress: Progress) -> Draft:
    parsed = [parse_corpus(plan, corpus, progress) for corpus in plan.corpora]
    models, compared = tables.models(plan, parsed), tables.comparisons(plan, parsed)
    labels = tables.labels(plan, parsed, progress)
    spans, sentences = tables.span_lengths(plan, parsed), tables.sentence_lengths(plan, parsed)
    predictions = tables.predictions(plan, parsed)
    figures = [
        _draw_curves(plan, parsed),
        *_draw_dots(labels.name, "Calibration of every label", _of_labels(labels)),
        *_draw_dots(spans.name, "Calibration by the length of spans", _of_lengths(spans)),
        *_draw_dots(
            sentences.name, "Calibration by the length of sentences", _of_lengths(sentences)
        ),
    ]
    return Draft(
        title="Parsing: are constituents as probable as grammars say?",
        sections=[models, compared, labels, spans, sentences, predictions],
        findings=list(_findings(plan, models, compared, labels)),
        facts={
            "study": "parsing",
            **{f"corpus {each.corpus}": each.taken for each in parsed},
            "query": str(HasConstituent()),
            "score": f"{plan.whole}, {plan.upper}",
            "grammars": {name: str(model) for name, model in plan.grammars.items()},
        },
        figures=figures,
    )


def _draw_curves(plan: ParsingPlan, parsed: Sequence[Parsers]) -> Drawn:
    bins = AdaptiveBins(size=plan.size)
    curves = {
        f"{corpus.corpus}, {name}": curve(each.pairs, bins)
        for corpus in parsed
        for name, each in corpus.models.items()
    }
    words = f"Calibration of constituents: frequency against prediction, bins of {plan.size}"
    return Drawn("curves", words, plot_panels(curves, columns=2)[0])


class Dots(NamedTuple):
    """One row of a dot plot."""

    label: str
    scores: Mapping[str, Estimate]


def _of_labels(labels: Section[tables.LabelRow]) -> list[Dots]:
    found = [(f"{row.corpus}, {row.label}", _complete(row.scores)) for row in labels.rows]
    return [Dots(label, scores) for label, scores in found if scores]


def _of_lengths(lengths: Section[tables.LengthRow]) -> list[Dots]:
    found = [
        (f"{row.corpus}, {row.words} word{'' if row.words == '1' else 's'}", _complete(row.scores))
        for row in lengths.rows
    ]
    return [Dots(label, scores) for label, scores in found if scores]


def _complete(scores: Mapping[str, Estimate | None]) -> dict[str, Estimate]:
    """The scores of all grammars; empty if one is missing."""
    found = {name: each for name, each in scores.items() if each is not None}
    return found if len(found) == len(scores) else {}


def _draw_dots(name: str, words: str, rows: list[Dots]) -> list[Drawn]:
    if not rows:
        return []
    scores = {model: [row.scores[model] for row in rows] for model in rows[0].scores}
    return [Drawn(name, words, plot_dots([row.label for row in rows], scores, "CalibScore"))]


def _findings(
    plan: ParsingPlan,
    models: Section[tables.ModelRow],
    compared: Section[tables.ComparisonRow],
    labels: Section[tables.LabelRow],
) -> Iterator[str]:
    for corpus in plan.corpora:
        mine = [row for row in models.rows if row.corpus == corpus]
        plain, markov = (row.f1 for row in mine)
        yield (
            f"{corpus}: F1 is {markov:.1f} with memories and {plain:.1f} without, a difference of "
            f"{markov - plain:.1f} points."
        )
        yield from (_reliable(plan, row) for row in mine)
        yield from (row.compared.words for row in compared.rows if row.corpus == corpus)
        yield _on_labels(plan, corpus, labels)


def _on_labels(plan: ParsingPlan, corpus: str, labels: Section[tables.LabelRow]) -> str:
    plain, markov = plan.grammars
    both = [_complete(row.scores) for row in labels.rows if row.corpus == corpus]
    told = [each for each in both if each]
    better = sum(float(each[markov]) < float(each[plain]) for each in told)
    return (
        f"{corpus}: the {markov} grammar has the smaller score on {better} of {len(told)} labels."
    )


def _reliable(plan: ParsingPlan, row: tables.ModelRow) -> str:
    """Describe the scores of all spans and of those above the bound, and the slope."""
    parts = [
        f"{each.value:.4f} [{each.low:.4f}, {each.high:.4f}]{where} "
        f"({'no error shown' if each.low == 0 else 'not 0'})"
        for where, each in (("", row.whole), (f" above {plan.above:g}", row.upper))
    ]
    slope = row.slope
    return (
        f"{row.corpus}, {row.grammar}: CalibScore {' and '.join(parts)}; predictions are "
        f"{_lean(slope)} (Cox slope {slope.value:.2f} [{slope.low:.2f}, {slope.high:.2f}])."
    )


def _lean(slope: Estimate) -> str:
    if slope.high is not None and slope.high < 1:
        return "too extreme"
    if slope.low is not None and slope.low > 1:
        return "not extreme enough"
    return "neither too extreme nor not extreme enough"
