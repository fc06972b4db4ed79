import csv
import io
import json

import numpy as np
import polars
import pytest
from made_pages import HOSTILE
from process import called, check_refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows whose surprise is known: the largest are y = 0 with q = 0.9 and 0.85."""
    folder = tmp_path_factory.mktemp("examples")
    q = [0.05, 0.85, 0.9, 0.86, 0.5, 0.88, 0.2, 0.81]
    y = [0, 0, 0, 1, 1, 1, 0, 1]
    text = [f"the old dog number {k}" for k in range(8)]
    frame = polars.DataFrame(
        {"y": y, "q": q, "doc": [k // 2 for k in range(8)], "text": text, "row": ["x"] * 7 + ["z"]}
    ).with_columns(begin=polars.lit(8), end=polars.lit(11))
    frame.write_csv(folder / "p.csv")
    frame.write_parquet(folder / "p.parquet")
    return folder


def shown(folder, *words):
    done = called("examples", folder / "p.parquet", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_most_surprising_rows_come_first(folder):
    found = shown(folder, "--between", 0.8, 0.9, "--n", 3)
    assert [each["row"] for each in found] == ["row 3", "row 2", "row 8"]
    assert found[0]["surprise"] == pytest.approx(-np.log1p(-0.9))
    assert [each["group"] for each in found] == [1, 0, 3]
    assert found[0]["text"] == "the old dog number 2"


def test_both_ends_belong_to_the_range(folder):
    assert len(shown(folder, "--between", 0.85, 0.9)) == 4


def test_a_random_sample_follows_its_seed(folder):
    samples = [
        tuple(each["row"] for each in shown(folder, "--order", "random", "--n", 3, "--seed", k))
        for k in range(20)
    ]
    assert samples[0] == tuple(each["row"] for each in shown(folder, "--order", "random", "--n", 3))
    assert len(set(samples)) > 10
    assert {row for each in samples for row in each} == {f"row {k}" for k in range(1, 9)}


def test_a_table_marks_the_span(folder):
    done = called("examples", folder / "p.csv", "--between", 0.8, 1, "--n", 2, "--show", "text")
    assert "the old [dog] number 2" in done.stdout
    assert "begin" not in done.stdout
    assert done.stdout.split()[:6] == ["row", "y", "q", "surprise", "group", "text"]
    assert "line 4" in done.stdout
    assert "5 rows with 0.8 ≤ q ≤ 1: mean q 0.860, frequency of y = 1 0.600; 2 shown." in (
        done.stderr
    )


def test_weights_are_rows(tmp_path):
    (tmp_path / "w.csv").write_text("gold,prob,weight,doc\n1,0.5,100,a\n0,0.9,1,b\n0,0.5,3,c\n")
    done = called("examples", tmp_path / "w.csv")
    assert "3 rows with 0 ≤ q ≤ 1: mean q 0.504, frequency of y = 1 0.962." in done.stderr


def test_a_column_whose_name_is_taken(folder):
    found = shown(folder, "--show", "row", "--n", 1)
    assert found[0]["row"] == "row 3"
    assert found[0]["row (column)"] == "x"


@pytest.mark.parametrize("format", ["csv", "json", "text", "md"])
def test_no_rows(folder, format):
    done = called("examples", folder / "p.csv", "--between", 0.3, 0.4, "--format", format)
    assert done.returncode == 0, done.stderr
    assert "0 rows with 0.3 ≤ q ≤ 0.4." in done.stderr
    if format == "json":
        assert json.loads(done.stdout) == []
    if format == "csv":
        assert next(csv.reader(io.StringIO(done.stdout)))[:3] == ["row", "y", "q"]


def test_draws_and_standard_input():
    given = "gold,yes,n\n1,0,4\n0,1,4\n1,3,4\n"
    words = ("-", "--y", "gold", "--yes", "yes", "--draws", "n", "--json")
    done = called("examples", *words, stdin=given)
    found = json.loads(done.stdout)
    assert [each["q"] for each in found] == [0, 0.25, 0.75]
    assert found[0]["surprise"] is None  # infinite


def test_hostile_texts_are_one_line_in_a_table(tmp_path):
    frame = polars.DataFrame({"y": [1] * len(HOSTILE), "q": [0.5] * len(HOSTILE), "text": HOSTILE})
    frame.write_parquet(tmp_path / "p.parquet")
    done = called("examples", tmp_path / "p.parquet")
    assert done.returncode == 0, done.stderr
    assert "\u202e" not in done.stdout
    assert "\x00" not in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--between", 0.9, 0.8], "low must not exceed high"),
        (["--between", 0, 90], "For 90 % write 0.9"),
        (["--order", "surprised"], "Did you mean surprise?"),
        (["--n", 0], "--n must be"),
        (["--seed", -1], "seed"),
        (["--show", "txt"], "Did you mean text?"),
    ],
)
def test_bad_commands(folder, words, message):
    check_refused(called("examples", folder / "p.csv", *words), message)


def test_summaries_have_no_rows(folder):
    assert called("summarise", folder / "p.csv", "-o", folder / "s.parquet").returncode == 0
    check_refused(called("examples", folder / "s.parquet"), "is a summary, which has no rows")
    check_refused(called("examples", folder), "give one file of predictions")
