import csv
import json
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import polars
import pytest
from made_sentences import made_sentences
from real_data import DATA

import calibrant as cb
from calibrant.cli.main import app
from calibrant.structures.exact_match import span_f1
from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.features import Basic
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.span_queries import HasSpan
from calibrant.structures.sequences.tag_queries import TagIs
from calibrant.studies import entities, tagging
from calibrant.studies.demo import run_demo, tweets
from calibrant.studies.sections import Section, write_report
from calibrant.studies.taggers import MAIN, Parts, fit_all

needs_tweets = pytest.mark.skipif(
    not (DATA / "pos" / "ark-twpos-v0.3").exists(), reason="the ARK tweets are not here"
)
POS = {"D": ["the", "a"], "N": ["dog", "run", "Cats", "2nd"], "V": ["run", "sees", "ran", "dog"]}
NER = {
    "O": ["in", "saw", "the"],
    "B-PER": ["Ann", "Bob"],
    "I-PER": ["Lee", "Ray"],
    "B-LOC": ["Rome", "Lee"],
    "I-LOC": ["Bay", "Ray"],
}


def write(path, sentences, line):
    path.parent.mkdir(parents=True, exist_ok=True)
    blocks = ("".join(line(k, *pair) for k, pair in enumerate(each, 1)) for each in sentences)
    path.write_text("\n".join(blocks))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Small corpora under the names of real ones."""
    folder = tmp_path_factory.mktemp("data")
    sizes = {"train": 60, "dev": 20, "test": 50}
    for seed, (part, count) in enumerate(sizes.items()):
        pos = made_sentences(POS, count, seed)
        write(folder / f"pos/ark-twpos-v0.3/oct27.{part}", pos, lambda k, w, t: f"{w}\t{t}\n")
        ner = made_sentences(NER, count, seed + 10)
        write(folder / f"ner/btc/btc.{part}", ner, lambda k, w, t: f"{w}\t{t}\n")
        write(
            folder / f"ner/uner-ewt/en_ewt-ud-{part}.iob2", ner,
            lambda k, w, t: f"{k}\t{w}\t{t}\t-\tme\n",
        )  # fmt: skip
    return folder


@pytest.fixture
def small(data, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(data))
    monkeypatch.setattr(tagging, "NEIGHBOURS", 4)
    monkeypatch.setattr(tagging, "STRENGTHS", (0.1, 10.0))
    return data


PLAN = replace(tagging.TWITTER, size=30)


def test_tagging_study(small, tmp_path):
    said = []
    found = tagging.run_tagging(PLAN, tmp_path / "out", say=said.append)
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    tables = results["tables"]
    assert [row["model"] for row in tables["models"]] == list(MAIN)
    assert len(tables["ablation"]) == 3 + 1 + 6
    assert [row["l2"] for row in tables["l2"]] == [0.1, 10.0]
    assert len(tables["neighbours"]) == 4
    assert {row["tag"] for row in tables["tags"]} == set(POS)
    shares = np.array([[row[name] for name in MAIN] for row in tables["predictions"]])
    np.testing.assert_allclose(shares.sum(axis=0), 1)

    model = HMM().fit(load_corpus("ark", "train"))
    test = load_corpus("ark", "test")
    pairs = cb.ask(model.posteriors(test), test, TagIs("V"))
    expected = cb.score(pairs, cb.CalibScore(size=30))
    row = tables["models"][0]
    assert row["CalibScore"] == expected.value
    assert row["CalibScore low"] == expected.low
    assert row["CalibScore plug-in"] == row["plug-in"] == expected.plugin
    assert row["CalibScore (thesis, tweets)"] == 0.075
    assert row["refinement"] == cb.decompose(pairs, curve=cb.AdaptiveBins(size=30)).refinement.value

    report = (tmp_path / "out" / "report.md").read_text()
    assert "![Calibration of V" in report
    assert all(sentence in report for sentence in found.findings)
    for name in ("curves.png", "curves.svg", "tags.png", "l2.png"):
        assert (tmp_path / "out" / name).stat().st_size > 1000
    with (tmp_path / "out" / "models.csv").open() as file:
        assert float(next(csv.DictReader(file))["CalibScore"]) == expected.value
    assert said[0].startswith("HMM: ")


def test_entities_study(small, tmp_path, monkeypatch):
    monkeypatch.setattr(entities, "SIZE", 30)
    found = entities.run_entities(tmp_path)
    tables = json.loads((tmp_path / "results.json").read_text())["tables"]
    assert len(tables["models"]) == 2 * 3 * 3
    test = load_corpus("btc", "test")
    chain = (
        CRF(Basic())
        .fit(load_corpus("btc", "train"), dev=load_corpus("btc", "dev"))
        .posteriors(test)
    )
    row = next(
        row for row in tables["models"] if (row["model"], row["type"]) == ("CRF-Basic", "PER")
    )
    assert row["F1"] == pytest.approx(100 * span_f1(test, chain.mode).types["PER"].f1)
    assert row["spans asked"] == cb.ask(chain, test, HasSpan("PER")).n
    assert len(tables["comparisons-btc"]) == len(tables["comparisons-uner-ewt"]) == 2
    assert len(found.findings) == 4
    assert (tmp_path / "curves-btc.png").stat().st_size > 1000
    assert all(row["largest"] > 0 for row in tables["product"])


def test_products_of_tags_are_right_where_tags_are_independent():
    """Neighbours that do not matter make the product of single tags exact."""
    tags = ["O", "B-X", "I-X"]
    unary = [np.random.default_rng(k).normal(size=(5, 3)) for k in range(4)]
    move = np.zeros((3, 3))
    move[[0, 2], 2] = -np.inf  # I-X follows B-X alone, so that nothing else begins a span
    unary = [np.vstack([[0.3, 0.1, -np.inf], each[1:]]) for each in unary]
    dependent = Chain.from_scores(unary, move, tags=tags)
    places = HasSpan("X").where(dependent)
    assert np.abs(entities.product_of_tags(dependent, "X", places) - places.q).max() > 0.01

    single = [np.vstack([[0.2, 0.5, -np.inf]])] * 3  # sentences of one word: nothing to multiply
    alone = Chain.from_scores(single, move, tags=tags)
    places = HasSpan("X").where(alone)
    np.testing.assert_allclose(entities.product_of_tags(alone, "X", places), places.q)


def test_sections(tmp_path):
    estimate = cb.score(cb.synthetic.sample(500, seed=1), cb.CalibScore(size=50))
    section = Section("few", "Few", ("a|b", "score", "none"), [("x|y", estimate, None)], "Words.")
    assert section.records() == [{
        "a|b": "x|y", "score": estimate.value, "score low": estimate.low,
        "score high": estimate.high, "score plug-in": estimate.plugin, "none": None,
    }]  # fmt: skip
    assert section.table()[1][0][1].startswith(estimate.text("value"))
    write_report(tmp_path, "Title", [section], {}, {"n": 1}, ["Found."])
    assert "x\\|y" in (tmp_path / "report.md").read_text()
    frame = polars.read_csv(tmp_path / "few.csv")
    assert frame["score low"][0] == estimate.low


def test_study_commands(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(tagging, "TWITTER", PLAN)
    monkeypatch.setattr(entities, "SIZE", 30)
    for name in ("twitter-pos", "entities"):
        words = ["study", name, "-o", str(tmp_path / name), "--format", "json"]
        app(words, standalone_mode=False)
        out, err = capsys.readouterr()
        rows = json.loads(out)
        assert rows[0]["model"] == "HMM"
        assert "better calibrated" in err or "not shown to differ" in err


def test_a_wrong_format_is_told_before_anything_is_trained(small, tmp_path):
    with pytest.raises(cb.CalibrantError, match="format"):
        app(["study", "twitter-pos", "-o", str(tmp_path), "--format", "x"], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []


def test_demo_of_tweets(tmp_path):
    demo = run_demo(tmp_path / "demo.png")
    header, rows = demo.table()
    assert header[0] == "tagger"
    assert [row[0] for row in rows] == [name for name in MAIN for _ in range(2)]
    assert demo.figure.stat().st_size > 10_000
    hmm, basic, advanced = (estimates[0] for estimates in demo.estimates.values())
    assert advanced.low == 0
    assert advanced.high < hmm.low < basic.low


def test_what_is_shipped():
    shipped = tweets()
    assert list(shipped) == list(MAIN)
    for pairs in shipped.values():
        assert (pairs.n, pairs.groups) == (7152, 500)
    assert Path(resources.files("calibrant.data"), "tweets.parquet").stat().st_size < 1_000_000


@needs_tweets
def test_tweets_as_they_were_made(monkeypatch):
    """The shipped numbers are those of the taggers, and these are as good as they should be."""
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    parts = Parts.of("ark")
    fits = fit_all(MAIN, parts, lambda items, total, what: iter(items), lambda text: None)
    for name, pairs in tweets().items():
        found = cb.ask(fits[name].chain, parts.test, TagIs("V"))
        np.testing.assert_array_equal(found.y, pairs.y)
        np.testing.assert_allclose(found.q, pairs.q, atol=1e-6)
    assert fits["HMM"].accuracy(parts.test) > 67.5
    assert fits["CRF-Basic"].accuracy(parts.test) > 76.0
    assert fits["CRF-Advanced"].accuracy(parts.test) > 87.0
