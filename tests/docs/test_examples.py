import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_data import DATA

FOLDER = Path(__file__).parents[2] / "examples"
NEEDS = {  # the data of examples that need some, in $CALIBRANT_DATA
    "game_forecasts": "forecasts/fivethirtyeight",
    "newsgroups": "posteriors/20news_test.npz",
    "spacy_tagger": "posteriors/spacy-en_core_web_sm-2.2.5_ud-ewt-dev.npz",
}
# a module of others; the data of pages; test_spark_job.py submits the job
ELSEWHERE = ("data_folder", "news", "spark_job")
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if path.stem not in ELSEWHERE)


def run(path, folder, data):
    """Run an example in a folder of its own, with this value of CALIBRANT_DATA or without any."""
    others = {name: value for name, value in os.environ.items() if name != "CALIBRANT_DATA"}
    return subprocess.run(
        [sys.executable, str(path), str(folder)],
        cwd=folder,
        env=others if data is None else others | {"CALIBRANT_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    needed = NEEDS.get(path.stem)
    if needed and not (DATA / needed).exists():
        pytest.skip(f"{needed} is not here")
    done = run(path, tmp_path, DATA)
    assert done.returncode == 0, done.stderr
    assert "CalibScore" in done.stdout


@pytest.mark.parametrize("name", NEEDS)
def test_missing_data_is_named_in_one_line(name, tmp_path):
    done = run(FOLDER / f"{name}.py", tmp_path, None)
    assert done.returncode == 1
    assert done.stderr == f"Set CALIBRANT_DATA to the folder that contains {NEEDS[name]}.\n"
    done = run(FOLDER / f"{name}.py", tmp_path, tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path}, does not contain {NEEDS[name]}." in done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
    assert set(NEEDS) <= {path.stem for path in EXAMPLES}
