"""`calibrant count` and `calibrant plan`, from files to files."""

import json
import runpy
from pathlib import Path

import polars
import pytest
from typer.testing import CliRunner

import calibrant as cb
from calibrant.cli.main import app
from calibrant.errors import CalibrantError, command_line

NEWS = Path(__file__).parents[2] / "examples" / "news.py"
runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("count")
    news = runpy.run_path(str(NEWS))["make"]().head(1200)
    news.drop("truth").write_csv(folder / "news.csv")
    news.write_parquet(folder / "all.parquet")
    return folder


def run(*words):
    with command_line():
        return runner.invoke(app, [str(word) for word in words])


def test_the_command_says_what_the_verb_says(folder):
    done = run("count", folder / "news.csv", "--labels", "random", "--by", "date:month", "--json")
    assert done.exit_code == 0, done.stderr
    wanted = cb.count(folder / "news.csv", by="date:month", labels="random")
    assert json.loads(done.stdout) == json.loads(json.dumps(wanted.to_dicts()))
    assert wanted.sentence in done.stderr


def test_a_figure_is_drawn(folder):
    path = folder / "counts.png"
    done = run("count", folder / "news.csv", "--no-y", "--by", "date:month", "-o", path)
    assert done.exit_code == 0, done.stderr
    assert path.read_bytes().startswith(b"\x89PNG")


def test_planned_labels_are_counted(folder):
    label, filled = folder / "label.csv", folder / "filled.csv"
    news = folder / "news.csv"
    done = run("plan", news, "--group", "article", "--width", "0.15", "-o", label, "--json")
    assert done.exit_code == 0, done.stderr
    plan = polars.read_csv(label)
    assert json.loads(done.stdout)[0]["planned"] == plan.height
    assert plan["y"].is_null().any()
    truth = polars.read_parquet(folder / "all.parquet")["truth"]
    plan.with_columns(y=truth[plan["row"] - 1]).write_csv(filled)
    done = run("count", news, "--group", "article", "--gold", filled, "--key", "row", "--json")
    assert done.exit_code == 0, done.stderr
    total = json.loads(done.stdout)[-1]
    assert total["labels"] == plan.height
    assert total["low"] <= truth.mean() <= total["high"]
    assert "rows have no label" not in done.stderr
    done = run("count", news, "--group", "article", "--gold", label, "--key", "row")
    assert "rows have no label" in done.stderr


def test_differences_and_trends_are_printed(folder):
    done = run(
        *("count", folder / "news.csv", "--no-y", "--by", "date:month"),
        *("--trend", "--difference", "2019-01, 2019-02"),
    )
    assert "2019-01 − 2019-02: " in done.stdout
    assert "trend per year: " in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Were they drawn at random? Say --labels random"),
        (["--labels", "random", "--difference", "2019"], "--difference takes two categories"),
        (["--labels", "random", "--difference", "a,b"], "There is no category 'a'"),
        (["--labels", "random", "--trend"], "at least three categories"),
        (["--gold", "news.csv"], "--key"),
        (["--label-weight", "wight"], "no column 'wight'"),
        (["--y", "prob"], "cannot be both y and q"),
        (["--no-y", "--level", "95"], "--level 0.95"),
        (["--no-y", "--elsewhere", "nothing.csv"], "There is no file nothing.csv"),
        (["--no-y", "-o", "news.doc"], "ending"),
    ],
)
def test_bad_commands_are_told(folder, monkeypatch, words, told):
    monkeypatch.chdir(folder)
    done = run("count", "news.csv", *words)
    assert isinstance(done.exception, CalibrantError)
    assert told in str(done.exception)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--width", "2"], "--width is that of the interval of a share"),
        (["--width", "0.1", "--even", "0"], "--even must be above 0"),
        (["--width", "0.1", "--draw-groups", "--no-group"], "name their column with --group"),
        (["--width", "0.001", "--score", "CalibScore"], "there are only"),
        (["--width", "0.1", "-o", "news.csv"], "would overwrite"),
    ],
)
def test_bad_plans_are_told(folder, monkeypatch, words, told):
    monkeypatch.chdir(folder)
    done = run("plan", "news.csv", *words)
    assert isinstance(done.exception, CalibrantError)
    assert told in str(done.exception)


def test_a_pilot_without_labels_is_told(folder):
    bare = folder / "bare.csv"
    polars.read_csv(folder / "news.csv").drop("y").write_csv(bare)
    done = run("plan", folder / "news.csv", "--width", "0.1", "--pilot", bare)
    assert isinstance(done.exception, CalibrantError)
    assert "has no labels" in str(done.exception)
