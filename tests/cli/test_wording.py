"""Errors on the command line speak of options; the same errors in Python speak of arguments."""

import pytest
from process import called, check_refused

import calibrant as cb
from calibrant.errors import CalibrantError

ONE_GROUP = "y,q,group\n1,0.7,a\n0,0.2,a\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.csv").write_text(ONE_GROUP)
    (tmp_path / "bio.txt").write_text("Ada I-PER\n\n")
    return tmp_path


CASES = [
    (["score", "one.csv", "--level", "95"], "--level must lie between 0 and 1", "--level 0.95"),
    (["score", "one.csv"], "leave the group out (--no-group)", "--interval none"),
    (["decompose", "one.csv"], "(--no-group)", "--interval none"),
    (["describe", "one.csv"], "(--no-group)", "--interval none"),
    (["score", "one.csv", "--interval", "none", "--seed", "1"], "--interval none", "--seed out"),
    (["score", "one.csv", "--seed", "-1"], "--seed must be a whole number", "-1"),
    (
        ["train", "hmm", "bio.txt", "-o", "m", "--repair"],
        "--repair needs --scheme IOB2",
        "--scheme",
    ),
    (["train", "hmm", "bio.txt", "-o", "m", "--scheme", "IOB2"], "--repair turns them", "B-type"),
]


@pytest.mark.parametrize(("words", "message", "advice"), CASES, ids=lambda case: str(case)[:30])
def test_options(folder, words, message, advice):
    done = called(*words, cwd=folder)
    check_refused(done, message)
    assert advice in done.stderr


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda pairs: cb.score(pairs, level=95), "level must lie .* write level=0.95"),
        (cb.score, "leave the group out, or use interval=None"),
        (lambda pairs: cb.score(pairs, interval=None, seed=1), "interval=None computes none"),
    ],
)
def test_arguments(call, message):
    pairs = cb.Pairs([1, 0], [0.7, 0.2], group=["a", "a"])
    with pytest.raises(CalibrantError, match=message) as caught:
        call(pairs)
    assert "--" not in str(caught.value)
