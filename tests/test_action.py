"""The GitHub Action: its script, run as the runner would."""

import os
import subprocess
import sys
import textwrap
from itertools import takewhile
from pathlib import Path

import pytest
from made_pages import made_predictions

ACTION = Path(__file__).parents[1] / "action.yml"


def script():
    """The commands of the step that gates."""
    lines = ACTION.read_text("utf-8").partition("run: |\n")[2].splitlines()
    body = takewhile(lambda line: line.startswith(" " * 8), lines)
    return textwrap.dedent("\n".join(body))


@pytest.mark.parametrize(("limit", "code"), [("0.9", 0), ("0.001", 1)])
def test_the_gate_writes_a_summary_and_a_page(tmp_path, limit, code):
    made_predictions(300).write_csv(tmp_path / "preds.csv")
    given = {
        "FILE": "preds.csv",
        "SCORE": "CalibScore(size=50)",
        "LIMIT": limit,
        "END": "low",
        "OPTIONS": "--q q --group doc",
        "PAGE": str(tmp_path / "page.html"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script()]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert (tmp_path / "summary.md").read_text().startswith("| score")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_inputs_never_become_text_of_a_script():
    """What a user passes must not run: the runner replaces ${{ }} before bash reads the script."""
    assert "${{" not in script()
