"""The study of recalibration, on models that were distorted on purpose."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import calibrant as cb
from calibrant.studies.progress import Progress
from calibrant.studies.recalibration import study
from calibrant.studies.recalibration.cases import Case, Held
from calibrant.studies.recalibration.judging import ONE, OWN, SEPARATE, judge_case
from calibrant.studies.recalibration.plan import PLAN, RecalibrationPlan


def tagger(temperatures: object) -> Case:
    """A chain that is too sure, or so in its moves alone."""
    rng = np.random.default_rng(0)
    move = rng.normal(0, 1.5, (3, 3))
    held = []
    for seed in (1, 2):
        unary = [rng.normal(0, 1.5, (n, 3)) for n in rng.integers(3, 9, 120)]
        chain = cb.Chain.from_scores(unary, move, tags=["B-X", "I-X", "O"])
        gold = [each[0] for each in chain.sample(1, seed)]
        held += [chain.tempered(temperatures), gold]  # type: ignore[arg-type]
    queries = (cb.EveryTag(), cb.HasSpan("X"))
    return Case("made", f"tagger {temperatures}", (Held(*held),), queries)


def ranker() -> Case:
    """Two folds of documents, with a bias against new entities."""
    rng = np.random.default_rng(1)
    parts = []
    for seed in range(2):
        held = []
        for _ in range(2):
            scores = [np.tril(rng.normal(0, 1.5, (8, 8))) for _ in range(15)]
            links = cb.Links.from_scores(scores)
            gold = [each[:, 0].tolist() for each in links.sample_entities(1, seed)]
            held += [links.tempered({"bias": -1.5}), gold]
        parts.append(Held(*held))
    return Case("made", "ranker", tuple(parts), (cb.SameEntity(), cb.NewEntity()))


def test_one_temperature_suffices_if_everything_is_too_sure() -> None:
    loss, answers = judge_case(tagger(0.5))
    assert loss.one["all"] == pytest.approx(2.0, abs=0.8)
    assert loss.gain.change.high is not None
    assert loss.gain.change.high < 0
    assert abs(loss.more.change.value) < 0.02
    for each in answers:
        assert each.brier[ONE].change.value < 0
        assert set(each.brier) == {ONE, SEPARATE, OWN}
        assert len({len(pairs) for pairs in each.pairs.values()}) == 1


def test_separate_ones_are_better_if_one_kind_is_wrong() -> None:
    loss, _ = judge_case(tagger({"transitions": 0.4}))
    assert loss.more.change.high is not None
    assert loss.more.change.high < 0
    loss, answers = judge_case(ranker())
    assert loss.more.change.value < loss.gain.change.value
    assert loss.separate[0]["bias"] == pytest.approx(1.5, abs=0.8)
    assert answers[1].groups == 30  # documents of both folds
    assert loss.set_aside == "0 of 240 mentions"


def test_the_study_writes_tables_and_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(plan: RecalibrationPlan, progress: Progress) -> Iterator[Case]:
        yield tagger(0.5)
        yield ranker()

    monkeypatch.setattr(study, "cases_of", made)
    said: list[str] = []
    found = study.run_recalibration(PLAN, tmp_path / "study", Progress(say=said.append))
    names = {path.name for path in found.files}
    assert {"losses.csv", "queries.csv", "scores.png", "curves.svg", "report.md"} <= names
    results = json.loads((tmp_path / "study" / "results.json").read_text())
    assert len(results["tables"]["losses"]) == 2
    assert len(results["tables"]["queries"]) == 4
    assert "one temperature suffices" in found.findings[0]
    assert "separate temperatures are better" in found.findings[1]
    assert found.findings[-1].startswith("Own map: the Brier score of ")
    assert said[0].startswith("made, tagger 0.5: temperature ")
