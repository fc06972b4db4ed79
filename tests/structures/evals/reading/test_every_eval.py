import json

import pytest

import calibrant as cb
from calibrant.errors import FileError, ParameterError


def line(sample, right, raw, **more):
    return {
        "sample_id": sample,
        "evaluation_name": "sums",
        "model_id": "m",
        "evaluation": {"score": float(bool(right)), "is_correct": right},
        "input": {"raw": "2 + 2? How sure are you?", "reference": ["4"]},
        "output": {"raw": [raw]},
    } | more


def write(tmp_path, *rows):
    path = tmp_path / "abc_samples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_answers(tmp_path):
    path = write(
        tmp_path,
        line("a", True, "4. Confidence: 90%"),
        line("a", False, "5"),
        line("b", None, "6"),
        line("c", True, ""),
    )
    evals = cb.read_evals(path)
    assert evals.frame["correct"].to_list() == [True, False, None, True]
    assert evals.frame["epoch"].to_list() == [1, 2, 1, 1]
    assert evals.frame["stated"].to_list() == [0.9, None, None, None]
    assert evals.set_aside() == {"unscored": 1, "unparsed": 1}


def test_a_bad_line(tmp_path):
    with pytest.raises(FileError, match="line 2: no evaluation, input, output"):
        cb.read_evals(write(tmp_path, line("a", True, "4"), {"sample_id": 1}))


@pytest.mark.parametrize("version", ["instance_level_eval_0.2.2", "0.3.0", "0.1"])
def test_known_versions(tmp_path, version):
    assert (
        cb.read_evals(write(tmp_path, line("a", True, "4", schema_version=version))).accuracy == 1
    )


@pytest.mark.parametrize("version", ["instance_level_eval_0.4.0", "1.0.0", "new", 3])
def test_unknown_versions_are_refused(tmp_path, version):
    rows = [line("a", True, "4"), line("b", True, "4", schema_version=version)]
    with pytest.raises(FileError, match=rf"line 2, schema_version: '{version}' is not known"):
        cb.read_evals(write(tmp_path, *rows))


def test_a_group_that_no_line_has_is_refused(tmp_path):
    path = write(tmp_path, line("a", True, "4", metadata={"topic": "sums"}))
    assert cb.read_evals(path, group="topic").frame["group"].to_list() == ["sums"]
    with pytest.raises(ParameterError, match="group=place: no question"):
        cb.read_evals(path, group="place")
