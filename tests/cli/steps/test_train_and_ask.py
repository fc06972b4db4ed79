"""From a corpus to a model, to pairs, to a score; and a run that is interrupted."""

import gzip
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import polars
import pytest
from process import called, check_refused, command_line, trained

import calibrant as cb
from calibrant.structures.exact_match import span_f1
from calibrant.structures.loading import load_model
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.features import Basic, Features
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.schemes import convert_scheme
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import EveryTag, TagIs

GRAMMAR = {
    "D": ("the a", "N"),
    "N": ("dog cat run", "VO"),
    "V": ("runs sees run", "DO"),
    "O": (". !", "D"),
}
NAMES = "Ada B-PER\nLovelace I-PER\nsings O\n\nin O\nRome B-LOC\n\n"


def made(count, seed):
    """Tagged sentences of a small grammar, ambiguous where words are shared."""
    rng = np.random.default_rng(seed)
    words, tags = [], []
    for _ in range(count):
        its = ["D"]
        while len(its) < 12 and its[-1] != "O":
            its.append(str(rng.choice(list(GRAMMAR[its[-1]][1]))))
        kinds = [tag if rng.random() < 0.85 else str(rng.choice(list(GRAMMAR))) for tag in its]
        words.append(tuple(str(rng.choice(GRAMMAR[kind][0].split())) for kind in kinds))
        tags.append(tuple(its))
    return Corpus(tuple(words), tuple(tags))


def as_columns(corpus, row="{word}\t{tag}"):
    sentences = zip(corpus.words, corpus.tags, strict=True)
    return "\n".join(
        "".join(
            row.format(n=n, word=word, tag=tag) + "\n"
            for n, (word, tag) in enumerate(zip(words, tags, strict=True), 1)
        )
        for words, tags in sentences
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    for name, count, seed in (("train", 80, 1), ("dev", 30, 2), ("test", 60, 3)):
        (folder / f"{name}.conll").write_text(as_columns(made(count, seed)))
    text = as_columns(made(20, 4), "{n}\t{word}\t_\t{tag}\tX{tag}\t_\t0\t_\t_\t_")
    (folder / "small.conllu.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "four.txt").write_text(as_columns(made(20, 4), "{n} {word} {tag} x"))
    (folder / "names.conll").write_text(NAMES * 10)
    (folder / "mixed.conll").write_text(NAMES + "Ada I-PER\nsings O\n")
    (folder / "other.conll").write_text("the ART\n")
    (folder / "ragged.conll").write_text("the D\ndog\n")
    (folder / "notes").mkdir()
    (folder / "notes" / "mine.txt").write_text("mine")
    return folder


@pytest.fixture(scope="module")
def crf(folder):
    words = "crf train.conll --dev dev.conll --epochs 6 --batch 10 -o crf"
    return trained(folder, *words.split())


def test_a_trained_model_is_the_library_s(folder, crf):
    record, said = crf
    train, dev = read_conll(folder / "train.conll"), read_conll(folder / "dev.conll")
    model = CRF(training=AdaGrad(epochs=6, batch=10)).fit(train, dev=dev)
    best = max(model.history, key=lambda epoch: epoch.log_likelihood)
    assert record == {
        "model": "CRF",
        "tags": 4,
        "attributes": len(model.vocabulary),
        "weights": model.count,
        "epochs": len(model.history),
        "dev_log_likelihood": best.log_likelihood,
        "dev_accuracy": best.accuracy,
        "folder": "crf",
    }
    saved = load_model(folder / "crf")
    np.testing.assert_array_equal(saved.posteriors(dev).marginals, model.posteriors(dev).marginals)
    assert "train.conll: 80 sentences, " in said
    assert "6/6" in said
    assert not (folder / "crf.checkpoint.npz").exists()


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (
            ("crf", "--features", "basic", "--l2", 1, "--training", "lbfgs"),
            CRF(Basic(), l2=1.0, training=LBFGS()),
        ),
        (
            ("crf", "--features", "word, suffix", "--epochs", 2, "--rate", 0.1, "--seed", 3),
            CRF(Features(("word", "suffix")), training=AdaGrad(rate=0.1, epochs=2), seed=3),
        ),
        (
            ("crf", "--without", "prefix", "--without", "context", "--epochs", 1, "--patience", 1),
            CRF(
                Features(("word", "lower", "shape", "length", "suffix")),
                training=AdaGrad(epochs=1, patience=1),
            ),
        ),
        (("hmm",), HMM()),
        (("hmm", "--pseudocount", 0.5, "--unknown", "one", "--rare", 0), HMM(0.5, "one", 0)),
    ],
)
def test_options_become_settings(folder, words, settings, tmp_path):
    record, _ = trained(folder, *words, "train.conll", "-o", tmp_path / "model")
    assert load_model(tmp_path / "model").settings == settings
    assert record["dev_accuracy"] is None
    assert record["model"] == type(settings).__name__


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (("small.conllu.gz",), ("XD", "XN", "XO", "XV")),
        (("small.conllu.gz", "--tag", "upos"), ("D", "N", "O", "V")),
        (("four.txt", "--word", 1, "--tag", -2), ("D", "N", "O", "V")),
        (("small.conllu.gz", "--from", "conll", "--word", 1, "--tag", 3), ("D", "N", "O", "V")),
        (("names.conll", "--scheme", "BIO"), ("B-LOC", "B-PER", "I-PER", "O")),
        (("mixed.conll", "--scheme", "IOB2", "--repair"), ("B-LOC", "B-PER", "I-PER", "O")),
    ],
)
def test_ways_to_read(folder, words, tags, tmp_path):
    _, said = trained(folder, "hmm", *words, "-o", tmp_path / "model")
    assert load_model(tmp_path / "model").tags == tags
    assert ("1 I- tag that continued nothing became B-" in said) == ("--repair" in words)


def test_standard_input_and_named_corpora(folder, tmp_path, monkeypatch):
    text = (folder / "train.conll").read_text()
    done = called("train", "hmm", "-", "-o", tmp_path / "model", "--json", stdin=text)
    assert json.loads(done.stdout)[0]["tags"] == 4
    data = tmp_path / "data" / "pos" / "ark-twpos-v0.3"
    data.mkdir(parents=True)
    (data / "oct27.train").write_text(text)
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path / "data"))
    done = called("train", "hmm", "ark/train", "-o", tmp_path / "named", "--format", "text")
    assert done.stdout.splitlines()[1].startswith("HMM "), done.stderr


def same(found, wanted):
    np.testing.assert_array_equal(found.y, wanted.y)
    np.testing.assert_array_equal(found.q, wanted.q)
    np.testing.assert_array_equal(found.group.astype(str), wanted.group.astype(str))


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "csv.gz"])
def test_pairs_that_score_reads(folder, crf, tmp_path, ending):
    path = tmp_path / f"pairs.{ending}"
    done = called("ask", "crf", "test.conll", "TagIs('V')", "-o", path, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    gold = read_conll(folder / "test.conll")
    wanted = cb.ask(load_model(folder / "crf").posteriors(gold), gold, TagIs("V"))
    same(cb.read(path), wanted)
    assert f"TagIs(tag='V'): {len(wanted)} pairs in 60 groups: " in done.stderr
    scored = called("score", path, "Brier", "--json")
    assert json.loads(scored.stdout)[0]["value"] == cb.score(wanted, cb.Brier()).value
    assert json.loads(scored.stdout)[0]["groups"] == 60


def test_a_whole_pipe(folder, crf):
    asked = called(
        "ask", "crf", "test.conll", "EveryTag", "-o", "-", "--format", "jsonl", cwd=folder
    )
    scored = called("score", "-", "--json", stdin=asked.stdout)
    gold = read_conll(folder / "test.conll")
    pairs = cb.ask(load_model(folder / "crf").posteriors(gold), gold, EveryTag())
    assert json.loads(scored.stdout)[0]["value"] == cb.score(pairs).value
    columns = ["query", "sentence", "begin", "end", "tag", "y", "q", "group"]
    assert list(json.loads(asked.stdout.splitlines()[0])) == columns
    as_csv = called("ask", "crf", "test.conll", "EveryTag", "-o", "-", cwd=folder)
    assert as_csv.stdout.startswith(",".join(columns) + "\n")


def test_models_are_compared_on_the_same_questions(folder, crf, tmp_path):
    trained(folder, "hmm", "train.conll", "-o", tmp_path / "hmm")
    for name in (folder / "crf", tmp_path / "hmm"):
        pairs = tmp_path / f"{name.name}.csv"
        called("ask", name, folder / "test.conll", "TagIs('V')", "-o", pairs)
    done = called("compare", "crf.csv", "hmm.csv", "--score", "Brier", "--json", cwd=tmp_path)
    assert {each["model"] for each in json.loads(done.stdout)} >= {"crf", "hmm"}
    assert "answer different questions" not in done.stderr


def test_models_are_joined_by_key_columns(folder, crf, tmp_path):
    """Rows in any order, as from a database, are matched by what they are about."""
    trained(folder, "hmm", "train.conll", "-o", tmp_path / "hmm")
    for name in (folder / "crf", tmp_path / "hmm"):
        path = tmp_path / f"{name.name}.csv"
        called("ask", name, folder / "test.conll", "EveryTag", "-o", path)
    words = ("compare", "crf.csv", "hmm.csv", "--score", "Brier", "--json")
    in_order = called(*words, cwd=tmp_path)
    frame = polars.read_csv(tmp_path / "hmm.csv")
    frame.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "hmm.csv")
    keys = [word for name in ("sentence", "begin", "end", "tag") for word in ("--key", name)]
    joined = called(*words, *keys, cwd=tmp_path)
    assert joined.returncode == 0, joined.stderr
    assert joined.stdout == in_order.stdout
    some = called(*words, "--key", "sentence", "--key", "begin", cwd=tmp_path)
    assert some.returncode == 2
    assert "occurs 4 times" in some.stderr


def test_several_queries(folder, crf, tmp_path):
    """Each has a file that score reads."""
    words = ("ask", "crf", "test.conll", "TagIs('V')", "TagIs('N')", "TagPair('D', 'N')")
    done = called(*words, "-o", tmp_path / "pairs.csv.gz", cwd=folder)
    assert done.returncode == 0, done.stderr
    names = ["pairs-TagIs-N.csv.gz", "pairs-TagIs-V.csv.gz", "pairs-TagPair-D-N.csv.gz"]
    assert sorted(each.name for each in tmp_path.iterdir()) == names
    assert all(f"wrote {tmp_path / name}" in done.stderr for name in names)
    verbs = polars.read_csv(tmp_path / "pairs-TagIs-V.csv.gz")
    assert set(verbs["query"]) == {"TagIs(tag='V')"}
    gold = read_conll(folder / "test.conll")
    wanted = cb.ask(load_model(folder / "crf").posteriors(gold), gold, TagIs("V"))
    scored = called("score", tmp_path / "pairs-TagIs-V.csv.gz", "Brier", "--json")
    assert json.loads(scored.stdout)[0]["value"] == cb.score(wanted, cb.Brier()).value
    counted = called(*words, "--json", cwd=folder)
    first = json.loads(counted.stdout)[0]
    assert (first["n"], first["groups"]) == (verbs.height, 60)
    assert first["positive"] == pytest.approx(verbs["y"].mean())
    assert first["mean_q"] == pytest.approx(verbs["q"].mean())
    assert "To keep the pairs, name a file with -o." in counted.stderr


def test_rows_say_which_question_they_answer(folder, crf, tmp_path):
    words = ("ask", "crf", "test.conll", "TagIs('V')", "TagPair('D', 'N')")
    called(*words, "-o", tmp_path / "pairs.parquet", cwd=folder)
    gold = read_conll(folder / "test.conll")
    tags = polars.read_parquet(tmp_path / "pairs-TagIs-V.parquet")
    assert tags.columns == ["query", "sentence", "begin", "end", "y", "q", "group"]
    for row in tags.iter_rows(named=True):
        assert row["y"] == (gold.tags[row["sentence"]][row["begin"]] == "V")
        assert (row["end"], row["group"]) == (row["begin"] + 1, row["sentence"])
    pairs = polars.read_parquet(tmp_path / "pairs-TagPair-D-N.parquet")
    for row in pairs.iter_rows(named=True):
        both = gold.tags[row["sentence"]][row["begin"] : row["end"]]
        assert row["y"] == (both == ("D", "N"))
    assert tags.select("sentence", "begin", "end").is_unique().all()


def test_sentences_before_the_first_document_have_one(folder, crf, tmp_path):
    """They had an empty group, which score refused."""
    text = "the D\ndog N\n\n-DOCSTART- O\n\na D\ncat N\n\n-DOCSTART- O\n\nthe D\nrun N\n"
    (tmp_path / "marked.conll").write_text(text)
    path = tmp_path / "pairs.csv"
    done = called("ask", "crf", tmp_path / "marked.conll", "TagIs('N')", "-o", path, cwd=folder)
    assert done.returncode == 0, done.stderr
    frame = polars.read_csv(path)
    assert frame.columns[:3] == ["query", "document", "sentence"]
    assert frame["document"].to_list() == frame["group"].to_list() == [0, 0, 1, 1, 2, 2]
    scored = called("score", path, "Brier", "--json")
    assert scored.returncode == 0, scored.stderr
    assert json.loads(scored.stdout)[0]["groups"] == 3


def test_spans(folder, tmp_path):
    trained(folder, "crf", "names.conll", "--scheme", "IOB2", "-o", tmp_path / "ner")
    path = tmp_path / "spans.csv"
    done = called("ask", tmp_path / "ner", "names.conll", "HasSpan('PER')", "-o", path, cwd=folder)
    assert done.returncode == 0, done.stderr
    gold = read_conll(folder / "names.conll")
    wanted = cb.ask(load_model(tmp_path / "ner").posteriors(gold), gold, HasSpan("PER"))
    same(cb.read(path), wanted)


def test_predictions_of_taggers(folder, tmp_path):
    trained(folder, "crf", "names.conll", "--scheme", "IOB2", "-o", tmp_path / "ner")
    queries = {
        "PredictedTag": [*PLACE, "tag"],
        "PredictedTag('sequence')": [*PLACE, "tag"],
        "PredictedSpan": [*PLACE, "type"],
        "PredictedSpan('PER')": [*PLACE, "type"],
        "PredictedSequence": PLACE,
    }
    words = ("ask", tmp_path / "ner", "names.conll", *queries, "-o", tmp_path / "pairs.csv")
    done = called(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    gold = read_conll(folder / "names.conll")
    chain = load_model(tmp_path / "ner").posteriors(gold)
    for (text, columns), file in zip(
        queries.items(),
        ("Tag", "Tag-sequence", "Span", "Span-PER", "Sequence"),
        strict=True,
    ):
        path = tmp_path / f"pairs-Predicted{file}.csv"
        assert polars.read_csv(path).columns == ["query", *columns, "y", "q", "group"]
        same(cb.read(path), cb.ask(chain, gold, text))
    scored = called("score", tmp_path / "pairs-PredictedSpan.csv", "Brier", "--json")
    assert scored.returncode == 0, scored.stderr


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES"])
def test_taggers_of_spans_report_their_f1(folder, tmp_path, scheme):
    """Accuracy is high where nearly all words are outside."""
    corpus = convert_scheme(read_conll(folder / "names.conll"), scheme)
    (tmp_path / "names.conll").write_text(as_columns(corpus))
    words = ("hmm", tmp_path / "names.conll", "--scheme", scheme, "-o", tmp_path / "ner")
    record, _ = trained(folder, *words)
    assert record["dev_f1"] is None
    record, _ = trained(folder, *words, "--dev", tmp_path / "names.conll")
    found = load_model(tmp_path / "ner").posteriors(corpus).mode
    assert record["dev_f1"] == span_f1(corpus, found).f1 > 0.5
    shown = called("train", *words, "--dev", tmp_path / "names.conll", cwd=folder)
    assert "dev span F1" in shown.stdout


def test_tags_that_the_model_does_not_know_are_told(folder, crf, tmp_path):
    (tmp_path / "odd.conll").write_text("the D\ndog X\n")
    done = called("ask", folder / "crf", tmp_path / "odd.conll", "TagIs('N')", "--json")
    assert "1 of 2 words have tags that the model does not know (X)" in done.stderr
    assert json.loads(done.stdout)[0]["positive"] == 0


PLACE = ["sentence", "begin", "end"]
TRAIN, ASK = ("train", "crf", "train.conll"), ("ask", "crf", "test.conll")
WRONG = {
    "kind": (("train", "crff", "train.conll", "-o", "m"), "Did you mean 'crf'"),
    "no corpus": (("train", "crf", "none.conll", "-o", "m"), "There is no file none.conll"),
    "near corpus": (("train", "crf", "arc/train", "-o", "m"), "Did you mean ark/train?"),
    "part": (("train", "crf", "ark/trian", "-o", "m"), "Did you mean train?"),
    "no output": (TRAIN, "Missing option"),
    "not a model": ((*TRAIN, "-o", "notes"), "but it contains other files: mine.txt"),
    "a file": ((*TRAIN, "-o", "dev.conll"), "a model is saved as a folder"),
    "family": ((*TRAIN, "--features", "word,sufix", "-o", "m"), "Did you mean suffix?"),
    "without": ((*TRAIN, "--without", "shap", "-o", "m"), "Did you mean shape?"),
    "training": ((*TRAIN, "--training", "lbgfs", "-o", "m"), "Did you mean lbfgs?"),
    "hmm's": ((*TRAIN, "--rare", 0, "-o", "m"), "No such option: --rare"),
    "crf's": (("train", "hmm", "train.conll", "--l2", 0, "-o", "m"), "No such option: --l2"),
    "adagrad's": ((*TRAIN, "--training", "lbfgs", "--epochs", 3, "-o", "m"), "is for adagrad"),
    "l2": ((*TRAIN, "--l2", "-1", "-o", "m"), "l2 must not be negative"),
    "rule": (("train", "hmm", "train.conll", "--unknown", "shap", "-o", "m"), "Did you mean shape"),
    "column": ((*TRAIN, "--tag", 7, "-o", "m"), "line 1: there must be at least 8 columns"),
    "column's name": ((*TRAIN, "--tag", "upos", "-o", "m"), "must be the number of a column"),
    "ragged": (("train", "crf", "ragged.conll", "-o", "m"), "ragged.conll, line 2: there must be"),
    "conllu's tag": (
        ("train", "crf", "small.conllu.gz", "--tag", "pos", "-o", "m"),
        "Known: upos, xpos.",
    ),
    "conllu's word": (
        ("train", "crf", "small.conllu.gz", "--word", 2, "-o", "m"),
        "--word is for files of columns",
    ),
    "source": ((*TRAIN, "--from", "conl", "-o", "m"), "Did you mean conll?"),
    "mixed schemes": (
        ("train", "crf", "mixed.conll", "--scheme", "IOB2", "-o", "m"),
        "mixed.conll, line 8: in IOB2, I-type must follow",
    ),
    "two of a pipe": (
        ("train", "hmm", "-", "--dev", "-", "-o", "m"),
        "cannot both be standard input",
    ),
    "dev": ((*TRAIN, "--dev", "other.conll", "-o", "m"), "do both use the same tag set?"),
    "tag": ((*ASK, "TagIs('v')"), "There is no tag 'v' among 4. Did you mean 'V'?"),
    "quotes": ((*ASK, "TagIs(V)"), "V must be a value: put it in quotes"),
    "query": ((*ASK, "TagsIs('V')"), "Did you mean TagIs?"),
    "syntax": ((*ASK, "TagIs('V'"), "is not a query"),
    "documents' option": (
        (*ASK, "EveryTag", "--mentions-from", "gold"),
        "--mentions-from does not fit: the model is a tagger",
    ),
    "a treebank": (("ask", "crf", "gum/test", "EveryTag"), "gum contains trees, but"),
    "labels": ((*ASK, "TopLabel"), "asks about Labels, not about Chain"),
    "spans": ((*ASK, "HasSpan('PER')"), "it knows no spans"),
    "predicted spans": ((*ASK, "PredictedSpan"), "it knows no spans"),
    "predicted by what": ((*ASK, "PredictedTag('words')"), 'by must be "word" or "sequence"'),
    "no query": (ASK, "Missing argument"),
    "no model": (("ask", "none", "test.conll", "EveryTag"), "There is no folder none"),
    "no folder of a model": (("ask", "notes", "test.conll", "EveryTag"), "is not a saved model"),
    "no test": (("ask", "crf", "none.conll", "EveryTag"), "There is no file none.conll"),
    "other tags": (("ask", "crf", "other.conll", "EveryTag"), "knows none of its tags (ART)"),
    "ending": ((*ASK, "EveryTag", "-o", "x.xlsx"), "must end in one of .csv"),
    "below a file": ((*ASK, "EveryTag", "-o", "dev.conll/x.csv"), "is not a folder"),
    "format of a file": ((*ASK, "EveryTag", "-o", "x.csv", "--format", "csv"), "is for stdout"),
    "several on stdout": ((*ASK, "EveryTag", "TagIs('V')", "-o", "-"), "supports only one query"),
    "format of pairs": ((*ASK, "EveryTag", "-o", "-", "--format", "md"), "format of pairs 'md'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_in_one_line(folder, crf, name):
    words, message = WRONG[name]
    done = called(*words, cwd=folder)
    check_refused(done, message)
    assert not (folder / "m").exists()


def wait_for(path, process, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_an_interrupted_process_goes_on(tmp_path):
    (tmp_path / "train.conll").write_text(as_columns(made(3000, 5)))
    (tmp_path / "dev.conll").write_text(as_columns(made(50, 6)))
    options = "--dev dev.conll --epochs 25 --batch 10 --patience 25 -o"
    words = ("train", "crf", "train.conll", *options.split())
    command, environment = command_line(*words, "cut")
    checkpoint = tmp_path / "cut.checkpoint.npz"
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        wait_for(checkpoint, process)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert out == ""
    assert "Interrupted. The same command continues from cut.checkpoint.npz" in said
    assert "Traceback" not in said
    assert not (tmp_path / "cut").exists()
    with np.load(checkpoint) as file:
        passes = len(file["history"])
    assert 1 <= passes < 25
    other = called(*words, "cut", "--l2", 3, cwd=tmp_path)
    assert other.returncode == 2
    assert "other settings or sentences" in other.stderr
    assert "--fresh" in other.stderr
    resumed, said = trained(tmp_path, *words[1:], "cut")
    assert "Continuing from cut.checkpoint.npz" in said
    whole, _ = trained(tmp_path, *words[1:], "whole")
    assert {**resumed, "folder": ""} == {**whole, "folder": ""}
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "cut",
        "dev.conll",
        "train.conll",
        "whole",
    ]
    same_folders(tmp_path / "cut", tmp_path / "whole")


def same_folders(one: Path, other: Path):
    assert (one / "model.json").read_text() == (other / "model.json").read_text()
    with np.load(one / "weights.npz") as mine, np.load(other / "weights.npz") as theirs:
        assert set(mine) == set(theirs)
        for name in mine:
            np.testing.assert_array_equal(mine[name], theirs[name])


def test_fresh_starts_anew(folder, tmp_path):
    (tmp_path / "m.checkpoint.npz").write_bytes(b"of something else")
    words = ("crf", "train.conll", "--epochs", 2, "-o", tmp_path / "m")
    refused = called("train", *words, cwd=folder)
    assert refused.returncode == 2
    assert "m.checkpoint.npz is damaged" in refused.stderr
    trained(folder, *words, "--fresh")
    assert [each.name for each in tmp_path.iterdir()] == ["m"]
