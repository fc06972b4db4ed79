"""Bytes and their format."""

import gzip

import pytest

from calibrant.errors import FileError, UnknownName
from calibrant.tables.sources import open_source, sniff, suffix_format

TEXT = b"y,q\n1,0.5\n"


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"PAR1....", "parquet"),
        (b'\xef\xbb\xbf \n{"y": 1}', "jsonl"),
        (b'[{"y": 1}]', "jsonl"),
        (b"y\tq\n1,5\t2", "tsv"),
        (b"y,q\n1\t,2", "csv"),
    ],
)
def test_sniffing(data, format):
    assert sniff(data) == format


def test_endings():
    assert suffix_format("a.b.CSV.gz") == "csv"
    assert suffix_format("a.pq") == "parquet"
    assert suffix_format("a.gz") is None
    assert suffix_format("csv") is None


@pytest.mark.parametrize(
    ("end", "kept"),
    [(b"\n\n", b"\n"), (b"\r\n \r\n", b"\r\n"), (b"  \n", b"  \n"), (b"  ", b"  "), (b"", b"")],
)
def test_blank_lines_at_the_end_go_but_no_spaces_of_the_last_row(tmp_path, end, kept):
    path = tmp_path / "p.csv"
    path.write_bytes(b"y,q,doc\n1,0.5,a" + end)
    assert open_source(path).data == b"y,q,doc\n1,0.5,a" + kept


def test_the_format_asked_for_wins(tmp_path):
    (tmp_path / "p.csv").write_bytes(TEXT)
    assert open_source(tmp_path / "p.csv").format == "csv"
    assert open_source(tmp_path / "p.csv", "tsv").format == "tsv"
    with pytest.raises(UnknownName, match="Did you mean csv"):
        open_source(tmp_path / "p.csv", "cvs")


def test_gzip_is_known_by_its_bytes(tmp_path):
    (tmp_path / "p").write_bytes(gzip.compress(TEXT) + gzip.compress(b"0,0.1\n"))
    assert open_source(tmp_path / "p").data == TEXT + b"0,0.1\n"


def test_names_of_what_cannot_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileError, match=r"^Standard input is closed\.$"):
        open_source("-")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        open_source(tmp_path)
