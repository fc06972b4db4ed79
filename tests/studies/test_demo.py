from importlib import resources
from pathlib import Path

import numpy as np
import polars
import pytest
from real_data import DATA

import calibrant as cb
from calibrant.studies.demo import language_models
from calibrant.studies.demo.language_models import mmlu_pro
from calibrant.studies.demo.taggers import run_demo, tweets
from calibrant.studies.language_models.logs import STATED, find_logs, read_stated
from calibrant.studies.language_models.plan import LANGUAGE_MODELS
from calibrant.studies.language_models.stated import models
from calibrant.studies.progress import QUIET
from calibrant.studies.tagging.taggers import MAIN, Parts, fit_all

needs_tweets = pytest.mark.skipif(
    not (DATA / "pos" / "ark-twpos-v0.3").exists(), reason="the ARK tweets are not here"
)


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
    fits = fit_all(MAIN, parts, QUIET)
    for name, pairs in tweets().items():
        found = cb.ask(fits[name].chain, parts.test, cb.TagIs("V"))
        np.testing.assert_array_equal(found.y, pairs.y)
        np.testing.assert_allclose(found.q, pairs.q, atol=1e-6)
    assert fits["HMM"].accuracy(parts.test) > 67.5
    assert fits["CRF-Basic"].accuracy(parts.test) > 76.0
    assert fits["CRF-Advanced"].accuracy(parts.test) > 87.0


def test_demo_of_language_models():
    section = language_models.believe()
    assert [row.model for row in section.rows] == list(LANGUAGE_MODELS.stated)
    told = {row.model: row for row in models(mmlu_pro(), QUIET).rows if row.kind == "tokens"}
    right = {row.model: row.right for row in section.rows}
    assert right["gemma-2-9b"].startswith("49 %")
    assert right["Qwen3-8B-think"].startswith("89 %")
    assert all(49 <= int(each.split()[0]) <= 89 for each in right.values())
    stated = [row.stated.value for row in section.rows]
    assert (round(min(stated), 2), round(max(stated), 2)) == (0.15, 0.46)
    assert sum(row.tokens.value < row.stated.value for row in section.rows) == 5
    assert all(row.judged.excess.low > 0 for row in told.values())


def test_what_is_shipped_of_language_models():
    path = Path(resources.files("calibrant.data"), "mmlu-pro.parquet")
    assert path.stat().st_size < 1_000_000
    frame = polars.read_parquet(path)
    assert frame.columns == ["model", "task", "question", "category", "correct", "stated", "tokens"]
    assert frame.height == 7 * 12_032
    assert frame["category"].n_unique() == 14
    readme = (path.parent / "README.md").read_text()
    assert all(each.name in readme for each in path.parent.glob("*.parquet"))


@pytest.mark.skipif(
    not (DATA / "evals" / STATED).exists(), reason="the logs of language models are not here"
)
def test_language_models_as_they_were_logged(monkeypatch):
    monkeypatch.setenv("CALIBRANT_DATA", str(DATA))
    kept = mmlu_pro()
    for model, path in find_logs(STATED, LANGUAGE_MODELS.stated).items():
        logged, shipped = read_stated(path).frame, kept[model].frame
        for column in ("group", "correct", "stated"):
            assert logged[column].equals(shipped[column])
        np.testing.assert_allclose(logged["perplexity"], shipped["perplexity"], atol=1e-6)
