import json

import polars
import pytest

import calibrant as cb
from calibrant.errors import FileError
from calibrant.studies import writing
from calibrant.studies.progress import QUIET, Progress
from calibrant.studies.sections import Draft, Drawn, Section
from calibrant.studies.writing import check_folder, run_study

PAIRS = cb.synthetic.sample(300, seed=1)


class Row:
    name = "x|y"
    score = cb.score(PAIRS, cb.CalibScore(size=50))


def draft(name="few"):
    section = Section(name, "Few", {"name": "a", "score": "score"}, [Row()], "Words.")
    figure = Drawn("curve", "A curve", cb.plot({"made": cb.curve(PAIRS)}))
    return Draft("Title", [section], ["Found."], {"n": 1}, [figure])


def test_all_files_are_written(tmp_path):
    said = []
    found = run_study(tmp_path / "out", Progress(say=said.append), draft)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"few.csv", "report.md", "results.json", "curve.png", "curve.svg"}
    assert {path.name for path in found.files} == names
    assert all(path.parent == tmp_path / "out" for path in found.files)
    assert said[0].startswith(f"5 files in {tmp_path / 'out'}, ")
    assert polars.read_csv(tmp_path / "out" / "few.csv")["score low"][0] == Row.score.low
    report = (tmp_path / "out" / "report.md").read_text()
    assert "x\\|y" in report
    assert "![A curve](curve.png)" in report
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert set(results["files"]) == names
    assert results["n"] == 1
    assert results["tables"]["few"][0]["a"] == "x|y"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_another_study_replaces_all_files(tmp_path):
    run_study(tmp_path / "out", QUIET, lambda: draft("old"))
    run_study(tmp_path / "out", QUIET, lambda: draft("new"))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "new.csv" in names
    assert "old.csv" not in names


def killed(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("between", ["at work", "between two files"])
def test_a_study_that_is_killed_leaves_the_old_folder(between, tmp_path, monkeypatch):
    run_study(tmp_path / "out", QUIET, lambda: draft("old"))
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    if between == "between two files":
        monkeypatch.setattr(writing, "save_figure", killed)
    with pytest.raises(KeyboardInterrupt):
        run_study(tmp_path / "out", QUIET, killed if between == "at work" else draft)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def refused(folder, message):
    """Refused before any work is done."""
    with pytest.raises(FileError, match=message):
        run_study(folder, QUIET, lambda: pytest.fail("worked for nothing"))


def test_folders_with_other_files_are_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        (tmp_path / "mine" / name).write_text("notes")
    refused(tmp_path / "mine", "must be a new folder .* contains a.txt, b.txt, c.txt and 1 more")
    assert len(list((tmp_path / "mine").iterdir())) == 4
    run_study(tmp_path / "out", QUIET, draft)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    refused(tmp_path / "out", r"contains notes\.txt\.$")


@pytest.mark.parametrize("text", ["{", "[]", '{"files": 3}', "[" * 100_000])
def test_a_damaged_list_of_files_protects_them(tmp_path, text):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text(text)
    refused(tmp_path / "out", "contains results.json")


def test_files_and_the_current_folder_are_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    refused(tmp_path / "file", "file is a file, but a study writes a folder")
    refused(tmp_path / "file" / "out", "cannot be written")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    refused(".", "is the current folder")


def test_new_and_empty_folders_are_fine(tmp_path):
    (tmp_path / "empty").mkdir()
    check_folder(tmp_path / "empty")
    check_folder(tmp_path / "new" / "deep")
