"""`calibrant summarise`, and commands that take many files."""

import json

import numpy as np
import polars
import pytest
from process import called

import calibrant as cb
from calibrant.tables import large


@pytest.fixture
def parts(tmp_path):
    rng = np.random.default_rng(0)
    q = rng.random(6000)
    y, doc = (rng.random(q.size) < q**1.2).astype(int), rng.integers(0, 70, q.size)
    frame = polars.DataFrame({"gold": y, "prob": q, "doc": doc})
    for k in range(3):
        frame[k::3].write_parquet(tmp_path / f"part{k}.parquet")
    frame.write_parquet(tmp_path.parent / f"{tmp_path.name}-all.parquet")
    return tmp_path, tmp_path.parent / f"{tmp_path.name}-all.parquet"


def score(*words):
    found = called("score", *words, "--json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)[0]


def test_summaries_of_parts_give_the_score_of_the_whole(parts, tmp_path):
    folder, whole = parts
    made = []
    for k in range(3):
        made.append(str(tmp_path / f"made{k}.parquet"))
        found = called("summarise", str(folder / f"part{k}.parquet"), "-o", made[-1])
        assert found.returncode == 0, found.stderr
        assert "2000 pairs on" in found.stdout
    together, at_once = score(*made), score(str(whole))
    for name in ("value", "low", "high"):
        assert together[name] == pytest.approx(at_once[name], abs=1e-3)
    assert together["n"] == at_once["n"] == 6000
    assert together["groups"] == at_once["groups"] == 70


@pytest.mark.parametrize("verb", ["score", "test", "describe", "decompose", "curve"])
def test_every_command_takes_patterns_and_folders(verb, parts):
    folder, _ = parts
    for path in (str(folder), f"{folder}/part*.parquet"):
        found = called(verb, path)
        assert found.returncode == 0, found.stderr
        assert "stands for many files: sums over cells" in found.stderr


def test_further_files_are_told_from_scores(parts):
    folder, _ = parts
    files = [str(folder / f"part{k}.parquet") for k in range(3)]
    found = called("score", *files, "Brier", "ECE")
    assert found.returncode == 0, found.stderr
    assert [line.split()[0] for line in found.stdout.splitlines()] == ["score", "Brier", "ECE"]
    assert "6000" in found.stdout
    assert called("test", *files, "Cox").returncode == 0
    assert called("describe", *files).returncode == 0


@pytest.mark.parametrize(("verb", "name"), [("decompose", "LogLoss"), ("curve", "Kernel")])
def test_further_files_are_told_from_one_name(verb, name, parts):
    folder, whole = parts
    files = [str(folder / f"part{k}.parquet") for k in range(3)]
    several, pattern = called(verb, *files, name), called(verb, f"{folder}/part*.parquet", name)
    assert several.returncode == 0, several.stderr
    assert several.stdout == pattern.stdout
    twice = called(verb, str(whole), name, "part9.prq")
    assert twice.returncode == 2
    assert f"can be given once, but these are 2: {name}, part9.prq" in twice.stderr


def test_large_files_are_summarised_and_it_is_said(parts, monkeypatch):
    _, whole = parts
    monkeypatch.setattr(large, "memory_size", lambda: 8 * whole.stat().st_size - 1)
    found = called("score", str(whole))
    assert found.returncode == 0
    assert "more than an eighth of the memory" in found.stderr
    monkeypatch.setattr(large, "memory_size", lambda: 8 * whole.stat().st_size)
    assert "eighth" not in called("score", str(whole)).stderr


def test_summaries_say_what_they_are(parts, tmp_path):
    _, whole = parts
    path = str(tmp_path / "made.parquet")
    called("summarise", str(whole), "-o", path, "--folds", "16", "--rows", "500")
    pairs = cb.read(path)
    assert pairs.folds == 16
    assert len(pairs) <= 500
    assert f"{path}: a summary of 1 file, 6000 pairs" in called("score", path).stderr
    assert "folds=16" in score(path)["signature"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x.csv"], "x.csv cannot be written: a summary is Parquet"),
        (["-o", "x.parquet", "--folds", "3"], "--folds must be a power of two from 2 to 4096"),
        (["-o", "x.parquet", "--rows", "0"], "--rows must be a whole number of at least 1"),
        (["-o", "x.parquet", "--y", "nothing"], "has no column 'nothing' for y"),
    ],
)
def test_wrong_options_are_told_in_one_line(words, message, parts):
    _, whole = parts
    found = called("summarise", str(whole), *words)
    assert found.returncode == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


def test_standard_input_and_summaries_can_be_mixed(parts, tmp_path):
    folder, _ = parts
    made, both = str(tmp_path / "made.parquet"), str(tmp_path / "both.parquet")
    called("summarise", str(folder / "part0.parquet"), "-o", made)
    text = polars.read_parquet(folder / "part1.parquet").write_csv()
    found = called("summarise", "-", made, "--no-group", "-o", both, stdin=text)
    assert found.returncode == 0, found.stderr
    assert "4000 pairs on" in found.stdout
    assert "groups" not in found.stdout


def test_summaries_of_two_models_are_compared(parts, tmp_path):
    _, whole = parts
    other = tmp_path / "squared.parquet"
    polars.read_parquet(whole).with_columns(prob=polars.col("prob") ** 2).write_parquet(other)
    made = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    for path, output in zip((whole, other), made, strict=True):
        called("summarise", str(path), "-o", output)
    summed, plain = (called("compare", *files, "--json") for files in (made, (whole, other)))
    assert summed.returncode == plain.returncode == 0, summed.stderr
    for one, two in zip(json.loads(summed.stdout), json.loads(plain.stdout), strict=True):
        assert one["value"] == pytest.approx(two["value"], abs=2e-3)


@pytest.mark.parametrize("words", [["--y", "gold"], ["--q", "prob"], ["--group", "doc"]])
def test_columns_of_summaries_cannot_be_named(words, parts, tmp_path):
    _, whole = parts
    made = str(tmp_path / "made.parquet")
    called("summarise", str(whole), "-o", made)
    found = called("score", made, *words)
    assert found.returncode == 2
    assert f"is a summary, whose columns are fixed: leave {words[0]} out" in found.stderr


def test_a_file_that_is_given_twice_is_refused(parts):
    folder, _ = parts
    found = called("score", str(folder), str(folder / "part0.parquet"))
    assert found.returncode == 2
    assert "part0.parquet is given twice: its rows would count twice" in found.stderr


def test_a_file_that_is_read_is_not_written_over(parts):
    _, whole = parts
    found = called("summarise", str(whole), "-o", str(whole))
    assert found.returncode == 2
    assert "is one of the files to read: give it another name" in found.stderr
    assert len(polars.read_parquet(whole)) == 6000
