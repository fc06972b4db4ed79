"""`calibrant score-classes`: matrices of probabilities as columns or arrays."""

import json

import numpy as np
import polars
import pytest
from process import called, check_refused

import calibrant as cb

NAMES = np.array(["noun", "verb", "other"])
TABLE = ("score-classes", "c.csv", "--columns", "prob_*")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    rng = np.random.default_rng(1)
    matrix = rng.dirichlet([1, 1, 2], 400)
    gold = NAMES[(matrix.cumsum(axis=1) < rng.random((400, 1))).sum(axis=1).clip(0, 2)]
    doc = np.arange(400) // 20
    columns = {f"prob_{name}": part for name, part in zip(NAMES, matrix.T, strict=True)}
    frame = polars.DataFrame({**columns, "label": gold, "doc": doc})
    frame.write_csv(folder / "c.csv")
    np.savez(folder / "c.npz", probabilities=matrix, labels=NAMES, gold=gold, group=doc)
    return folder, cb.Labels(matrix, NAMES), gold, doc


def records(*words, cwd):
    done = called(*words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("words", [TABLE, ("score-classes", "c.npz")])
def test_the_table_of_classes(made, words):
    folder, posterior, gold, doc = made
    wanted = cb.score_classes(posterior, gold, group=doc)
    text = called(*words, cwd=folder)
    assert text.returncode == 0, text.stderr
    assert text.stdout == f"{wanted}\n"
    found = records(*words, cwd=folder)
    assert [each["class"] for each in found] == [*wanted.scores, None]
    assert found[-1]["value"] == pytest.approx(wanted.summary.value)
    assert found[0]["frequency"] == wanted.frequency(found[0]["class"])
    assert {"score", "value", "low", "high", "level", "n", "groups", "signature"} <= set(found[0])
    for format in ("csv", "md", "latex"):
        assert "noun" in called(*words, "--format", format, cwd=folder).stdout


def test_losses(made):
    folder, posterior, gold, doc = made
    scored = cb.score_classes(posterior, gold, group=doc)
    found = records("score-classes", "c.npz", "--loss", "Brier", "--loss", "LogLoss", cwd=folder)
    for mine, rule in zip(found, ("Brier", "LogLoss"), strict=True):
        wanted = scored.loss(rule)
        assert (mine["score"], mine["value"]) == (wanted.score, wanted.value)
        assert (mine["low"], mine["high"]) == (wanted.low, wanted.high)


def test_queries_and_their_pairs(made, tmp_path):
    folder, posterior, gold, doc = made
    queries = ("TopLabel", "TopK(2)", "EveryLabel", "LabelIs('noun')")
    words = [word for query in queries for word in ("--query", query)]
    found = records(*TABLE, "Brier", *words, "-o", tmp_path / "pairs.csv", cwd=folder)
    for mine, query in zip(found, queries, strict=True):
        wanted = cb.score(cb.ask(posterior, gold, query, group=doc), "Brier")
        assert mine["value"] == pytest.approx(wanted.value)
        assert (mine["n"], mine["groups"]) == (wanted.n, 20)
    assert {each["query"] for each in found} > {"TopLabel", "TopK(k=2)"}
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"pairs-{each}.csv" for each in
                     ("EveryLabel", "LabelIs-noun", "TopK-2", "TopLabel")]  # fmt: skip
    again = records("score", "pairs-TopK-2.csv", "Brier", cwd=tmp_path)
    assert again[0]["value"] == pytest.approx(found[1]["value"])


def test_two_classifiers_are_compared_through_their_pairs(made, tmp_path):
    folder = made[0]
    for name, query in (("a", "TopLabel"), ("b", "TopK(2)")):
        done = called(*TABLE, "--query", query, "-o", tmp_path / f"{name}.csv", cwd=folder)
        assert done.returncode == 0, done.stderr
    found = records("compare", "a.csv", "b.csv", "--key", "item", "--own-answers", cwd=tmp_path)
    accuracy = {each["model"]: each["accuracy"] for each in found}
    assert accuracy["b"] > accuracy["a"]


WRONG = {
    "no columns": (("c.csv",), "such as --columns prob_*"),
    "unknown columns": (("c.csv", "--columns", "p_*"), "c.csv has no column 'p_*'"),
    "unknown gold": ((*TABLE[1:], "--gold", "x"), "c.csv has no column 'x'"),
    "gold is the group": (
        (*TABLE[1:], "--gold", "label", "--group", "label"),
        "c.csv: column 'label' cannot be both the true class and the group",
    ),
    "a class is missing": (
        ("c.csv", "--columns", "prob_noun", "--columns", "prob_verb"),
        "c.csv, line 2: the probabilities of all classes must sum to 1",
    ),
    "columns of arrays": (("c.npz", "--columns", "a"), "leave --columns out"),
    "a query of tags": (("c.npz", "--query", "TagIs('V')"), "asks about Chain, not about Labels"),
    "too large k": (("c.npz", "--query", "TopK(3)"), "k is 3 and there are 3 classes"),
    "unknown query": (("c.npz", "--query", "TopLable"), "Did you mean TopLabel?"),
    "not a loss": (("c.npz", "--loss", "ECE"), "must be Brier or LogLoss"),
    "query and loss": (("c.npz", "--loss", "Brier", "--query", "TopLabel"), "not both"),
    "output without query": (("c.npz", "-o", "x.csv"), "name one with --query"),
    "output is the input": (
        (*TABLE[1:], "--query", "TopLabel", "-o", "c.csv"),
        "overwrite an input",
    ),
    "output format": (("c.npz", "--query", "TopLabel", "-o", "x.txt"), "its name must end in"),
    "group and no group": (("c.npz", "--group", "g", "--no-group"), "not both"),
    "no such file": (("none.npz",), "There is no file none.npz"),
    "unknown score": (("none.npz", "Briar"), "Did you mean Brier?"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(made, case):
    words, message = WRONG[case]
    check_refused(called("score-classes", *words, cwd=made[0]), message)
