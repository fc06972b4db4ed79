import json

import numpy as np
import pytest

from calibrant.corpora import Treebank
from calibrant.parses import Parse
from calibrant.studies import parsing
from calibrant.studies.parsing import run_parsing

RULES = {
    "ROOT": [(["S"], 1.0)],
    "S": [(["NP", "VP"], 0.8), (["NP", "VP", "PP"], 0.2)],
    "NP": [(["DT", "NN"], 0.5), (["NP", "PP"], 0.2), (["NN"], 0.3)],
    "VP": [(["VB", "NP"], 0.6), (["VB"], 0.2), (["VP", "PP"], 0.2)],
    "PP": [(["IN", "NP"], 1.0)],
}
WORDS = {"DT": ["the", "a"], "NN": ["dog", "cat", "tree"], "VB": ["sees", "eats"], "IN": ["in"]}


def grown(rng, label="ROOT", depth=0):
    if label in WORDS:
        return Parse(label, (), str(rng.choice(WORDS[label])))
    ways, chances = zip(*RULES[label], strict=True)
    chosen = ways[rng.choice(len(ways), p=chances)] if depth < 6 else ways[0]
    return Parse(label, tuple(grown(rng, each, depth + 1) for each in chosen))


def load(name, part):
    rng = np.random.default_rng([len(name), len(part)])
    trees = tuple(grown(rng) for _ in range(120))
    return Treebank(trees, tuple(f"doc{k // 10}" for k in range(120)), f"{name} {part}")


def test_the_study(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "SMALL", {"train": 60, "test": 40})
    said = []
    found = run_parsing(tmp_path, say=said.append, load=load)
    assert [section.name for section in found.sections] == [
        "models", "labels", "spans", "sentences"
    ]  # fmt: skip
    assert len(found.sections[0].rows) == 4
    assert all(50 < row[2] <= 100 for row in found.sections[0].rows)
    for name in ("report.md", "results.json", "models.csv", "labels.csv", "curves.png"):
        assert (tmp_path / name).stat().st_size > 0
    facts = json.loads((tmp_path / "results.json").read_text())
    assert "60 training and 40 test sentences" in facts["corpus craft"]
    assert "120 training" in facts["corpus gum"]
    assert any("better calibrated on" in each for each in found.findings)
    assert any(text.startswith("gum, plain: F1") for text in said)


def test_all_of_craft_where_it_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "SMALL", {"train": 60, "test": 40})
    found = run_parsing(tmp_path, full=True, load=load)
    sizes = {row[0]: row[4] for row in found.sections[0].rows}
    assert sizes["craft"] == pytest.approx(120, abs=10)
