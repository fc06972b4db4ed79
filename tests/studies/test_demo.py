from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from real_data import DATA

import calibrant as cb
from calibrant.studies.demo.taggers import run_demo, tweets
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
