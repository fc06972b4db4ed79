import json

import polars
import pytest
from made_pages import made_predictions
from process import called, check_refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recalibrate")
    made_predictions(3000).write_parquet(folder / "dev.parquet")
    made_predictions(1000, seed=1).write_csv(folder / "test.csv")
    done = called("recalibrate", "dev.parquet", "-o", "map.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Use it: Brier changes by" in done.stderr
    assert done.stdout.splitlines()[1].startswith("Brier ")
    return folder


def test_apply(folder):
    done = called("apply", "map.json", "test.csv", "-o", "fixed.parquet", cwd=folder)
    assert done.returncode == 0, done.stderr
    fixed = polars.read_parquet(folder / "fixed.parquet")
    assert (
        fixed["q_before"].cast(polars.Float64).to_list()
        == made_predictions(1000, seed=1)["q"].to_list()
    )
    scores = [
        json.loads(called("score", name, "--json", cwd=folder).stdout)[0]["value"]
        for name in ("test.csv", "fixed.parquet")
    ]
    assert scores[1] < scores[0] / 2


def test_files_without_observations(folder):
    done = called("apply", "map.json", "-", stdin="prob,text\n0.3,a\n0.9,b\n", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "prob_before,text,prob"


def test_no_predictions(folder):
    done = called("apply", "map.json", "-", stdin="q,text\n", cwd=folder)
    check_refused(done, "standard input has column names but no rows.")


def test_json(folder):
    done = called("recalibrate", "dev.parquet", "Platt", "--json", cwd=folder)
    assert [each["when"] for each in json.loads(done.stdout)] == [
        *["before"] * 3,
        *["after"] * 3,
        "change",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["recalibrate", "dev.parquet", "Plat"], "Did you mean Platt?"),
        (["recalibrate", "dev.parquet", "-o", "map.txt"], "A map is a file in .json"),
        (["recalibrate", "dev.parquet", "--score", "ECE"], "is not a proper scoring rule"),
        (["recalibrate", "dev.parquet", "test.csv"], "takes one file, but test.csv is a second"),
        (["recalibrate", "nowhere.csv", "Plat"], "Did you mean Platt?"),  # before it is read
        (["recalibrate", "nowhere.csv", "--score", "Brier(above=0.5)"], "judge all predictions"),
        (["apply", "test.csv", "test.csv"], "test.csv is not JSON"),
        (["apply", "nowhere.json", "test.csv"], "There is no file nowhere.json."),
        (["apply", ".", "test.csv"], ". cannot be read: Is a directory."),
        (["apply", "-", "-"], "cannot both be standard input"),
        (["apply", "map.json", "test.csv", "--y", "y"], "No such option: --y"),
        (["apply", "map.json", "test.csv", "--q", "prob"], "has no column 'prob' for q"),
        (["apply", "map.json", "test.csv", "-o", "out.txt"], "its name must end in one of"),
    ],
)
def test_bad_commands(folder, words, message):
    check_refused(called(*words, cwd=folder), message)


def test_twice_is_refused(folder):
    called("apply", "map.json", "test.csv", "-o", "once.csv", cwd=folder)
    done = called("apply", "map.json", "once.csv", "-o", "twice.csv", cwd=folder)
    check_refused(done, "it seems to be recalibrated")
