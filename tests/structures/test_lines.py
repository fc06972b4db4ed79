"""Lines of corpora, plain or gzipped."""

import gzip

import pytest

from calibrant.errors import FileError
from calibrant.structures.lines import read_blocks, read_lines


def write(folder, data):
    (folder / "corpus.txt").write_bytes(data)
    return folder / "corpus.txt"


def test_lines_are_numbered_from_one(tmp_path):
    path = write(tmp_path, b"\xef\xbb\xbfone\r\n\ntwo\x0bthree\n")
    expected = [(1, "one"), (2, ""), (3, "two\x0bthree"), (4, "")]
    assert list(read_lines(path)) == expected
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_lines(path)) == expected


def test_blocks_are_what_stands_between_blank_lines(tmp_path):
    path = write(tmp_path, b"\n a\nb\n  \n\nc\n\n\n")
    assert list(read_blocks(path)) == [[(2, " a"), (3, "b")], [(6, "c")]]
    assert list(read_blocks(write(tmp_path, b"a"))) == [[(1, "a")]]
    assert list(read_blocks(write(tmp_path, b"\n\n"))) == []


def test_what_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(FileError, match=r"corpus.txt, line 2: not UTF-8 \(invalid start byte\)"):
        list(read_lines(write(tmp_path, b"fine\n\xff\n")))
    with pytest.raises(FileError, match="There is no file"):
        list(read_lines(tmp_path / "none"))
    with pytest.raises(FileError, match="damaged gzip"):
        list(read_lines(write(tmp_path, gzip.compress(b"a" * 1000)[:-5])))
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileError, match="Standard input is closed"):
        list(read_lines("-"))


def test_gzip_has_a_limit(tmp_path, monkeypatch):
    path = write(tmp_path, gzip.compress(bytes(3_000_000)))
    monkeypatch.setenv("CALIBRANT_UNPACK_LIMIT", "2MB")
    with pytest.raises(
        FileError, match=r"more than 2MB\. .* variable CALIBRANT_UNPACK_LIMIT=20GiB"
    ):
        list(read_lines(path))
    monkeypatch.setenv("CALIBRANT_UNPACK_LIMIT", "none")
    assert len(list(read_lines(path))) == 1
