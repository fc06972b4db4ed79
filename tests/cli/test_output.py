"""What commands print and where they may write."""

import json
import math
import os

import pytest

from calibrant.calibration.intervals import Bootstrap, NormalSampling
from calibrant.cli.options import Limits, Show, _limits, _show
from calibrant.cli.output import check_figure, check_output, chosen_format, render
from calibrant.errors import FileError, ParameterError, UnknownName

TABLE = (["score", "value"], [["Brier", "0.083"]])
RECORDS = [{"score": "Brier", "value": 0.0831, "low": None, "high": float("inf")}]


def test_text_unless_asked_otherwise():
    assert chosen_format(None) == "text"
    assert chosen_format("json") == "json"
    with pytest.raises(UnknownName, match="Did you mean json"):
        chosen_format("jsn")


def test_records_keep_their_digits():
    assert json.loads(render("json", TABLE, RECORDS)) == [
        {"score": "Brier", "value": 0.0831, "low": None, "high": None}
    ]
    assert render("csv", TABLE, RECORDS).splitlines() == [
        "score,value,low,high",
        "Brier,0.0831,,inf",
    ]
    assert render("text", TABLE, RECORDS).splitlines()[1] == "Brier  0.083"


def test_one_format():
    assert _show() == Show("text", given=False)
    assert _show(json=True) == _show(format="json", json=True) == Show("json", given=True)
    assert _show(format="md") == Show("md", given=True)
    with pytest.raises(ParameterError, match="--json or --format md, not both"):
        _show(format="md", json=True)


def test_options_of_intervals():
    assert _limits() == Limits(Bootstrap(), 0.95)
    assert _limits(replicates=200, seed=3) == Limits(Bootstrap(200, seed=3), 0.95)
    assert _limits("Bootstrap(seed=9)", seed=3, level=0.9) == Limits(Bootstrap(seed=3), 0.9)
    assert _limits("NormalSampling", seed=3).interval == NormalSampling(seed=3)
    assert _limits("none").interval is None
    for words in ({"seed": 1}, {"replicates": 200}):
        with pytest.raises(ParameterError, match=r"seed|replicates"):
            _limits("none", **words)
    with pytest.raises(ParameterError, match="--replicates is for Bootstrap"):
        _limits("NormalSampling", replicates=200)


def test_an_input_is_no_output(tmp_path):
    (tmp_path / "a.csv").write_text("y,q\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    os.link(tmp_path / "a.csv", tmp_path / "hard.csv")
    (tmp_path / "sub").mkdir()
    for same in ("a.csv", "link.csv", "hard.csv", "sub/../a.csv"):
        with pytest.raises(FileError, match="would overwrite an input"):
            check_output(str(tmp_path / same), "-", str(tmp_path / "a.csv"))
    with pytest.raises(FileError, match="would overwrite an input"):
        check_output(str(tmp_path / "none.csv"), str(tmp_path / "sub/../none.csv"))
    check_output(str(tmp_path / "b.csv"), str(tmp_path / "a.csv"), "-")
    check_output("-", "-")


def test_figures(tmp_path):
    check_figure(None, "a.csv")
    check_figure(str(tmp_path / "x.png"), "a.csv")
    with pytest.raises(UnknownName, match="output file"):
        check_figure(str(tmp_path / "x.csv"))
    with pytest.raises(FileError, match="would overwrite"):
        check_figure(str(tmp_path / "x.png"), str(tmp_path / "x.png"))


def test_what_does_not_exist_is_empty_in_csv():
    assert (
        render("csv", ([], []), [{"a": math.nan, "b": None, "c": 1.5}]).splitlines()[1] == ",,1.5"
    )
