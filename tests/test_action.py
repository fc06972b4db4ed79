"""The GitHub Action: its script, run as the runner would."""

import os
import subprocess
import sys
import textwrap
from itertools import takewhile
from pathlib import Path

import polars
import pytest
from made_pages import made_predictions

ACTION = Path(__file__).parents[1] / "action.yml"


def script():
    """The commands of the step that gates."""
    lines = ACTION.read_text("utf-8").partition("run: |\n")[2].splitlines()
    body = takewhile(lambda line: line.startswith(" " * 8), lines)
    return textwrap.dedent("\n".join(body))


def gated(folder, **inputs):
    """Run the step on made predictions, beside those of a worse model in another order."""
    made = made_predictions(300).with_row_index("id")
    made.write_csv(folder / "preds.csv")
    worse = made.with_columns(q=1 - polars.col("q"))
    worse.reverse().write_csv(folder / "worse model.csv")
    given = {
        "FILE": "preds.csv",
        "SCORE": "CalibScore(size=50)",
        "LIMIT": "",
        "END": "value",
        "BASELINE": "",
        "KEY": "",
        "OPTIONS": "--q q --group doc",
        "PAGE": str(folder / "page.html"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()],
        cwd=folder,
        env={**os.environ, **given, **inputs},
        capture_output=True,
        text=True,
        check=False,
    )


WORSE = {"FILE": "worse model.csv", "BASELINE": "preds.csv", "KEY": "id"}
BETTER = {"FILE": "preds.csv", "BASELINE": "worse model.csv", "KEY": "id"}
GATES = {
    "below the limit": ({"LIMIT": "0.9", "END": "low"}, 0),
    "worse": (WORSE, 1),
    "better": (BETTER, 0),
    "better, but above the limit": (BETTER | {"LIMIT": "0.001"}, 1),
}


@pytest.mark.parametrize("name", GATES)
def test_the_gate_writes_a_summary_and_a_page(tmp_path, name):
    inputs, code = GATES[name]
    done = gated(tmp_path, **inputs)
    assert done.returncode == code, done.stderr
    assert (tmp_path / "summary.md").read_text().startswith("| score")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_an_action_without_a_gate_fails(tmp_path):
    done = gated(tmp_path)
    assert done.returncode == 2
    assert "give fail-above or fail-if-worse" in done.stderr


def test_inputs_never_become_text_of_a_script():
    """What a user passes must not run: the runner replaces ${{ }} before bash reads the script."""
    assert "${{" not in script()
