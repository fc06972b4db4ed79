"""Files that are written whole or not at all."""

import gzip
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from calibrant.checks import files
from calibrant.checks.files import (
    byte_lines,
    check_writable,
    read_bytes,
    replacing,
    size_limit,
    write_text,
)
from calibrant.errors import FileError, ParameterError, command_line


def listed(folder):
    return sorted(each.name for each in folder.iterdir())


def stopped(path, stop):
    path.write_text("two")
    raise stop


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "deep" / "note.txt"
    for text in ("one", "two"):
        write_text(path, text)
        assert path.read_text() == text
    assert listed(path.parent) == ["note.txt"]


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_or_ctrl_c_changes_nothing(tmp_path, stop):
    write_text(tmp_path / "note", "one")
    with pytest.raises(stop), replacing(tmp_path / "note") as temporary:
        stopped(temporary, stop)
    assert (tmp_path / "note").read_text() == "one"
    assert listed(tmp_path) == ["note"]


def test_ctrl_c_before_the_first_byte_leaves_nothing(tmp_path, monkeypatch):
    touch = Path.touch

    def interrupted(self, **options):
        touch(self, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "touch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "note", "one")
    assert listed(tmp_path) == []


def test_links_are_followed(tmp_path):
    write_text(tmp_path / "real", "one")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("new")
    write_text(tmp_path / "link", "two")
    write_text(tmp_path / "dangling", "three")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "dangling").is_symlink()
    assert [(tmp_path / name).read_text() for name in ("real", "new")] == ["two", "three"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_permissions_are_kept(tmp_path, mode):
    write_text(tmp_path / "note", "one")
    (tmp_path / "note").chmod(mode)
    write_text(tmp_path / "note", "two")
    assert (tmp_path / "note").stat().st_mode & 0o777 == mode


def test_permissions_of_a_new_file_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "note", "one")
    finally:
        os.umask(before)
    assert (tmp_path / "note").stat().st_mode & 0o777 == 0o640


def test_long_names_have_room_for_the_temporary_part(tmp_path):
    name = "n" * 255
    write_text(tmp_path / name, "one")
    assert listed(tmp_path) == [name]
    with pytest.raises(FileError, match="cannot be written: File name too long"):
        write_text(tmp_path / (name + "n"), "one")
    assert listed(tmp_path) == [name]


def test_a_full_disk_and_other_devices(tmp_path):
    with pytest.raises(FileError, match="/dev/full cannot be written: No space left on device"):
        write_text("/dev/full", "one")
    check_writable("/dev/null")
    write_text("/dev/null", "one")
    assert not Path("/dev/null").is_file()
    (tmp_path / "link").symlink_to("/dev/full")
    with pytest.raises(FileError, match="link cannot be written: No space left"):
        write_text(tmp_path / "link", "one")


def test_names_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for door in (check_writable, lambda path: write_text(path, "one")):
        with pytest.raises(FileError, match="cannot be written: Is a directory"):
            door(tmp_path)
        with pytest.raises(FileError, match="inner cannot be written: "):
            door(tmp_path / "file" / "inner")
    assert listed(tmp_path) == ["file"]


def test_permission_is_asked_of_the_system(tmp_path, monkeypatch):
    """The test may run as root, who may write everywhere."""
    write_text(tmp_path / "note", "one")
    monkeypatch.setattr(files.os, "access", lambda path, mode: Path(path) != tmp_path / "note")
    with pytest.raises(FileError, match="note cannot be written: Permission denied"):
        check_writable(tmp_path / "note")
    monkeypatch.setattr(files.os, "access", lambda path, mode: False)
    with pytest.raises(FileError, match="other cannot be written: Permission denied"):
        check_writable(tmp_path / "other")


SCRIPT = """
import sys
from calibrant.checks.files import write_text
for k in range(300):
    write_text(sys.argv[1], sys.argv[2] * 5000)
"""


def test_two_writers_do_not_collide(tmp_path):
    path = tmp_path / "note"
    write_text(path, "a" * 5000)
    words = [[sys.executable, "-c", SCRIPT, str(path), letter] for letter in "ab"]
    writers = [subprocess.Popen(each) for each in words]
    while any(each.poll() is None for each in writers):
        text = path.read_text()
        assert len(text) == 5000
        assert len(set(text)) == 1
    assert [each.returncode for each in writers] == [0, 0]
    assert listed(tmp_path) == ["note"]


def packed(folder, data):
    (folder / "p.gz").write_bytes(gzip.compress(data))
    return folder / "p.gz"


def test_gzip_unpacks_up_to_the_limit(tmp_path, monkeypatch):
    path = packed(tmp_path, bytes(1000))
    for limit, fits in (
        ("1000", True),
        ("999", False),
        ("1kb", True),
        ("none", True),
        ("0", False),
    ):
        monkeypatch.setenv("CALIBRANT_UNPACK_LIMIT", limit)
        if fits:
            assert read_bytes(path) == bytes(1000)
        else:
            with pytest.raises(FileError, match=f"p.gz unpacks to more than {limit}"):
                read_bytes(path)


def test_a_bomb_is_unpacked_no_further_than_the_limit(tmp_path, monkeypatch):
    path = packed(tmp_path, bytes(200_000_000))
    monkeypatch.setenv("CALIBRANT_UNPACK_LIMIT", "5MB")
    tracemalloc.start()
    with pytest.raises(FileError, match="unpacks to more than 5MB"):
        read_bytes(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000  # the limit, twice while the buffer grows, and two pieces


@pytest.mark.parametrize(
    ("text", "size"),
    [("7", 7), ("4GiB", 4 << 30), (" 2 mb ", 2_000_000), ("1.5KiB", 1536), ("NONE", None)],
)
def test_sizes(text, size):
    assert size_limit(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1", "4 GB of", "1e9", "²", "9" * 5000, "nan"])
def test_what_is_not_a_size(text):
    with pytest.raises(ParameterError, match="CALIBRANT_UNPACK_LIMIT must be a size"):
        size_limit(text)
    with command_line(), pytest.raises(ParameterError, match="--unpack-limit must be a size"):
        size_limit(text)


def test_lines_are_those_of_the_whole_file(tmp_path):
    text = b"one\n\ntwo\r\nthree"
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (plain, packed):
        assert list(byte_lines(path)) == [b"one\n", b"\n", b"two\r\n", b"three"]
    with pytest.raises(FileError, match="There is no file"):
        list(byte_lines(tmp_path / "b.txt"))
