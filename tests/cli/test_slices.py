"""`calibrant slices`, and --by of other commands."""

import json

import numpy as np
import polars
import pytest
from typer.testing import CliRunner

import calibrant as cb
from calibrant.cli.main import app
from calibrant.errors import command_line

runner = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 900
    q = rng.random(n)
    genre = rng.choice(["news", "web"], n)
    frame = polars.DataFrame(
        {
            "y": (rng.random(n) < np.where(genre == "web", q**3, q)).astype(int),
            "q": q,
            "doc": rng.integers(0, 60, n),
            "genre": genre,
            "length": rng.integers(1, 90, n),
            "same": ["x"] * n,
        }
    )
    folder = tmp_path_factory.mktemp("slices")
    frame.write_csv(folder / "p.csv")
    return folder


def run(*words):
    with command_line():
        return runner.invoke(app, [str(word) for word in words])


def test_slices_are_those_of_python(folder):
    done = run("slices", folder / "p.csv", "--by", "genre", "--by", "length:3", "--json")
    assert done.exit_code == 0
    records = json.loads(done.stdout)
    assert records == cb.slices(folder / "p.csv", ["genre", "length:3"]).to_dicts()
    assert records[0]["slice"] == "genre = web"


@pytest.mark.parametrize("verb", ["slices", "score"])
def test_large_whole_numbers_are_not_merged(tmp_path, verb):
    users = [2**60, 2**60 + 1, 2**61] * 40
    q = np.linspace(0.1, 0.9, 120)
    frame = polars.DataFrame({"y": [0, 1] * 60, "q": q, "user": users})
    for path in (tmp_path / "u.csv", tmp_path / "u.parquet"):
        frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
        done = run(verb, path, "--by", "user", "--json")
        names = {each["slice"] for each in json.loads(done.stdout)}
        assert names == {f"user = {each}" for each in users}


def test_the_sentence_is_a_note(folder):
    done = run("slices", folder / "p.csv", "--by", "genre*length:2", "--interval", "none")
    assert "“genre = web”" in done.stderr
    assert "“" not in done.stdout
    assert "genre = web, length = " in done.stdout


def test_the_worst_of_all_columns(folder):
    done = run("slices", folder / "p.csv", "--worst", "--json")
    records = json.loads(done.stdout)
    assert records[0]["slice"].startswith("genre = web")
    assert "left out: Column 'same'" in done.stderr
    assert records == cb.slices(folder / "p.csv", worst=True).to_dicts()


def test_scores_of_slices(folder):
    done = run("score", folder / "p.csv", "Brier", "ECE", "--by", "genre", "--json")
    records = json.loads(done.stdout)
    assert [(r["slice"], r["score"]) for r in records[:2]] == [
        ("genre = news", "Brier"),
        ("genre = news", "ECE"),
    ]
    news = polars.read_csv(folder / "p.csv").filter(polars.col("genre") == "news")
    assert records[0]["value"] == pytest.approx(cb.score(news, "Brier").value)
    assert "not adjusted" in done.stderr


def test_a_gate_names_the_slice(folder):
    done = run("score", folder / "p.csv", "--by", "genre", "--fail-above", "0.1")
    assert done.exit_code == 1
    assert "genre = web: CalibScore" in done.stderr


def test_descriptions_of_slices(folder):
    done = run("describe", folder / "p.csv", "--by", "genre", "--format", "csv")
    assert done.stdout.splitlines()[0].startswith("slice,name,")
    assert "genre = web: Overall, y = 1 is over-forecast" in done.stderr


def test_curves_of_slices(folder):
    done = run("curve", folder / "p.csv", "--by", "genre", "--json")
    assert {record["slice"] for record in json.loads(done.stdout)} == {
        "genre = news",
        "genre = web",
    }
    for ending in ("svg", "csv", "parquet"):
        path = folder / f"genres.{ending}"
        assert run("curve", folder / "p.csv", "--by", "genre", "-o", path).exit_code == 0
        assert path.exists()
    assert polars.read_parquet(folder / "genres.parquet")["slice"].n_unique() == 2


def test_small_slices_are_noted(folder):
    frame = polars.read_csv(folder / "p.csv")
    one = frame.with_columns(genre=polars.Series(["rare", *frame["genre"].to_list()[1:]]))
    one.write_csv(folder / "rare.csv")
    done = run("describe", folder / "rare.csv", "--by", "genre")
    assert done.exit_code == 0
    assert "genre = rare: All pairs belong to one group" in done.stderr


@pytest.mark.parametrize("command", ["slices", "score", "describe", "curve"])
@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("genr", "has no column 'genr'. Did you mean genre?"),
        ("length:0", "--by length:0: after the colon"),
        ("length:x", "--by length:x: after the colon"),
        ("genre:5", "use --by genre"),
        ("y", "holds the observations"),
        ("doc", "use --no-group"),
        ("same", "the same value in all rows"),
    ],
)
def test_bad_columns(folder, command, by, message):
    done = run(command, folder / "p.csv", "--by", by)
    assert done.exit_code != 0
    assert message in str(done.exception)
    assert "\n" not in str(done.exception)


def test_summaries_have_no_columns(folder):
    run("summarise", folder / "p.csv", "-o", folder / "summary.parquet")
    done = run("slices", folder / "summary.parquet", "--by", "genre")
    assert "is a summary, which has no rows" in str(done.exception)
    for command in ("slices", "score"):
        assert run(command, folder, "--by", "genre").exit_code != 0
    done = run("score", folder / "p.csv", folder / "rare.csv", "--by", "genre")
    assert "--by takes the predictions of one file" in str(done.exception)


def test_a_figure_of_descriptions_is_refused(folder):
    done = run("describe", folder / "p.csv", "--by", "genre", "-o", folder / "x.png")
    assert "leave -o out" in str(done.exception)
