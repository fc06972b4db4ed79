"""The study of coreference, which asks whether two mentions refer to the same entity."""

import time
from pathlib import Path
from typing import Any

from calibrant.calibration.curves import AdaptiveBins
from calibrant.pairs import Pairs
from calibrant.plots import plot_panels
from calibrant.results.estimate import Estimate
from calibrant.structures.coreference.queries import NewEntity, SameEntity, Singleton
from calibrant.structures.query import Query
from calibrant.studies.figures import save_both
from calibrant.studies.pairs_of_mentions import (
    ABOVE,
    ABOVE_SIZE,
    SIZE,
    THESIS,
    UPPER,
    WHOLE,
    Asked,
    calibration_rows,
    comparison_rows,
    prediction_rows,
    sampled_rows,
    strength_rows,
    strengths_of,
)
from calibrant.studies.progress import Say, Track, quietly
from calibrant.studies.rankers import (
    FAITHFUL,
    RANKERS,
    RULE,
    Resolved,
    resolve_litbank,
    resolve_ontogum,
)
from calibrant.studies.sections import Cell, Section, Study, write_report
from calibrant.verbs import ask, curve, score

QUERIES: tuple[Query, ...] = (NewEntity(), Singleton())
POINTS = 60  # that a curve above the bound has at most


def run_coreference(out: str | Path, track: Track = quietly, say: Say = lambda text: None) -> Study:
    """Train mention rankers on both corpora, ask them, and write tables and figures."""
    begin, out = time.perf_counter(), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    faithful = RANKERS[FAITHFUL]
    others = strengths_of(faithful)
    rankers = {**RANKERS, **others}
    resolved = [*resolve_ontogum(rankers, track, say), *resolve_litbank(rankers, track, say)]
    corpora = [each.only(RANKERS) for each in resolved]
    asked = [Asked(each, _asked(each, track)) for each in corpora]
    calibration = calibration_rows(asked, track)
    sampled, compared = sampled_rows(asked, track), comparison_rows(asked, track)
    sections = [calibration, _systems(corpora), sampled, compared, _other_queries(corpora, track)]
    sections.append(strength_rows(resolved, asked, {FAITHFUL: faithful, **others}, track))
    sections += [prediction_rows(asked), _mentions(corpora)]
    figures = _figures(out, asked, track)
    findings = _findings(sections)
    facts: dict[str, Any] = {
        "study": "coreference",
        "corpora": "; ".join(f"{each.name}: {each.found}" for each in corpora),
        "query": str(SameEntity()),
        "score": f"{WHOLE}, {UPPER}",
        "seconds": round(time.perf_counter() - begin, 1),
    }
    title = "Coreference: do two mentions refer to the same entity?"
    written = write_report(out, title, sections, figures, facts, findings)
    say(f"{len(written) + 2 * len(figures)} files in {out}, {facts['seconds']} s")
    return Study(sections, findings, written)


def _asked(corpus: Resolved, track: Track) -> dict[str, Pairs]:
    """What each system answers about every two mentions."""
    todo = track(corpus.links.items(), len(corpus.links), f"Asking about {corpus.name}")
    return {name: ask(links, corpus.found, SameEntity()) for name, links in todo}


def _systems(corpora: list[Resolved]) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for each in corpora:
        for system, found in each.scores.items():
            shares = (found.muc, found.b_cubed, found.ceaf_e)
            rows.append((
                each.name, system, *(100 * share.f1 for share in shares), 100 * found.conll,
            ))  # fmt: skip
    return Section(
        "systems",
        "How well entities are found",
        ("corpus", "system", "MUC", "B³", "CEAFe", "CoNLL"),
        rows,
        "F1 in per cent; CoNLL is the mean of the three. OntoGUM: its test documents; with dev, "
        "which also chose how many passes to make, twice as many; mentions from trees, entities of "
        "one mention left out, as the corpus does not mark them. LitBank: true mentions, entities "
        "of one mention counted, ten folds pooled. The rule links mentions of the same head.",
    )


def _other_queries(corpora: list[Resolved], track: Track) -> Section:
    rows: list[tuple[Cell, ...]] = []
    todo = [(each, name, query) for each in corpora for name in each.links for query in QUERIES]
    for each, name, query in track(todo, len(todo), "Other queries"):
        pairs = ask(each.links[name], each.found, query)
        found = score(pairs)
        rows.append((
            each.name, name, str(query), int(pairs.n), pairs.mean(pairs.y),
            pairs.mean(pairs.predicted), found, found.plugin,
        ))  # fmt: skip
    return Section(
        "mentions-asked",
        "New entities and entities of one mention",
        ("corpus", "system", "query", "mentions", "frequency", "mean q", "CalibScore", "plug-in"),
        rows,
    )


def _mentions(corpora: list[Resolved]) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            each.name,
            int(found.recall_whole),
            int(found.precision_whole),
            100 * found.recall,
            100 * found.precision,
        )
        for each in corpora
        if (found := each.recall) is not None
    ]
    return Section(
        "mentions",
        "Mentions from trees",
        ("corpus", "true", "found", "recall", "precision"),
        rows,
        "Noun phrases and pronouns, the largest per head, against the mentions of the corpus, "
        "which are only those of entities with several. Recall and precision in per cent.",
    )


def _figures(out: Path, asked: list[Asked], track: Track) -> dict[str, Path]:
    whole, upper = {}, {}
    todo = {f"{each.found.name}, {name}": pairs for each in asked
            for name, pairs in each.pairs.items()}  # fmt: skip
    for title, pairs in track(todo.items(), len(todo), "Drawing"):
        whole[title] = curve(pairs, AdaptiveBins(size=SIZE))
        those = pairs.select(above=ABOVE)
        size = max(ABOVE_SIZE, len(those) // POINTS)
        upper[title] = curve(those, AdaptiveBins(size=size))
    drawn = {
        f"Same entity: frequency against prediction, bins of {SIZE}": (
            "curves", plot_panels(whole, columns=2)[0]
        ),
        f"Same entity, predictions above {ABOVE:g}, bins of at least {ABOVE_SIZE}": (
            "curves-above", plot_panels(upper, columns=2)[0]
        ),
    }  # fmt: skip
    return save_both(out, drawn)


def _findings(sections: list[Section]) -> list[str]:
    calibration, systems, sampled, compared, other = sections[:5]
    said = [_calibration_said(row) for row in calibration.rows]
    rule = {row[0]: row for row in systems.rows if row[1] == RULE}
    for row in systems.rows:
        if row[1] != RULE:
            said.append(
                f"{row[0]}: {row[1]} has a CoNLL score of {row[-1]:.1f}, the rule of heads "
                f"{rule[row[0]][-1]:.1f}."
            )
    said += [str(row[-1]) for row in compared.rows]
    for row in other.rows:
        said.append(
            f"{row[0]}, {row[1]}, {row[2]}: {_told(row[6])}; mean q {row[5]:.3f}, frequency "
            f"{row[4]:.3f}."
        )
    said += [_strengths_said(name, sections[5]) for name in rule]
    exact = {row[0]: row for row in sampled.rows if row[2] == "exact"}
    for row in sampled.rows:
        if row[2] != "exact":
            said.append(
                f"{row[0]}: shares of {row[2]} samples differ from the exact probability by "
                f"{row[3]:.4f} (rms); their plug-in score is {row[4]:.4f}, the exact one's "
                f"{exact[row[0]][4]:.4f}."
            )
    return said


def _strengths_said(corpus: Cell, strengths: Section) -> str:
    rows = [row for row in strengths.rows if row[0] == corpus]
    first, last = rows[0], rows[-1]
    return (
        f"{corpus}: from l2 = {first[1]:g} to {last[1]:g} the CoNLL score goes from {first[2]:.1f} "
        f"to {last[2]:.1f}, and calibration from {_told(first[5])} to {_told(last[5])}."
    )


def _calibration_said(row: tuple[Cell, ...]) -> str:
    lean = "too low" if float(row[4]) < float(row[3]) else "too high"  # type: ignore[arg-type]
    return (
        f"{row[0]}, {row[1]}: {_told(row[6])} over all pairs (plug-in {row[7]:.3f}; the thesis had "
        f"{THESIS:g} on other data), {_told(row[8])} above {ABOVE:g}; on average {lean} (mean q "
        f"{row[4]:.4f}, frequency {row[3]:.4f})."
    )


def _told(cell: Cell) -> str:
    return f"CalibScore {cell.text('value')} {cell.interval}" if isinstance(cell, Estimate) else ""
