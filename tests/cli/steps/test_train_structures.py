import gzip
import json

import numpy as np
import polars
import pytest
from process import called, check_refused, trained

from calibrant import HasConstituent, PredictedConstituent, ask
from calibrant.structures.coreference.accuracy import score_clusters
from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.coreference.reading.conll2012 import read_coreference
from calibrant.structures.loading import load_model
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.brackets import read_brackets
from calibrant.structures.trees.models.pcfg import PCFG

TREES = """(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ runs))))
( (S (NP-SBJ (DT the) (JJ old) (NN cat)) (VP (VBZ runs) (NP (-NONE- *)))) )
(ROOT (S (NP (PRP we)) (VP (VBP see) (NP (DT the) (NN cat)))))
"""
LETTER = """#begin document (letter); part 000
letter 0 0 {name} (1)
letter 0 1 met -
letter 0 2 her (2|(1)
letter 0 3 friend 2)

letter 0 0 She (1)
letter 0 1 liked -
letter 0 2 {name} (1)

#end document
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("structures")
    (folder / "small.ptb").write_text(TREES)
    (folder / "open.ptb").write_text("(ROOT (S (NP (DT the)\n")
    (folder / "bank").mkdir()
    lines = TREES.splitlines(keepends=True)
    (folder / "bank" / "a.mrg").write_text(lines[0])
    (folder / "bank" / "b.mrg.gz").write_bytes(gzip.compress("".join(lines[1:]).encode()))
    (folder / "bank" / "README").write_text("no trees")
    (folder / "empty").mkdir()
    (folder / "twice").mkdir()
    (folder / "twice" / "a.mrg").write_text(TREES)
    (folder / "twice" / "a.mrg.gz").write_bytes(gzip.compress(TREES.encode()))
    letters = "".join(LETTER.format(name=name) for name in ("Ada", "Eve", "Mary"))
    (folder / "letters.conll").write_text(letters)
    (folder / "dev.conll").write_text(LETTER.format(name="Ann"))
    (folder / "tagged.conll").write_text("the DT\ndog NN\n\nit PRP\n")
    (folder / "unclosed.conll").write_text(LETTER.format(name="Ann").replace("2)", "-"))
    return folder


@pytest.fixture(scope="module")
def parser(folder):
    words = "pcfg small.ptb --dev small.ptb --rare 0 --longest 4 -o parser"
    return trained(folder, *words.split())


@pytest.fixture(scope="module")
def ranker(folder):
    return trained(
        folder, "coref", "letters.conll", "--dev", "dev.conll", "--common", 1, "-o", "ranker"
    )


def test_a_trained_grammar_is_the_library_s(folder, parser):
    record, said = parser
    trees = read_brackets(folder / "small.ptb").up_to(4)
    model = PCFG(rare=0, longest=4).fit(read_brackets(folder / "small.ptb"))
    f1 = bracket_f1(trees, model.posteriors(trees).mode).f1
    assert record == {
        "model": "PCFG",
        "labels": len(model.labels),
        "symbols": len(model.grammar.symbols),
        "binary_rules": len(model.grammar.binary),
        "unary_rules": len(model.grammar.unary),
        "dev_f1": f1,
        "dev_sentences": 3,
        "folder": "parser",
    }
    assert "small.ptb: 3 sentences, 11 words" in said
    saved = load_model(folder / "parser").posteriors(trees)
    np.testing.assert_array_equal(saved.log_partition, model.posteriors(trees).log_partition)


ALL_OPTIONS = (
    "--horizontal 0 --smoothing 2 --common 3 --pseudocount 0.1 --unknown one --rare 2 --longest 9"
)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ((), PCFG()),
        (("--horizontal", "all", "--vertical", 1), PCFG(horizontal=None, vertical=1)),
        (
            ALL_OPTIONS.split(),
            PCFG(0, smoothing=2, common=3, pseudocount=0.1, unknown="one", rare=2, longest=9),
        ),
    ],
)
def test_options_become_settings_of_grammars(folder, tmp_path, words, settings):
    record, _ = trained(folder, "pcfg", "bank", *words, "-o", tmp_path / "model")
    assert load_model(tmp_path / "model").settings == settings
    assert record["dev_f1"] is None


def test_a_folder_is_all_its_files(folder, tmp_path):
    trained(folder, "pcfg", "bank", "-o", tmp_path / "model")
    trees = read_brackets([folder / "bank" / "a.mrg", folder / "bank" / "b.mrg.gz"])
    model = load_model(tmp_path / "model")
    assert model.grammar.binary == PCFG().fit(trees).grammar.binary


def test_parsers_are_asked_about_trees(folder, parser, tmp_path):
    queries = ("HasConstituent('NP')", "HasConstituent", "PredictedConstituent")
    done = called("ask", "parser", "bank", *queries, "-o", tmp_path / "pairs.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "in 2 groups" in done.stderr  # documents, which are files
    trees = read_brackets([folder / "bank" / "a.mrg", folder / "bank" / "b.mrg.gz"])
    posterior = load_model(folder / "parser").posteriors(trees)
    files = {"pairs-HasConstituent-NP.csv": HasConstituent("NP")}
    files["pairs-HasConstituent.csv"] = HasConstituent()
    files["pairs-PredictedConstituent.csv"] = PredictedConstituent()
    for name, query in files.items():
        wanted = ask(posterior, trees, query)
        rows = polars.read_csv(tmp_path / name)
        assert rows.columns[:5] == ["query", "document", "sentence", "begin", "end"]
        assert set(rows["query"]) == {repr(query)}
        np.testing.assert_array_equal(rows["y"].to_numpy(), wanted.y)
        np.testing.assert_allclose(rows["q"].to_numpy(), wanted.q, rtol=1e-12)
        assert set(rows["group"]) == {"a", "b"}
    types = polars.read_csv(tmp_path / "pairs-PredictedConstituent.csv")["type"]
    assert set(types) == {"S", "NP", "VP"}
    limited = called(
        "train", "pcfg", "small.ptb", "--longest", 3, "-o", tmp_path / "short", cwd=folder
    )
    assert limited.returncode == 0
    words = ("ask", tmp_path / "short", "small.ptb", "HasConstituent('NP')")
    done = called(*words, "-o", tmp_path / "few.csv", cwd=folder)
    assert "2 of 3 sentences have more than 3 words and are left out" in done.stderr


def test_sentences_keep_their_numbers_where_some_are_left_out(folder, tmp_path):
    """Parsers with other limits leave out other sentences, and are still joined rightly."""
    lines = TREES.splitlines(keepends=True)
    (tmp_path / "long_first.ptb").write_text(lines[1] + lines[0])
    trained(folder, "pcfg", "small.ptb", "--longest", 3, "--rare", 0, "-o", tmp_path / "short")
    words = ("ask", tmp_path / "short", tmp_path / "long_first.ptb", "HasConstituent")
    called(*words, "-o", tmp_path / "pairs.csv", cwd=folder)
    assert set(polars.read_csv(tmp_path / "pairs.csv")["sentence"]) == {1}


def test_a_trained_ranker_is_the_library_s(folder, ranker):
    record, said = ranker
    train, dev = (read_coreference(folder / name) for name in ("letters.conll", "dev.conll"))
    model = MentionRanker(common=1).fit(train, dev=dev)
    placed = [dev[0].places(model.posteriors(dev).mode[0])]
    assert record == {
        "model": "MentionRanker",
        "features": len(model.vocabulary.narrow),
        "weights": model.count,
        "passes": 20,
        "dev_log_likelihood": model.log_likelihood(dev),
        "dev_conll": score_clusters(dev.spans, placed).conll,
        "folder": "ranker",
    }
    assert "letters.conll: 3 documents, 21 words, 15 mentions" in said
    saved = load_model(folder / "ranker").posteriors(dev)
    np.testing.assert_array_equal(saved.probability, model.posteriors(dev).probability)


def test_options_become_settings_of_rankers(folder, tmp_path):
    options = "--l2 1 --l1 0.5 --augmented --passes 2 --rate 0.1 --common 3 --seed 4"
    trained(folder, "coref", "letters.conll", *options.split(), "-o", tmp_path / "model")
    assert load_model(tmp_path / "model").settings == MentionRanker(
        l2=1.0, l1=0.5, losses=(0.1, 3.0, 1.0), passes=2, rate=0.1, common=3, seed=4
    )


def test_rankers_are_asked_about_documents(folder, ranker, tmp_path):
    queries = ("SameEntity", "NewEntity", "Singleton", "PredictedLink")
    words = ("ask", "ranker", "dev.conll", *queries)
    done = called(*words, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["n"] for row in rows] == [10, 5, 5, 5]
    assert [row["positive"] for row in rows[:3]] == [0.6, 0.4, 0.2]
    called(*words, "-o", tmp_path / "pairs.csv", cwd=folder)
    pairs = polars.read_csv(tmp_path / "pairs-SameEntity.csv")
    assert pairs.columns == ["query", "document", "first", "second", "y", "q", "group"]
    # her friend, her; and the two mentions of Ann
    both = pairs.select("document", "first", "second", "y").rows()
    assert both[2] == ("letter", "0:2-4", "0:2-3", 0)
    assert ("letter", "0:0-1", "1:2-3", 1) in both
    alone = polars.read_csv(tmp_path / "pairs-Singleton.csv")
    assert alone.columns == ["query", "document", "mention", "y", "q", "group"]
    assert alone.filter(polars.col("y") == 1)["mention"].to_list() == ["0:2-4"]
    linked = polars.read_csv(tmp_path / "pairs-PredictedLink.csv")
    assert linked.columns == ["query", "document", "mention", "antecedent", "y", "q", "group"]
    assert linked.row(0)[2:6] == ("0:0-1", "0:0-1", 1, 1.0)  # the first mention is new


WRONG = {
    "long": (
        ("train", "pcfg", "small.ptb", "--dev", "small.ptb", "--longest", 1, "-o", "m"),
        "small.ptb must have a sentence of at most 1 words, but all 3 are longer",
    ),
    "unbalanced": (("train", "pcfg", "open.ptb", "-o", "m"), "open.ptb, line 1"),
    "no trees": (("train", "pcfg", "empty", "-o", "m"), "contains no *.ptb or *.mrg"),
    "twice": (("train", "pcfg", "twice", "-o", "m"), "a.mrg exists twice, plain and as .gz"),
    "near": (("train", "pcfg", "gumm/train", "-o", "m"), "Did you mean gum/train?"),
    "no part": (("train", "pcfg", "gum", "-o", "m"), "write gum/train or gum/dev or gum/test"),
    "part": (("train", "pcfg", "gum/trian", "-o", "m"), "Did you mean train?"),
    "no treebank": (("train", "pcfg", "ark/train", "-o", "m"), "but trees are needed here"),
    "horizontal": (
        ("train", "pcfg", "small.ptb", "--horizontal", "two", "-o", "m"),
        "--horizontal must be a number or all, but it is 'two'",
    ),
    "vertical": (("train", "pcfg", "small.ptb", "--vertical", 0, "-o", "m"), "vertical must be"),
    "label": (("ask", "parser", "small.ptb", "HasConstituent('NPP')"), "Did you mean 'NP'?"),
    "tags": (("ask", "parser", "small.ptb", "EveryTag"), "asks about Chain, not about Tree"),
    "tag's column": (
        ("ask", "parser", "small.ptb", "HasConstituent", "--tag", 1),
        "--tag does not fit: the model is a parser",
    ),
    "no mentions": (
        ("train", "coref", "tagged.conll", "--word", 0, "-o", "m"),
        "tagged.conll, line 1, document 'tagged': brackets of mentions must look",
    ),
    "dev of a pipe": (
        ("train", "coref", "letters.conll", "--dev", "-", "-o", "m"),
        "--dev is read twice",
    ),
    "unclosed": (
        ("train", "coref", "unclosed.conll", "-o", "m"),
        "unclosed.conll, line 4, document 'letter'",
    ),
    "documents": (("train", "coref", "ontogumm/train", "-o", "m"), "Did you mean ontogum/train?"),
    "column of a name": (
        ("train", "coref", "ontogum/train", "--word", 1, "-o", "m"),
        "--word is for files, but ontogum/train is a named corpus",
    ),
    "mentions": (
        ("ask", "ranker", "dev.conll", "SameEntity", "--mentions-from", "tree"),
        "Did you mean trees?",
    ),
    "scheme": (
        ("ask", "ranker", "dev.conll", "SameEntity", "--scheme", "BIO"),
        "--scheme does not fit: the model is a mention ranker",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_structures_is_said_in_one_line(folder, parser, ranker, name):
    words, message = WRONG[name]
    done = called(*words, cwd=folder)
    check_refused(done, message)
    assert not (folder / "m").exists()


@pytest.mark.parametrize(
    "query",
    ["HasConstituent('NPP')", "PredictedConstituent('NPP')", "EveryTag", "PredictedLink"],
)
def test_what_cannot_be_asked_is_refused_before_trees_are_read(folder, parser, query):
    done = called("ask", "parser", "none.ptb", query, cwd=folder)
    assert done.returncode == 2
    assert "none.ptb" not in done.stderr


def test_sentences_by_the_fallback_are_counted(folder, parser, tmp_path):
    (tmp_path / "odd.ptb").write_text("(ROOT (S (VP (VBZ runs) (VBZ runs))))\n" + TREES)
    done = called("ask", "parser", tmp_path / "odd.ptb", "HasConstituent", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "1 of 4 sentences cannot be derived by the grammar" in done.stderr
