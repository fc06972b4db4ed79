"""`calibrant ask --text`: the sentence of each question, and the place it is about."""

import polars
import pytest
from process import called, check_refused, trained

from calibrant.cli.asked_texts import Sentences

TREES = """(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))
(ROOT (S (NP (PRP we)) (VP (VBP see) (NP (DT the) (NN cat)))))
"""
LETTER = """#begin document (letter); part 000
letter 0 0 Ada (1)
letter 0 1 met -
letter 0 2 her (2|(1)
letter 0 3 friend 2)

letter 0 0 It -
letter 0 1 rained -

letter 0 0 Then -
letter 0 1 she (1)
letter 0 2 left -

#end document
"""
TAGGED = "The D\ndog N\nruns V\n\nWe N\nsaw V\nthe D\nold D\ncat N\n\n" * 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    (folder / "t.ptb").write_text(TREES)
    (folder / "l.conll").write_text(LETTER * 3)
    (folder / "one.conll").write_text(LETTER)
    (folder / "w.conll").write_text(TAGGED)
    trained(folder, *["crf", "w.conll", "--dev", "w.conll", "--epochs", "2", "-o", "tagger"])
    trained(folder, *["pcfg", "t.ptb", "--dev", "t.ptb", "--rare", "0", "-o", "parser"])
    trained(folder, *["coref", "l.conll", "--dev", "one.conll", "--common", "1", "-o", "ranker"])
    return folder


def asked(folder, *words):
    path = folder / "pairs.parquet"
    done = called("ask", *words, "--text", "-o", path, cwd=folder)
    assert done.returncode == 0, done.stderr
    return polars.read_parquet(path)


def marked(frame, mark=""):
    return [
        row["text"][row[f"begin{mark}"] : row[f"end{mark}"]] for row in frame.iter_rows(named=True)
    ]


def test_words_of_sentences(folder):
    frame = asked(folder, "tagger", "w.conll", "TagIs('N')")
    words = [line.split()[0] for line in TAGGED.splitlines() if line]
    assert marked(frame) == words
    assert frame["text"][3] == "We saw the old cat"
    assert frame.columns == ["query", "sentence", "begin", "end", "text", "y", "q", "group"]


def test_two_words_and_whole_sentences(folder):
    assert marked(asked(folder, "tagger", "w.conll", "TagPair('D', 'N')"))[:3] == [
        "The dog",
        "dog runs",
        "We saw",
    ]
    frame = asked(folder, "tagger", "w.conll", "PredictedSequence")
    assert marked(frame) == frame["text"].to_list()


def test_constituents_have_parses(folder):
    frame = asked(folder, "parser", "t.ptb", "PredictedConstituent('NP')")
    assert marked(frame) == ["the dog", "we", "the cat"]
    assert frame["parse"][0] == "(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))"
    assert set(asked(folder, "parser", "t.ptb", "HasConstituent('VP')")["parse"]) == {
        *frame["parse"]
    }


def test_mentions(folder):
    frame = asked(folder, "ranker", "one.conll", "NewEntity")
    assert marked(frame) == ["Ada", "her friend", "her", "she"]
    assert frame["text"][1] == "Ada met her friend"


def test_two_mentions(folder):
    frame = asked(folder, "ranker", "one.conll", "SameEntity")
    both = {*zip(marked(frame), marked(frame, 2), frame["text"], strict=True)}
    assert both == {
        ("Ada", "her friend", "Ada met her friend"),
        ("Ada", "her", "Ada met her friend"),
        ("her friend", "her", "Ada met her friend"),
        ("Ada", "she", "Ada met her friend … Then she left"),
        ("her friend", "she", "Ada met her friend … Then she left"),
        ("her", "she", "Ada met her friend … Then she left"),
    }
    links = asked(folder, "ranker", "one.conll", "PredictedLink")
    assert marked(links) == ["Ada", "her friend", "her", "she"]
    names = {"0:0-1": "Ada", "0:2-4": "her friend", "0:2-3": "her", "2:1-2": "she"}
    assert marked(links, 2) == [names[each] for each in links["antecedent"]]


def test_neighbouring_sentences_are_joined_by_a_blank():
    sentences = Sentences.of([("It", "rained"), ("Then", "she", "left")])
    begin, end = sentences.place([1], [1], [2])
    assert "Then she left"[begin[0] : end[0]] == "she"


def test_a_page_marks_them(folder):
    done = called("ask", "ranker", "l.conll", "SameEntity", "--text", "-o", "p.parquet", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = called("report", "p.parquet", "-o", "-", "--show", "text", cwd=folder)
    assert page.returncode == 0, page.stderr
    assert '["her friend",1]' in page.stdout
    assert '["she",2]' in page.stdout


def test_refused(folder):
    done = called("ask", "tagger", "w.conll", "EveryTag", "--text", cwd=folder)
    check_refused(done, "name their file with -o")
    words = ("ask", "ranker", "one.conll", "SameEntity(samples=50)", "--text", "-o", "x.csv")
    done = called(*words, cwd=folder)
    assert done.returncode == 2
    assert "leave --text out" in done.stderr
