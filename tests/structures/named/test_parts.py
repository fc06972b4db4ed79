import pytest

from calibrant.errors import FileError
from calibrant.structures.named.parts import read_parts


def written(folder, text):
    path = folder / "splits.tsv"
    path.write_text(text)
    return path


def test_columns_in_any_order_and_empty_lines(tmp_path):
    path = written(tmp_path, "split\tgenre\tdoc\ntrain\tx\ta\n\ndev\ty\tb\n")
    assert read_parts(path) == {"a": "train", "b": "dev"}


def test_bad_tables(tmp_path):
    with pytest.raises(FileError, match=r"line 1: the table must have columns doc .* are 'doc'"):
        read_parts(written(tmp_path, "doc\n"))
    with pytest.raises(FileError, match="line 3: the row must have 2 columns, but it has 1"):
        read_parts(written(tmp_path, "doc\tsplit\na\ttrain\nb\n"))
