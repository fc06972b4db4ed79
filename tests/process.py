"""The command line: as a process of its own, or called in this one, which takes less time."""

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest


def command_line(*words):
    """The words that start a command, and its environment."""
    command = [sys.executable, "-c", "from calibrant.cli.main import run; run()", *map(str, words)]
    return command, {**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}


def calibrant(*words, stdin=None, cwd=None):
    """Run a command to its end."""
    command, environment = command_line(*words)
    return subprocess.run(
        command, input=stdin, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def called(*words, stdin="", cwd=None):
    """The same without a new process."""
    from calibrant.cli.main import run

    out, err, given = io.StringIO(), io.StringIO(), io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["calibrant", *map(str, words)])
        patch.setattr(sys, "stdin", given)
        with chdir(cwd or Path.cwd()), pytest.raises(SystemExit) as stop:
            run()
    code = stop.value.code
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


def check_refused(done, message):
    """A command that failed says so in one line, and nothing else."""
    assert done.returncode == 2
    assert done.stdout == ""
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("calibrant: ")
    assert message in last
    assert "Traceback" not in done.stderr


def trained(folder, *words):
    """What `calibrant train` printed, and said on the way."""
    done = called("train", *words, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0], done.stderr
