import gzip
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import calibrant as cb
from calibrant.errors import FileError, InputError, UnknownName

Y, Q, SENT = [0, 1, 1], [0.2, 0.7, 0.9], ["a", "a", "b"]
FRAME = pl.DataFrame({"gold": Y, "prob": Q, "sent": SENT, "other": [1, 2, 3]})


def write(path, kind):
    if kind == "parquet":
        FRAME.write_parquet(path)
    elif kind == "jsonl":
        FRAME.write_ndjson(path)
    else:
        FRAME.write_csv(path, separator="\t" if kind == "tsv" else ",")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format(tmp_path, kind, packed):
    path = tmp_path / f"preds.{kind}"
    write(path, kind)
    if packed:
        data = gzip.compress(path.read_bytes())
        path = tmp_path / f"preds.{kind}.gz"
        path.write_bytes(data)
    for place in (path, str(path)):
        assert cb.read(place) == cb.Pairs(Y, Q, group=SENT)
    nameless = tmp_path / "nameless"
    nameless.write_bytes(path.read_bytes())
    assert cb.read(nameless) == cb.Pairs(Y, Q, group=SENT)
    assert cb.read(nameless, format=kind) == cb.Pairs(Y, Q, group=SENT)


def test_standard_input(monkeypatch):
    stdin = type("Stdin", (), {"buffer": io.BytesIO(b"y\tq\n1\t0.5\n")})
    monkeypatch.setattr("sys.stdin", stdin)
    assert cb.read("-") == cb.Pairs([1], [0.5])


def test_frames():
    wanted = cb.Pairs(Y, Q, group=SENT)
    for frame in (FRAME, FRAME.to_pandas(), FRAME.to_arrow(), FRAME.lazy()):
        assert cb.read(frame) == wanted
        assert cb.read(frame, group="other").groups == 3


def test_numpy_columns_of_pandas_are_not_copied():
    frame = pd.DataFrame({"y": np.zeros(3, int), "q": np.zeros(3)})
    assert np.shares_memory(cb.read(frame).q, frame["q"].to_numpy())


def test_columns_can_be_named(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("a,b,c,d\n1,0.5,2,x\n0,0.1,1,y\n")
    pairs = cb.read(path, y="a", q="b", weight="c", group="d")
    assert pairs == cb.Pairs([1, 0], [0.5, 0.1], weight=[2, 1], group=["x", "y"])


def test_words_for_observations(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("Label , Confidence\nTrue, 0.5\nFALSE,0.1\n")
    assert cb.read(path, y="Label ", q=" Confidence").y.tolist() == [1, 0]
    assert cb.read(path).q.tolist() == [0.5, 0.1]


BAD = {
    "high.csv": ("y,q\n0,0.2\n1,1.3\n0,7\n", r"high.csv, line 3, column q: .* '1.3' \(2 of 3 rows"),
    "word.csv": ("y,q\n0,0.2\n1,x\n", "line 3, column q: q must be a number .* 'x'"),
    "empty.csv": ("y,q\n0,\n", "line 2, column q: .* missing"),
    "two.csv": ("y,q\n2,0.2\n", "line 2, column y: y must be 0 or 1, but it is '2'"),
    "half.csv": ("y,q\n0.5,0.2\n", "column y: .* '0.5'"),
    "nan.csv": ("y,q\n1,nan\n", "column q: .* 'nan'"),
    "weight.csv": ("y,q,weight\n1,0.5,0\n", "column weight: weight must be a positive number"),
    "group.csv": ("y,q,group\n1,0.5,\n", "column group: group must be a label, but it is missing"),
    "quoted.csv": ('y,q,note\n0,.2,"a\nb"\n1,9,z\n', "quoted.csv, line 4, column q"),
    "ragged.csv": ("y,q\n0,.2,9\n", "line 2: 3 fields, but the first line names 2 columns"),
    "headless.csv": ("0,0.2\n1,.5\n", "looks like data: add a line of column names"),
    "columns.csv": ("a,b\n0,0.2\n", r"Its columns are: a, b. Name one with y="),
    "header.csv": ("y,q\n", "column names but no rows"),
    "nothing.csv": ("", "nothing.csv is empty"),
    "blank.csv": (" \n\n", "is empty"),
    "bad.jsonl": ('{"y":0,"q":0.5}\n\n{"y":1 "q":2}\n', "bad.jsonl, line 3: not JSON"),
    "value.jsonl": ('{"y":0,"q":0.5}\n\n{"y":1,"q":"x"}\n', "line 3, column q: .* 'x'"),
    "missing.jsonl": ('{"y":0,"q":0.5}\n{"y":1}\n', "line 2, column q: .* missing"),
    "twice.csv": ("y,q,q\n1,.5,.1\n", "has more than one column 'q'"),
    "percent.csv": ("y,q\n1,50\n0,20\n", "If these are percentages"),
    "logits.csv": ("y,q\n1,2.5\n0,-3\n", "If these are logits"),
    "signs.csv": ("y,q\n-1,.5\n1,.2\n", "For labels -1 and 1 take y > 0"),
    "array.json": ('[{"y": 1, "q": 0.5}]', "one JSON array: write one object per line"),
    "list.jsonl": ("[1, 2]\n", r"line 1: an object \{...\} was expected"),
    "deep.jsonl": ('{"y":0,"q":[0.5]}\n', r"column q: \[0.5\] is not a single value"),
    "broken.parquet": ("not a parquet file", "not a readable parquet file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(tmp_path, name, monkeypatch):
    text, message = BAD[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(FileError, match=message):
        cb.read(name)


FOREIGN = {
    "utf16.csv": ("y,q\n1,.5\n".encode("utf-16"), "is text in UTF-16: save it as CSV in UTF-8"),
    "book.xlsx": (b"PK\x03\x04....", "is a zip archive"),
    "latin.csv": ("y,q,doc\n1,.5,caf\xe9\n".encode("latin-1"), "line 2, column doc: .* not UTF-8"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_bytes_that_are_no_table(tmp_path, name):
    data, message = FOREIGN[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError, match=message):
        cb.read(tmp_path / name)


def test_lines_that_end_in_a_carriage_return(tmp_path):
    (tmp_path / "mac.csv").write_bytes(b"y,q\r1,.5\r0,.2\r")
    assert cb.read(tmp_path / "mac.csv").q.tolist() == [0.5, 0.2]


def test_bad_rows_of_parquet_are_counted_from_one(tmp_path):
    pl.DataFrame({"y": [0, 1], "q": [0.1, None]}).write_parquet(tmp_path / "p.parquet")
    with pytest.raises(FileError, match=r"row 2, column q: .* missing"):
        cb.read(tmp_path / "p.parquet")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileError, match="There is no file"):
        cb.read(tmp_path / "none.csv")
    with pytest.raises(FileError, match="cannot be read"):
        cb.read(tmp_path)
    damaged = tmp_path / "p.csv.gz"
    damaged.write_bytes(gzip.compress(b"y,q\n" * 100)[:-9])
    with pytest.raises(FileError, match="damaged gzip"):
        cb.read(damaged)


def test_wrong_names_list_what_there_is():
    with pytest.raises(InputError, match=r"no column 'gols' for y. Its columns are: gold, prob"):
        cb.read(FRAME, y="gols")
    with pytest.raises(InputError, match="cannot be both y and q"):
        cb.read(FRAME, q="gold")
    with pytest.raises(InputError, match="A path or a data frame was expected, not int"):
        cb.read(3)
    with pytest.raises(UnknownName, match=r"no format 'xlsx'"):
        cb.read("preds.csv", format="xlsx")


def test_quotes_lose_no_rows(tmp_path):
    tsv = tmp_path / "p.tsv"
    tsv.write_text('token\ty\tq\n"\t0\t.2\nfine\t1\t.8\n"\t1\t.7\n')
    assert len(cb.read(tsv)) == 3
    path = tmp_path / "p.csv"
    path.write_text('y,q,t\n0,.1,5" disk\n1,.8,"a ""b"",\nc"\n0,.2,6" e\n')
    assert cb.read(path).q.tolist() == [0.1, 0.8, 0.2]
    path.write_text('y,q,t\n0,.1,"open\n1,.8,d\n')
    with pytest.raises(FileError, match="line 2: a quote opens in this row but never closes"):
        cb.read(path)


def test_lines_are_counted_with_blank_ones(tmp_path):
    (tmp_path / "p.csv").write_text("y,q\n0,.1\n\n1,.8\n")
    with pytest.raises(FileError, match="line 3, column"):
        cb.read(tmp_path / "p.csv")


def test_columns_of_json_may_come_late(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"y":0,"q":0.5}\n{"y":1,"q":0.5,"sent":"a"}\n')
    with pytest.raises(FileError, match="line 1, column sent: group must be a label"):
        cb.read(tmp_path / "p.jsonl")


def test_columns_of_other_types(tmp_path):
    path = tmp_path / "p.parquet"
    pl.DataFrame({"y": [0, 1], "q": [[0.1], [0.2]]}).write_parquet(path)
    with pytest.raises(FileError, match="the column holds List"):
        cb.read(path)
    pl.DataFrame({"y": [0, 1], "q": [0.1, 0.2], "sent": [0.5, 1.5]}).write_parquet(path)
    with pytest.raises(FileError, match="group must hold integers or strings"):
        cb.read(path)
    pl.DataFrame({"y": [0, 1], "q": ["0.1", "0.2"]}).cast({"q": pl.Decimal(4, 2)}).write_parquet(
        path
    )
    assert cb.read(path).q.tolist() == [0.1, 0.2]


def test_tabs_in_a_file_called_csv(tmp_path):
    (tmp_path / "p.csv").write_text("y\tq\n1\t0.5\n")
    assert cb.read(tmp_path / "p.csv") == cb.Pairs([1], [0.5])


def test_a_file_equals_its_arrays(tmp_path):
    pairs = cb.synthetic.sample(3000, seed=1)
    path = tmp_path / "p.jsonl"
    rows = zip(pairs.y.tolist(), pairs.q.tolist(), strict=True)
    path.write_text("\n".join(json.dumps({"y": y, "q": q}) for y, q in rows))
    assert cb.read(path) == pairs
