"""Folders replaced as a whole, also by several processes and by processes that are killed."""

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from calibrant.checks import folders
from calibrant.checks.folders import read_folder, replacing_folder
from calibrant.errors import FileError

NAMES = ("settings", "weights")


def listed(folder):
    return sorted(each.name for each in folder.iterdir())


def stopped(path, stop):
    path.write_text("two")
    raise stop


def put(folder, text):
    with replacing_folder(folder) as new:
        for name in NAMES:
            (new / name).write_text(text)


def held(folder):
    return {name: data.decode() for name, data in read_folder(folder, NAMES).items()}


@pytest.fixture(params=["exchange", "renames"])
def way(request, monkeypatch):
    """Both ways: in one step, and by two renames where the system has no such step."""
    if request.param == "renames":
        monkeypatch.setattr(folders, "_exchange", lambda *_: False)
    return request.param


def test_a_folder_is_made_and_replaced(tmp_path, way):
    folder = tmp_path / "deep" / "model"
    put(folder, "one")
    (folder / "more").write_text("goes with the old folder")
    put(folder, "two")
    assert held(folder) == dict.fromkeys(NAMES, "two")
    assert listed(folder) == sorted(NAMES)
    assert listed(folder.parent) == ["model"]


def test_an_error_or_ctrl_c_changes_nothing(tmp_path, way):
    folder = tmp_path / "model"
    put(folder, "one")
    for stop in (ValueError, KeyboardInterrupt):
        with pytest.raises(stop), replacing_folder(folder) as new:
            stopped(new / "settings", stop)
        assert held(folder) == dict.fromkeys(NAMES, "one")
        assert listed(tmp_path) == ["model"]


def test_a_failed_second_rename_restores_the_folder(tmp_path, monkeypatch):
    put(tmp_path / "model", "one")
    rename = Path.rename

    def fails(self, target):
        if self.suffix == ".new":
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(folders, "_exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(FileError, match="model cannot be written: Input/output error"):
        put(tmp_path / "model", "two")
    assert held(tmp_path / "model") == dict.fromkeys(NAMES, "one")
    assert listed(tmp_path) == ["model"]


def test_links_are_followed_and_permissions_kept(tmp_path, way):
    put(tmp_path / "real", "one")
    (tmp_path / "real").chmod(0o750)
    (tmp_path / "link").symlink_to("real")
    put(tmp_path / "link", "two")
    assert (tmp_path / "link").is_symlink()
    assert held(tmp_path / "real") == dict.fromkeys(NAMES, "two")
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o750


def test_names_that_cannot_be_folders(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file cannot be written: it is a file"):
        put(tmp_path / "file", "one")
    with pytest.raises(FileError, match="cannot be written"):
        put(tmp_path / "file" / "model", "one")
    put(tmp_path / ("ü" * 120), "long names have room for the temporary part")


def test_what_is_not_there(tmp_path):
    with pytest.raises(FileError, match="There is no folder"):
        read_folder(tmp_path / "none", NAMES)
    put(tmp_path / "model", "one")
    assert read_folder(tmp_path / "model", ["weights", "other"]) == {"weights": b"one"}


SCRIPT = """
import os, sys
from pathlib import Path
from calibrant.checks import folders
from calibrant.checks.folders import replacing_folder
folder, way, text, rounds = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
if way == "renames":
    folders._exchange = lambda *_: False
for k in range(rounds):
    with replacing_folder(folder) as new:
        for name in ("settings", "weights"):
            (new / name).write_text(f"{text} {k}")
"""
KILLS = {  # where the process is killed
    "before the exchange": "folders._install = die",
    "after the exchange": "install = folders._install; "
    "folders._install = lambda *names: (install(*names), die())",
    "between two renames": "rename = Path.rename; Path.rename = "
    "lambda self, to: rename(self, to) if str(to).endswith('.old') else die()",
}


def start(folder, way, text, rounds, kill="pass"):
    death = f"def die(*words): os.kill(os.getpid(), 9)\n{kill}\n"
    script = SCRIPT.replace("for k in", death + "for k in")
    words = [sys.executable, "-c", script, folder, way, text, rounds]
    return subprocess.Popen(list(map(str, words)))


@pytest.mark.parametrize(
    ("step", "expected"), [("before the exchange", "one"), ("after the exchange", "two 0")]
)
def test_killed_between_steps(tmp_path, step, expected):
    folder = tmp_path / "model"
    put(folder, "one")
    assert start(folder, "exchange", "two", 1, KILLS[step]).wait() == -signal.SIGKILL
    assert held(folder) == dict.fromkeys(NAMES, expected)
    put(folder, "three")
    assert held(folder) == dict.fromkeys(NAMES, "three")
    assert listed(tmp_path) == ["model"]  # what the killed process left is removed


def test_killed_between_two_renames(tmp_path):
    folder = tmp_path / "model"
    put(folder, "one")
    kill = KILLS["between two renames"]
    assert start(folder, "renames", "two", 1, kill).wait() == -signal.SIGKILL
    assert not folder.exists()
    assert held(folder) == dict.fromkeys(NAMES, "one")  # read from where it was put aside
    with pytest.raises(ZeroDivisionError), replacing_folder(folder):
        1 / 0  # noqa: B018 - any error
    assert held(folder) == dict.fromkeys(NAMES, "one")
    assert listed(tmp_path) == ["model"]


def test_writers_and_a_reader_at_once(tmp_path, way):
    folder = tmp_path / "model"
    put(folder, "start")
    writers = [start(folder, way, text, 150) for text in ("a", "b")]
    seen = set()
    while any(each.poll() is None for each in writers):
        found = held(folder)
        assert set(found) == set(NAMES)
        assert found["settings"] == found["weights"]
        seen.add(found["settings"])
    assert [each.returncode for each in writers] == [0, 0]
    assert len(seen) > 2
    assert held(folder)["settings"] in {"a 149", "b 149"}
    assert listed(tmp_path) == ["model"]
