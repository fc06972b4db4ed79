import csv
import json
from dataclasses import replace

import numpy as np
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
from calibrant.studies.entities.plan import ENTITIES
from calibrant.studies.entities.product import product_of_tags
from calibrant.studies.entities.study import run_entities
from calibrant.studies.progress import Progress
from calibrant.studies.tagging import plan as plans
from calibrant.studies.tagging.plan import TWITTER
from calibrant.studies.tagging.study import run_tagging
from calibrant.studies.tagging.taggers import MAIN

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
        uner = folder / f"ner/uner-ewt/en_ewt-ud-{part}.iob2"
        write(uner, ner, lambda k, w, t: f"{k}\t{w}\t{t}\t-\tme\n")
    return folder


@pytest.fixture
def small(data, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(data))
    return data


ONE_MORE = {"CRF-Basic + suffix": CRF(Basic().plus("suffix"))}
PLAN = replace(TWITTER, size=30, added=ONE_MORE, neighbours=4, strengths=(0.1, 10.0))
NER_PLAN = replace(ENTITIES, size=30, added=ONE_MORE)


def test_tagging_study(small, tmp_path):
    said = []
    found = run_tagging(PLAN, tmp_path / "out", Progress(say=said.append))
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    tables = results["tables"]
    assert [row["model"] for row in tables["models"]] == list(MAIN)
    assert [row["model"] for row in tables["ablation"]] == [*MAIN, *ONE_MORE]
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


def test_entities_study(small, tmp_path):
    found = run_entities(NER_PLAN, tmp_path / "out")
    tables = json.loads((tmp_path / "out" / "results.json").read_text())["tables"]
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
    assert (tmp_path / "out" / "curves-btc.png").stat().st_size > 1000
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
    assert np.abs(product_of_tags(dependent, "X", places) - places.q).max() > 0.01

    single = [np.vstack([[0.2, 0.5, -np.inf]])] * 3  # sentences of one word: nothing to multiply
    alone = Chain.from_scores(single, move, tags=tags)
    places = HasSpan("X").where(alone)
    np.testing.assert_allclose(product_of_tags(alone, "X", places), places.q)


def test_study_command(small, tmp_path, monkeypatch, capsys):
    """The command runs its plan, here a smaller one; the first table goes to stdout."""
    monkeypatch.setattr(plans, "TWITTER", replace(PLAN, added={}, strengths=()))
    words = ["study", "twitter-pos", "-o", str(tmp_path / "out"), "--format", "json"]
    app(words, standalone_mode=False)
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["model"] == "HMM"
    assert "better calibrated" in err or "not shown to differ" in err


def test_the_models_of_the_plans():
    assert list(TWITTER.added) == [
        "HMM, one class of rare words",
        *(f"CRF-Basic + {name}" for name in ("lower", "context", "shape", "length", "prefix")),
        "CRF-Basic + suffix",
    ]
    assert set(TWITTER.thesis) == set(TWITTER.models) == set(MAIN)


def test_a_wrong_format_is_told_before_anything_is_trained(small, tmp_path):
    with pytest.raises(cb.CalibrantError, match="format"):
        app(["study", "twitter-pos", "-o", str(tmp_path), "--format", "x"], standalone_mode=False)
    assert list(tmp_path.iterdir()) == []
