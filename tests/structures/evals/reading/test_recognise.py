import pytest
from made_logs import option_row, text_row

import calibrant as cb
from calibrant.errors import FileError, UnknownName


def test_lines_are_recognised_whatever_the_file_is_called(samples):
    path = samples(option_row(0, [-1.0, -2.0], "0"), name="whatever.jsonl")
    evals = cb.read_evals(path)
    assert evals.kinds[0] == "choice"
    assert evals.notes[0] == "1 file: samples of lm-evaluation-harness"


def test_folders_and_several_files(samples, tmp_path):
    for model in "ab":
        row = text_row(0, ["x"], "x", exact_match=1.0)
        samples(row, name=f"{model}__samples_t_2026-01-02T03-04-05.jsonl")
    (tmp_path / "results_2026.json").write_text("{}")
    evals = cb.read_evals(tmp_path)
    assert [part.model for part in evals.parts()] == ["a", "b"]
    assert len(cb.read_evals(sorted(tmp_path.glob("*.jsonl")))) == 2
    (tmp_path / "table.csv").write_text("gold,answer\nA,A\n")
    with pytest.raises(FileError, match="several formats"):
        cb.read_evals(tmp_path)


def test_bad_paths(tmp_path):
    with pytest.raises(FileError, match="There is no file"):
        cb.read_evals(tmp_path / "none.jsonl")
    with pytest.raises(FileError, match="contains no logs"):
        cb.read_evals(tmp_path)
    (tmp_path / "x.bin").write_bytes(b"\x00\x01")
    with pytest.raises(FileError, match=r"not a log that can be read\. Known: lm-eval"):
        cb.read_evals(tmp_path / "x.bin")
    with pytest.raises(UnknownName, match="Did you mean lm-eval"):
        cb.read_evals(tmp_path, format="lmeval")


def test_an_attempt_that_occurs_twice_is_named(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("question,epoch,answer,gold\na,1,A,A\nb,1,A,B\na,1,B,A\n")
    with pytest.raises(
        FileError, match=r"m.csv, attempt 1 and .*m.csv, attempt 3: epoch 1 of m at question a of"
    ):
        cb.read_evals(path)


def test_files_of_several_formats_are_named(samples, tmp_path):
    samples(option_row(0, [-1.0, -2.0], "0"), name="samples_t_2026-01-02T03-04-05.jsonl")
    (tmp_path / "table.csv").write_text("gold,answer\nA,A\n")
    with pytest.raises(
        FileError, match=r"lm-eval in samples_t_.*\.jsonl, table in table.csv\): name"
    ):
        cb.read_evals(tmp_path)


def test_empty_files(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("\n")
    with pytest.raises(FileError, match=r"x.jsonl is empty\."):
        cb.read_evals(path)
