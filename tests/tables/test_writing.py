"""Pairs as files that can be read back."""

import gzip

import pytest

import calibrant as cb
from calibrant.errors import FileError, UnsupportedError
from calibrant.tables import check_table, frame_of_pairs, write_pairs

PAIRS = cb.Pairs([1, 0, 1], [0.5, 1 / 3, 1e-17], group=["a, b", 'say "c"', "d\te\r\nf"])


@pytest.mark.parametrize(
    "name", ["p.csv", "p.jsonl", "p.parquet", "p.csv.gz", "p.jsonl.gz", "p.pq"]
)
def test_what_is_written_is_read_back_exactly(tmp_path, name):
    write_pairs(PAIRS, tmp_path / name)
    assert cb.read(tmp_path / name) == PAIRS
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_equal_pairs_are_equal_bytes(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_pairs(PAIRS, tmp_path / name)
    one, other = ((tmp_path / name).read_bytes() for name in ("a.csv.gz", "b.csv.gz"))
    assert one == other
    assert gzip.decompress(one).startswith(b"y,q,group\n")


def test_keys_come_first():
    frame = frame_of_pairs(PAIRS, {"query": "TagIs(tag='V')", "sentence": [4, 5, 6]})
    assert frame.columns == ["query", "sentence", "y", "q", "group"]
    assert frame["query"].to_list() == ["TagIs(tag='V')"] * 3
    assert frame["sentence"].to_list() == [4, 5, 6]


def test_tsv_has_no_quotes(tmp_path):
    labels = ["a, b", 'say "c"', '"']
    write_pairs(cb.Pairs([1, 0, 1], PAIRS.q, group=labels), tmp_path / "p.tsv")
    assert cb.read(tmp_path / "p.tsv").group.tolist() == labels
    for label in ("d\te", "d\ne", "d\re"):
        with pytest.raises(UnsupportedError, match=r"TSV cannot hold tabs .* column group has 'd"):
            write_pairs(cb.Pairs([1], [0.5], group=[label]), tmp_path / "p.tsv")


def test_what_cannot_be_written(tmp_path):
    for name in ("p.txt", "p", "p.parquet.gz", "p.gz"):
        with pytest.raises(FileError, match=r"its name must end in one of \.csv, "):
            check_table(tmp_path / name)
    with pytest.raises(UnsupportedError, match="weights or from draws"):
        frame_of_pairs(cb.Pairs([1], [0.5], weight=[2]))
    (tmp_path / "p.csv").mkdir()
    with pytest.raises(FileError, match="cannot be written: Is a directory"):
        check_table(tmp_path / "p.csv")


def test_an_older_file_stays_where_writing_fails(tmp_path, monkeypatch):
    write_pairs(PAIRS, tmp_path / "p.csv")
    before = (tmp_path / "p.csv").read_bytes()
    monkeypatch.setattr("calibrant.tables.writing.table_text", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_pairs(PAIRS, tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["p.csv"]
