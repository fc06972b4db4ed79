import json
from dataclasses import replace

import pytest
from made_trees import load

from calibrant.studies.parsing.plan import FULL, PARSING
from calibrant.studies.parsing.study import run_parsing
from calibrant.studies.progress import Progress


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_the_study(tmp_path):
    said, steps = [], []

    def track(items, total, what):
        for item in items:
            steps.append((what, total))
            yield item

    out = tmp_path / "out"
    found = run_parsing(replace(PARSING, load=load), out, Progress(track, said.append))
    names = ["models", "comparisons", "labels", "spans", "sentences", "predictions"]
    assert [section.name for section in found.sections] == names
    models = found.sections[0].records()
    both = [(corpus, name) for corpus in ("gum", "craft") for name in ("plain", "markovised")]
    assert [(row["corpus"], row["grammar"]) for row in models] == both
    assert all(50 < row["F1"] <= 100 for row in models)
    files = [f"{name}.csv" for name in names] + ["report.md", "results.json"]
    figures = ["curves.png", "labels.png", "spans.png", "sentences.svg"]
    assert all((out / name).stat().st_size > 0 for name in (*files, *figures))
    facts = json.loads((out / "results.json").read_text())
    assert "120 training and 120 test" in facts["corpus gum"]
    assert "120 training and 24 test" in facts["corpus craft"]
    assert "every 5th of 120" in facts["corpus craft"]
    assert steps.count(("Parsing gum, plain", 5)) == 5  # 24 sentences at a time
    assert any(text.startswith("gum, plain: F1") for text in said)
    assert any("markovised grammar has the smaller score on" in each for each in found.findings)


@pytest.mark.filterwarnings("ignore:The groups are worth only")
def test_tables_add_up(tmp_path):
    """Both ways to count the same sentences and spans, and all of craft where it is wanted."""
    found = run_parsing(replace(FULL, load=load), tmp_path / "out")
    models, compared, _, _, sentences, predictions = (each.records() for each in found.sections)
    for corpus in ("gum", "craft"):
        assert sum(row["sentences"] for row in sentences if row["corpus"] == corpus) == 120
    for row in models:
        assert row["sentences"] == 120
        key = (row["corpus"], row["grammar"])
        mine = [each for each in predictions if (each["corpus"], each["grammar"]) == key]
        assert sum(each["spans"] for each in mine) == row["questions"]
        mean = sum(each["spans"] * each["frequency"] for each in mine) / row["questions"]
        assert mean == pytest.approx(row["frequency"])
        assert 0 <= row["true ones not asked"] < 0.1
    for row in compared:
        same = [each["questions"] for each in models if each["corpus"] == row["corpus"]]
        if row["either q from"] == 0.001:
            assert max(same) <= row["spans"] <= sum(same)
        assert row["difference"] <= 0  # the better one's less the worse one's
    assert any(row["difference"] < 0 for row in compared)
