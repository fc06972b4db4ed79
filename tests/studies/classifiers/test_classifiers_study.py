import json
import re
from dataclasses import replace

import numpy as np
import pytest
from made_items import made_task
from made_sentences import made_sentences
from real_data import DATA

import calibrant as cb
from calibrant.cli.main import app
from calibrant.studies.classifiers import plan as plans
from calibrant.studies.classifiers import tasks
from calibrant.studies.classifiers.learners import CLASSIFIERS
from calibrant.studies.classifiers.plan import FULL, PLAN
from calibrant.studies.classifiers.study import run_classifiers
from calibrant.studies.progress import Progress

needs_corpora = pytest.mark.skipif(
    not (DATA / "pos" / "ud-ewt").exists(), reason="UD-EWT is not here"
)
SMALL = replace(
    PLAN,
    tasks=(made_task("one"), made_task("two", sizes=(None,), seed=9)),
    classifiers=CLASSIFIERS[1:3],
    calibration=(30, 100),
    draws=2,
    strengths=(0.1, 10.0),
    newsgroups=False,
)


def test_the_study(tmp_path):
    said, steps = [], []

    def track(items, total, what):
        steps.append((what, total))
        yield from items

    found = run_classifiers(SMALL, tmp_path / "out", Progress(track, said.append))
    tables = json.loads((tmp_path / "out" / "results.json").read_text())["tables"]
    shapes = tables["as-they-come"]
    assert [(row["task"], row["classifier"], row["trained on"]) for row in shapes] == [
        (task, each.name, size)
        for task, sizes in (("one", (50, 300)), ("two", (300,)))
        for each in SMALL.classifiers
        for size in sizes
    ]
    assert all("CalibScore" in row["signature"] for row in shapes)
    assert len(tables["recalibration"]) == 2 * 2 * 2 * 8
    assert [(row["task"], row["C"]) for row in tables["l2"]] == [
        (task, c) for task in ("one", "two") for c in (0.1, 10.0)
    ]
    assert [row["calibration items"] for row in tables["gains"]] == [30, 100] * 2
    assert len(found.findings) == 2 + 2
    for name in ("curves", "gains-one", "gains-two"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 10_000
    assert dict(steps) == {"Training": 6, "Scoring": 6, "Recalibrating": 8}
    assert said[0] == "one: 300 to train, 200 to calibrate, 200 to test"
    assert "w15" not in (tmp_path / "out" / "report.md").read_text()  # no text of an item


def test_the_command(tmp_path, monkeypatch, capsys):
    small = replace(SMALL, tasks=SMALL.tasks[:1], classifiers=CLASSIFIERS[:1], strengths=())
    monkeypatch.setattr(plans, "PLAN", small)
    words = ["study", "classifiers", "-o", str(tmp_path / "out"), "--format", "json"]
    app(words, standalone_mode=False)
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["classifier"] == "naive Bayes"
    assert "naive Bayes, 1 task, as it comes" in err


def test_full_has_more_of_everything():
    assert FULL.draws > PLAN.draws
    assert FULL.most is None
    assert [each.sizes for each in FULL.tasks if each.sizes[-1] is not None] == [
        (1000, 5000, 20_000)
    ] * 2


GENRES = {"reviews": ["great", "food", "staff"], "weblog": ["war", "said", "post"]}


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """Small corpora under the names of real ones."""
    rng = np.random.default_rng(0)
    for part, count in (("train", 8), ("dev", 6), ("test", 6)):
        lines = []
        for k in range(count):
            genre = list(GENRES)[k % 2]
            lines.append(f"# newdoc id = {genre}-{part}{k}")
            for _ in range(12 if k == 0 else 3):
                words = rng.choice(GENRES[genre], 4)
                tags = rng.choice(["NN", "VB"], 4)
                rows = zip(range(1, 5), words, tags, strict=True)
                lines += [f"{n}\t{w}\t_\tX\t{t}\t_\t0\troot\t_\t_" for n, w, t in rows] + [""]
        path = tmp_path / "pos" / "ud-ewt" / f"en_ewt-ud-{part}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        tweets = made_sentences({"V": ["run", "see"], "N": ["dog", "run"]}, 20, count)
        blocks = ["".join(f"{word}\t{tag}\n" for word, tag in each) for each in tweets]
        path = tmp_path / "pos" / "ark-twpos-v0.3" / f"oct27.{part}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(blocks))
    folder = tmp_path / "gum-open" / "const"
    folder.mkdir(parents=True)
    names = [f"GUM_{genre}_{k}" for genre in ("vlog", "news") for k in range(10)]
    parts = ["train", "dev", "test", "train", "train"]
    rows = [f"{name}\t{parts[k % 5]}" for k, name in enumerate(names)]
    (folder.parent / "splits.tsv").write_text("\n".join(["doc\tsplit", *rows]) + "\n")
    for name in names:
        (folder / f"{name}.ptb").write_text("(ROOT (S (NP (PRP She)) (VP (VBZ sees))))\n")
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    return tmp_path


def test_sentences_and_documents_of_the_web(corpora):
    (split,) = tasks.sentence_genres(None)
    assert sum(map(len, split)) == 17 * 3 + 3 * tasks.SENTENCES  # at most ten of a document
    for part in split:
        for words, yes in zip(part.features, part.y, strict=True):
            assert set(words) <= set(GENRES["reviews" if yes else "weblog"])
    splits = tasks.document_genres(None)
    assert [len(each.test) for each in splits] == [4] * 5
    texts = [each for split in splits for each in split.test.features]
    assert sorted(map(len, texts)) == [12] * 17 + [40] * 3


def test_words(corpora):
    (split,) = tasks.web_nouns(None)
    assert sum(map(len, split)) == 4 * (17 * 3 + 3 * tasks.SENTENCES)
    assert all(any(f.startswith("word=") for f in each) for each in split.test.features)
    (small,) = tasks.web_nouns(20)
    assert all(20 <= len(part) <= 20 + 40 for part in small)
    (tweets,) = tasks.tweet_verbs(None)
    names = [set(part.document) for part in tweets]
    assert [len(each) for each in names] == [30, 15, 15]
    assert len(set.union(*names)) == 60  # every tweet is a document


def test_spoken_documents(corpora):
    splits = tasks.spoken_documents(None)
    assert len(splits) == tasks.ROTATIONS
    tested = {
        name: bool(yes)
        for split in splits
        for name, yes in zip(split.test.document, split.test.y, strict=True)
    }
    assert tested == {
        f"GUM_{genre}_{k}": genre == "vlog" for genre in ("vlog", "news") for k in range(10)
    }


def test_missing_posteriors_are_told_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(tmp_path))
    with pytest.raises(cb.CalibrantError, match=re.escape("posteriors/20news_test.npz")):
        run_classifiers(replace(SMALL, newsgroups=True), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@needs_corpora
def test_real_corpora(monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    (split,) = tasks.sentence_genres(None)
    assert sum(len(set(part.document)) for part in split) == 1174
    assert sum(map(len, split)) == 7256
