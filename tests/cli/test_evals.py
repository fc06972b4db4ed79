"""`calibrant evals` on the command line."""

import json

import numpy as np
import polars as pl
import pytest
from process import called, check_refused


@pytest.fixture
def table(tmp_path):
    rows = {
        "category": [f"c{k % 12}" for k in range(120)],
        "correct": [int(k % 3 > 0) for k in range(120)] + [],
        "token": [0.95] * 120,
        "stated": [None if k == 5 else "90%" for k in range(120)],
    }
    path = tmp_path / "model.csv"
    pl.DataFrame(rows).write_csv(path)
    return path


def test_a_table_of_kinds(table):
    done = called("evals", table)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["model", "task", "kind"]
    assert [line.split()[2] for line in lines[1:]] == ["token", "stated"]
    assert "overconfident by 0.28" in lines[1]
    assert "1 file: a table with a row for each attempt" in done.stderr


def test_json_has_every_number(table):
    (token,) = json.loads(called("evals", table, "--kind", "token", "--json").stdout)
    assert token["score"] == "CalibScore"
    assert token["attempts"] == token["n"] == 120
    assert token["groups"] == 12
    assert token["low"] < token["value"] < token["high"]
    assert token["signature"].startswith("CalibScore|n=120|groups=12")
    assert token["verdict"].startswith("overconfident")


def test_written_answers_are_read_by_other_commands(table, tmp_path):
    out = tmp_path / "stated.parquet"
    done = called("evals", table, "--kind", "stated", "-o", out)
    assert "a row for each answer with a confidence of the kind stated" in done.stderr
    scored = called("score", out, "--json")
    assert json.loads(scored.stdout)[0]["n"] == 119
    every = tmp_path / "all.parquet"
    assert "all attempts" in called("evals", table, "-o", every).stderr
    assert pl.read_parquet(every).height == 120


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "state"], "Did you mean stated?"),
        (["--columns", "token"], "--columns must be ROLE=NAME"),
        (["--columns", "token=p"], "has no column 'p' for token"),
        (["--from", "lmeval"], "Did you mean lm-eval?"),
        (["--score", "Briar"], "Did you mean Brier?"),
        (["-o", "x.txt"], "its name must end in one of"),
        (["--level", "2"], "--level"),
    ],
)
def test_bad_options_are_refused_in_one_line(table, words, message):
    check_refused(called("evals", table, *words), message)


def test_the_log_is_never_overwritten(table):
    check_refused(called("evals", table, "-o", table), "model.csv")
    assert table.read_text().startswith("category")


def test_missing_files(tmp_path):
    check_refused(called("evals", tmp_path / "no.jsonl"), "There is no file")
    check_refused(called("evals", tmp_path), "contains no logs")


def test_maps_of_kinds(tmp_path):
    rng = np.random.default_rng(0)
    q = rng.choice([0.5, 0.8, 0.9, 0.95], 400)
    right = rng.random(400) < q - 0.3
    pl.DataFrame({"correct": right, "stated": q}).write_csv(tmp_path / "log.csv")
    done = called("recalibrate-evals", "log.csv", "-o", "maps", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "use it" in done.stdout
    answers = ("evals", "log.csv", "--kind", "stated", "-o", "answers.csv")
    assert called(*answers, cwd=tmp_path).returncode == 0
    done = called("score", "answers.csv", "--with", "maps/log-table-stated.json", cwd=tmp_path)
    assert "learnt from these pairs" in done.stderr
    refused = called("recalibrate-evals", "log.csv", "-o", "answers.csv", cwd=tmp_path)
    check_refused(refused, "-o names a folder")
