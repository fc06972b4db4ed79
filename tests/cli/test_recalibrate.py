import json

import numpy as np
import polars
import pytest
from made_pages import made_predictions
from process import called, check_refused

from calibrant.calibration.recalibration.saved import _checksum


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


def test_an_infinite_loss(folder):
    rows = "".join(f"{k % 2},{k % 3 / 2}\n" for k in range(60))
    done = called("recalibrate", "-", "--score", "LogLoss", stdin=f"y,q\n{rows}", cwd=folder)
    check_refused(done, "20 of 60 predictions are exactly 0 or 1 and wrong")
    clip = ("--score", "LogLoss(clip=1e-6)")
    assert called("recalibrate", "-", *clip, stdin=f"y,q\n{rows}", cwd=folder).returncode == 0


@pytest.mark.parametrize("words", [["apply", "old.json", "test.csv"], ["score", "dev.parquet"]])
def test_maps_that_are_not_complete(folder, words):
    """A map as another version may have written it: all is well but a part that is not there."""
    body = json.loads((folder / "map.json").read_text())
    del body["checksum"], body["evidence"]["method"]
    whole = body | {"checksum": _checksum(body)}
    (folder / "old.json").write_text(json.dumps(whole))
    option = ["--with", "old.json"] if words[0] == "score" else []
    check_refused(called(*words, *option, cwd=folder), "old.json is not a complete map")


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
        (
            ["recalibrate", "dev.parquet", "test.csv"],
            "learnt from one file, but test.csv is a second",
        ),
        (["recalibrate", "nowhere.csv", "Plat"], "Did you mean Platt?"),  # before it is read
        (["recalibrate", "nowhere.csv", "--score", "Brier(above=0.5)"], "judge all predictions"),
        (["apply", "test.csv", "test.csv"], "test.csv is not JSON"),
        (["apply", "nowhere.json", "test.csv"], "There is no file nowhere.json."),
        (["apply", ".", "test.csv"], ". cannot be read: Is a directory."),
        (["apply", "-", "-"], "cannot both be standard input"),
        (["apply", "map.json", "test.csv", "--y", "y"], "leave --y out"),
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


def test_mapped_before_scoring(folder):
    called("apply", "map.json", "test.csv", "-o", "mended.csv", cwd=folder)
    for words in (["score"], ["test"], ["describe"], ["curve"], ["decompose"], ["slices", "--by"]):
        verb, *by = words
        by = [*by, "genre"] if by else []
        one = called(verb, "test.csv", *by, "--with", "map.json", "--json", cwd=folder)
        other = called(verb, "mended.csv", *by, "--q", "q", "--json", cwd=folder)
        assert one.returncode == 0, one.stderr
        assert "map.json: " in one.stderr
        assert one.stdout == other.stdout


def test_what_with_refuses(folder):
    done = called("score", "dev.parquet", "--with", "map.json", cwd=folder)
    assert "learnt from these pairs, so they cannot tell" in done.stderr
    check_refused(called("score", "test.csv", "--with", "no.json", cwd=folder), "no file no.json")
    words = ("score", "test.csv", "dev.parquet", "--with", "map.json")
    check_refused(called(*words, cwd=folder), "--with maps the predictions of one file")


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    names = ["noun", "verb", "other"]
    for seed, name in enumerate(("dev", "test")):
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet([1, 1, 1], 900)
        bold = truth**2 / (truth**2).sum(axis=1, keepdims=True)
        gold = [rng.choice(names, p=row) for row in truth]
        columns = {f"prob_{each}": bold[:, k] for k, each in enumerate(names)}
        frame = polars.DataFrame({"doc": np.arange(900) // 15, "label": gold} | columns)
        frame.write_csv(folder / f"{name}.csv")
    words = ("recalibrate-classes", "dev.csv", *COLUMNS, "--gold", "label", "-o", "map.json")
    done = called(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Use it: Brier of 3 classes changes by" in done.stderr
    return folder


COLUMNS = ("--columns", "prob_*")


def test_classes_are_mapped(classes):
    done = called("apply", "map.json", "test.csv", *COLUMNS, "-o", "fixed.csv", cwd=classes)
    assert done.returncode == 0, done.stderr
    fixed = polars.read_csv(classes / "fixed.csv")
    assert fixed.columns == polars.read_csv(classes / "test.csv").columns
    rows = fixed.select(polars.sum_horizontal("^prob_.*$")).to_series()
    assert rows.is_between(1 - 1e-9, 1 + 1e-9).all()
    loss = [
        json.loads(
            called(
                *("score-classes", name, *COLUMNS, "--gold", "label", "--loss", "LogLoss"),
                *("--json", "--interval", "none"),
                cwd=classes,
            ).stdout
        )[0]["value"]
        for name in ("test.csv", "fixed.csv")
    ]
    assert loss[1] < loss[0] - 0.05


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["apply", "map.json", "test.csv"], "name the columns of probabilities"),
        (["apply", "map.json", "test.npz", *COLUMNS], "test.npz holds arrays"),
        (["apply", "map.json", "test.csv", "--columns", "prob_noun"], "at least two classes"),
        (["recalibrate-classes", "dev.csv", "Beta", *COLUMNS], "not a method for rows of classes"),
        (["recalibrate-classes", "dev.csv", *COLUMNS, "-o", "map.txt"], "A map is a file in .json"),
        (["recalibrate-classes", "dev.csv", *COLUMNS, "--score", "ECE"], "not a proper scoring"),
        (["score", "one.csv", "--with", "map.json"], "learnt from rows of classes"),
    ],
)
def test_bad_commands_of_classes(classes, words, message):
    (classes / "one.csv").write_text("y,q\n0,0.2\n1,0.7\n")
    gold = ["--gold", "label"] if words[0] == "recalibrate-classes" else []
    check_refused(called(*words, *gold, cwd=classes), message)


def test_a_map_of_pairs_takes_no_classes(folder):
    done = called("apply", "map.json", "test.csv", *COLUMNS, cwd=folder)
    check_refused(done, "--columns is for maps of classes")


def test_predictions_of_another_column(folder):
    words = ("recalibrate", "dev.parquet", "Platt", "--q", "q", "-o", "named.json")
    assert called(*words, "--interval", "none", cwd=folder).returncode == 0
    frame = made_predictions(1000, seed=1)
    frame.rename({"q": "other"}).write_csv(folder / "other.csv")
    for command in (["apply", "named.json", "other.csv"], ["score", "other.csv"]):
        through = ["--with", "named.json"] if command[0] == "score" else []
        done = called(*command, "--q", "other", *through, cwd=folder)
        assert "learnt from the column 'q', but these predictions are 'other'" in done.stderr
    done = called("apply", "named.json", "test.csv", "-o", "same.csv", cwd=folder)
    assert "learnt from the column" not in done.stderr
