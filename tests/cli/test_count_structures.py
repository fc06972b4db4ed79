"""Counts of a saved model on a corpus, beside the truth."""

import json

import pytest
from process import called, check_refused, trained

import calibrant as cb
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.reading.conllu import read_conllu

ROW = "{}\t{}\t_\t{}\t{}\t_\t0\troot\t_\t_\n"
SENTENCES = [
    ("one", [("the", "DT"), ("dog", "NN"), ("runs", "VB")]),
    ("one", [("a", "DT"), ("cat", "NN")]),
    ("two", [("the", "DT"), ("run", "NN")]),
    ("two", [("dog", "NN"), ("run", "VB")]),
]


def written(path, documents=True):
    text, before = "", None
    for document, words in SENTENCES:
        if documents and document != before:
            text += f"# newdoc id = {document}\n"
        before = document
        rows = (ROW.format(k, word, tag, tag) for k, (word, tag) in enumerate(words, 1))
        text += "".join(rows) + "\n"
    path.write_text(text)
    return str(path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counted")
    corpus = written(folder / "made.conllu")
    trained(folder, "hmm", corpus, "-o", "model")
    return str(folder / "model"), corpus, folder


def test_numbers_are_those_of_the_verb(made):
    model, corpus, _ = made
    done = called("count-structures", model, corpus, "TagIs('NN')", "--by", "document", "--json")
    assert done.returncode == 0
    one, two, total = json.loads(done.stdout)
    assert [each["name"] for each in (one, two, total)] == ["one", "two", "total"]
    assert [each["true"] for each in (one, two, total)] == [2, 2, 4]
    assert [each["asked"] for each in (one, two, total)] == [5, 4, 9]
    gold = read_conllu(corpus)
    chain = load_model(model).posteriors(gold)
    columns = {"document": list(gold.documents)}
    query = cb.TagIs("NN")
    found = cb.count(chain, query, gold=gold, by="document", columns=columns, estimator="posterior")
    for mine, its in zip((one, two, total), found, strict=True):
        assert mine["expected"] == pytest.approx(its.expected)
        assert mine["naive"] == its.naive
        assert [mine["low"], mine["high"]] == pytest.approx([its.count_low, its.count_high])
    assert "only if the model is calibrated" in done.stderr


def test_the_total_alone_is_a_table(made):
    model, corpus, _ = made
    done = called("count-structures", model, corpus, "TagPair('DT', 'NN')", "--level", "0.9")
    header, row = done.stdout.strip().splitlines()
    assert header.split() == ["asked", "true", "naive", "expected", "90", "%", "interval"]
    assert row.split()[:3] == ["total", "5", "3"]


def test_refused(made):
    model, corpus, folder = made
    ask = ("count-structures", model)
    check_refused(called(*ask, corpus, "NewEntity"), "asks about Links, not about Chain")
    check_refused(called(*ask, corpus, "TagIs('NN')", "--by", "genre"), "--by must be document")
    check_refused(called(*ask, corpus, "PredictedTag"), "asks about the model's own answers")
    bare = written(folder / "bare.conllu", documents=False)
    done = called(*ask, bare, "TagIs('NN')", "--by", "document")
    check_refused(done, "does not say which document a sentence is from: leave --by out")
