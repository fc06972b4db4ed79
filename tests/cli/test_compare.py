"""`calibrant compare`: own answers, and several models in one file."""

import json

import numpy as np
import polars
import pytest
from process import called, check_refused

import calibrant as cb

OWN = ("--y", "a_right", "--q", "a_conf", "--y", "b_right", "--q", "b_conf", "--own-answers")
SAME = ("--y", "obs", "--q", "A", "--q", "B")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(1)
    p, r = rng.beta(3, 1.5, (2, 300))
    frame = polars.DataFrame(
        {
            "id": np.arange(300),
            "doc": np.arange(300) % 30,
            "obs": (rng.random(300) < p).astype(int),
            "A": p,
            "B": p**2,
            "a_right": (rng.random(300) < p).astype(int),
            "a_conf": p,
            "b_right": (rng.random(300) < r).astype(int),
            "b_conf": np.sqrt(r),
        }
    )
    frame.write_csv(folder / "wide.csv")
    for name in "ab":
        one = frame.select("id", "doc", y=f"{name}_right", q=f"{name}_conf")
        one.write_csv(folder / f"{name}.csv")
    frame.select("id", "doc", y="b_right", q="b_conf").reverse().write_csv(folder / "reversed.csv")
    one.head(200).write_csv(folder / "short.csv")
    one.with_columns(polars.col("id") + 1).write_csv(folder / "other.csv")
    return folder


def records(*words, cwd, stdin=""):
    done = called("compare", *words, "--score", "Brier", "--json", cwd=cwd, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_several_models_in_one_file(folder):
    found = records("wide.csv", *SAME, cwd=folder)
    frame = polars.read_csv(folder / "wide.csv")
    models = {name: cb.read(frame, y="obs", q=name) for name in "AB"}
    wanted = cb.compare(models, "Brier")
    assert [each["model"] for each in found] == ["A", "B", "A − B"]
    assert found[2]["p_value"] == pytest.approx(wanted.p_value)
    assert found[2]["groups"] == 30
    assert "accuracy" not in found[0]
    piped = records("-", *SAME, cwd=folder, stdin=(folder / "wide.csv").read_text())
    assert piped == found  # standard input is read once
    assert records("wide.csv", "--q", "A", "--q", "B", cwd=folder) == found  # obs is guessed


def test_own_answers_in_one_file_and_in_two(folder):
    wide = records("wide.csv", *OWN, cwd=folder)
    assert {"accuracy", "accuracy_low", "accuracy_high"} <= set(wide[0])
    two = records("a.csv", "b.csv", "--own-answers", cwd=folder)
    joined = records("a.csv", "reversed.csv", "--own-answers", "--key", "id", cwd=folder)
    for other in (two, joined):
        for mine, theirs in zip(wide, other, strict=True):
            for key in ("value", "low", "high", "accuracy", "accuracy_low", "p_value"):
                assert mine[key] == pytest.approx(theirs[key])
    text = called("compare", "a.csv", "b.csv", "--own-answers", cwd=folder)
    assert text.stdout.splitlines()[0].split()[-3:] == ["accuracy", "better", "than"]
    table = called("compare", "wide.csv", *OWN, "--format", "csv", cwd=folder).stdout
    assert "accuracy_high" in table.splitlines()[0]


WRONG = {
    "answers differ": (("a.csv", "b.csv"), "whether its own answer is right, add --own-answers."),
    "one file, one model": (("wide.csv", "--q", "A"), "or one file with a --q for each model"),
    "one y for own answers": (
        ("wide.csv", "--y", "a_right", "--q", "a_conf", "--q", "b_conf", "--own-answers"),
        "there are 2 --q and 1 --y",
    ),
    "no y for own answers": (
        ("wide.csv", "--q", "a_conf", "--q", "b_conf", "--own-answers"),
        "there are 2 --q and 0 --y",
    ),
    "several y": (("wide.csv", *OWN[:-1]), "All models must have the same --y, but there are 2"),
    "a column twice": (("wide.csv", "--q", "A", "--q", "A"), "A is given twice with --q"),
    "a key in one file": (("wide.csv", *SAME, "--key", "id"), "leave --key out"),
    "several q, two files": (
        ("a.csv", "b.csv", "--q", "A", "--q", "B"),
        "Several --q are for models in one file, but there are 2 files",
    ),
    "several y, two files": (
        ("a.csv", "b.csv", "--y", "A", "--y", "B", "--own-answers"),
        "Several --y are for models in one file",
    ),
    "an unknown column": (
        ("wide.csv", "--y", "obs", "--q", "A", "--q", "C"),
        "no column 'C' for q",
    ),
    "q and y are one": (("wide.csv", "--y", "A", "--q", "A", "--q", "B"), "cannot be both y and q"),
    "draws": (("wide.csv", *SAME, "--yes", "obs"), "either --q or --yes"),
    "numbers of rows": (
        ("a.csv", "short.csv", "--own-answers"),
        "a has 300 rows and short has 200",
    ),
    "keys": (
        ("a.csv", "other.csv", "--own-answers", "--key", "id"),
        "The key '0' is in a but not in other",
    ),
    "range": (("wide.csv", *OWN, "--score", "Brier(above=0.1)"), "leave above and below out"),
    "a bad value": (
        ("wide.csv", "--y", "obs", "--q", "A", "--q", "id"),
        "wide.csv, line 4, column id: q must be a number in [0, 1], but it is '2'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(folder, case):
    words, message = WRONG[case]
    check_refused(called("compare", *words, cwd=folder), message)
