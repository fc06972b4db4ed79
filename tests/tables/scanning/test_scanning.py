"""`scan`: files and lazy frames give what the pairs in memory give; bad rows are named."""

import gzip
import threading

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.errors import FileError, InputError, UnknownName, UnsupportedError
from calibrant.tables.scanning import batches
from calibrant.tables.scanning.parts import find_parts
from calibrant.tables.scanning.slots import TextFolds
from calibrant.tables.summaries import write_summary

KINDS = {
    "none": lambda rng, n: None,
    "few": lambda rng, n: rng.integers(0, 50, n),
    "many": lambda rng, n: rng.integers(-9000, 9000, n),
    "text": lambda rng, n: np.array([f"doc {k}" for k in rng.integers(0, 50, n)]),
    "texts": lambda rng, n: np.array([f"doc {k}" for k in rng.integers(0, 9000, n)]),
}


def table(kind="few", n=20_000, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.beta(0.5, 0.5, n)
    columns = {"y": (rng.random(n) < q).astype(np.int8), "q": q}
    group = KINDS[kind](rng, n)
    return polars.DataFrame(columns | ({} if group is None else {"group": group}))


def in_memory(frame):
    return cb.read(frame).compress(bits=10)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(batches, "ROWS", 3000)
    monkeypatch.setattr(batches, "GROUPED", 3000)


@pytest.mark.parametrize("kind", KINDS)
def test_files_and_frames_give_what_memory_gives(kind, tmp_path):
    frame = table(kind)
    frame.write_parquet(tmp_path / "all.parquet")
    expected = in_memory(frame)
    assert cb.scan(tmp_path / "all.parquet") == expected
    assert cb.scan(frame.lazy()) == expected
    assert cb.scan(frame) == expected
    assert cb.scan(frame.to_pandas()) == expected


@pytest.mark.parametrize("kind", ["none", "few", "many"])
@pytest.mark.parametrize("rows", [3000, 50_000])
def test_outcomes_as_bytes_are_summed_as_they_are(kind, rows, tmp_path, monkeypatch):
    """Few and many rows at once are added by different loops."""
    monkeypatch.setattr(batches, "ROWS", rows)
    monkeypatch.setattr(batches, "GROUPED", rows)
    frame = table(kind, 120_000)
    expected = cb.scan(frame.lazy())
    assert cb.scan(frame.lazy().with_columns(polars.col("y").cast(polars.UInt8))) == expected


@pytest.mark.parametrize(("value", "found"), [(None, "is missing or not a number"), (2, "is 2")])
@pytest.mark.parametrize("rows", [3000, 50_000])
def test_wrong_outcomes_as_bytes(value, found, rows, monkeypatch):
    monkeypatch.setattr(batches, "ROWS", rows)
    frame = table("none", 60_000).with_columns(polars.col("y").cast(polars.UInt8))
    frame[40_000, "y"] = value
    with pytest.raises(FileError, match=f"row 40001, column y: y must be .*, but it {found}"):
        cb.scan(frame.lazy())


@pytest.mark.parametrize("kind", ["none", "text", "texts"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".csv.gz"])
def test_formats_agree(kind, suffix, tmp_path):
    frame = table(kind, 5000)
    path = tmp_path / f"rows{suffix}"
    text = frame.write_ndjson() if suffix == ".jsonl" else frame.write_csv()
    text = text.replace(",", "\t") if suffix == ".tsv" else text
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith(".gz") else text.encode())
    assert cb.scan(path) == in_memory(frame)


@pytest.mark.parametrize("kind", ["none", "many", "text"])
def test_parts_patterns_and_folders_are_one_data_set(kind, tmp_path):
    frame = table(kind)
    for k in range(7):
        frame[k::7].write_parquet(tmp_path / f"part-{k}.parquet")
    (tmp_path / "_SUCCESS").write_text("")
    expected = in_memory(frame)
    assert cb.scan(f"{tmp_path}/part-*.parquet") == expected
    assert cb.scan(tmp_path) == expected
    assert cb.scan([tmp_path / f"part-{k}.parquet" for k in (6, 5, 4, 3, 2, 1, 0)]) == expected


def test_folders_of_partitions_are_columns(tmp_path):
    frame = table("few", 2000)
    for (group,), part in frame.partition_by("group", as_dict=True).items():
        folder = tmp_path / f"doc={group}"
        folder.mkdir()
        part.drop("group").write_parquet(folder / "0.parquet")
    found = cb.scan(tmp_path, group="doc")
    assert found.groups == 50
    assert cb.Brier()(found) == pytest.approx(cb.Brier()(cb.read(frame)), rel=1e-12)


@pytest.mark.parametrize("kind", ["few", "many", "texts"])
def test_folds_can_be_chosen(kind):
    frame = table(kind)
    found = cb.scan(frame.lazy(), folds=16)
    expected = cb.read(frame).compress(bits=10, folds=16)
    assert found.folds == 16
    assert found == expected


def test_too_many_groups_late_in_the_data_fold_the_early_ones(tmp_path):
    rng = np.random.default_rng(0)
    group = np.concatenate([rng.integers(0, 30, 10_000), np.arange(10_000)])
    frame = table("none").with_columns(group=polars.Series(group))
    frame.write_parquet(tmp_path / "a.parquet")
    assert cb.scan(tmp_path / "a.parquet") == in_memory(frame)


def test_rows_are_limited(tmp_path):
    frame = table("few")
    frame.write_parquet(tmp_path / "a.parquet")
    small = cb.scan(tmp_path / "a.parquet", rows=1500)
    assert len(small) <= 1500
    assert small == cb.read(frame).compress(bits=10, rows=1500)


def test_whole_weights_are_multiplicities(tmp_path):
    frame = table("few", 3000)
    weight = np.random.default_rng(0).integers(1, 5, frame.height)
    weighted = frame.with_columns(weight=polars.Series(weight))
    repeated = frame[np.repeat(np.arange(frame.height), weight)]
    one, other = cb.scan(weighted.lazy()), cb.scan(repeated.lazy())
    assert one.n == other.n == weight.sum()
    for name in ("q", "y", "weight", "group"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-13)
    for part in (0.5, 0.0, -1.0, float("nan")):
        wrong = weighted.with_columns(weight=polars.lit(part))
        with pytest.raises(UnsupportedError, match="The frame, row 1, column weight: weights must"):
            cb.scan(wrong.lazy())


@pytest.mark.parametrize("types", [("Boolean", "Float32"), ("Float64", "Float64"), ("String",) * 2])
def test_types_of_columns_do_not_matter(types):
    frame = table("none", 500).with_columns(polars.col("q").cast(polars.Float32))
    y, q = (getattr(polars, each) for each in types)
    typed = frame.with_columns(y=polars.col("y").cast(y), q=polars.col("q").cast(q))
    found = cb.scan(typed.lazy())
    np.testing.assert_allclose(found.q, cb.scan(frame.lazy()).q, rtol=1e-6)  # digits of float32


def test_text_folds_are_remembered_and_forgotten(monkeypatch):
    monkeypatch.setattr("calibrant.tables.scanning.slots.KNOWN_TEXTS", 100)
    texts = polars.Series([f"t{k % 777}" for k in range(5000)])
    from calibrant.kernels.pairs.folds import fold_labels

    assert np.array_equal(TextFolds().fold(texts), fold_labels(texts.to_numpy()))


# bad input: nothing is scored, everything is counted, the first is named


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("q", 1.5, r"row 4001, column q: q must be a number in \[0, 1\], but it is 1.5"),
        ("q", float("nan"), r"row 4001, column q: q must be a number in .* is missing or not a"),
        ("q", None, r"row 4001, column q: q must be a number in .* is missing or not a number"),
        ("y", 2, r"row 4001, column y: y must be 0 or 1, but it is 2 \(2 of 5000 rows are bad\)"),
        ("group", None, r"row 4001, column group: group must be a label, but it is missing"),
    ],
)
@pytest.mark.parametrize("grouped", [True, False])
def test_wrong_rows_are_counted_and_the_first_is_named(column, value, message, grouped, tmp_path):
    if column == "group" and not grouped:
        return
    frame = table("few", 5000)
    where = polars.int_range(polars.len()).is_in([4000, 4999])
    bad = polars.when(where).then(polars.lit(value)).otherwise(polars.col(column))
    path = tmp_path / "bad.parquet"
    frame.with_columns(bad.alias(column)).write_parquet(path)
    with pytest.raises(FileError, match=f"bad.parquet, {message}"):
        cb.scan(path, group=None if grouped else False)


def test_one_wrong_row_in_one_of_a_thousand_parts(tmp_path):
    frame = table("few", 3000)
    for k in range(1000):
        part = frame[3 * k : 3 * k + 3]
        if k == 731:
            part = part.with_columns(q=polars.Series([0.5, float("nan"), 0.5]))
        part.write_parquet(tmp_path / f"part-{k:04}.parquet")
    with pytest.raises(FileError, match=r"part-0731.parquet, row 2, column q: q must be a number"):
        cb.scan(tmp_path)


def test_logits_are_recognised():
    frame = table("none", 100).with_columns(q=polars.col("q") * 20 - 10)
    with pytest.raises(FileError, match=r"100 rows are bad.*logits"):
        cb.scan(frame.lazy())


def test_truncated_parts_are_named(tmp_path):
    frame = table("few")
    frame.write_parquet(tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match=r"b.parquet is not a readable parquet file"):
        cb.scan(tmp_path)


def test_damaged_pages_are_named(tmp_path):
    path = tmp_path / "a.parquet"
    table("few").write_parquet(path, compression="uncompressed")
    data = bytearray(path.read_bytes())
    data[4:40] = bytes(36)
    path.write_bytes(bytes(data))
    with pytest.raises(FileError, match=r"a\.parquet"):
        cb.scan(path)


def test_a_file_that_grows_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "growing.csv"
    table("none", 20_000).write_csv(path)
    original = batches.Table.batches

    def grow(self, columns):
        for batch in original(self, columns):
            with path.open("a") as file:
                file.write("1,0.5\n")
            yield batch

    monkeypatch.setattr(batches.Table, "batches", grow)
    with pytest.raises(FileError, match=r"growing.csv changed while it was read \(\d+ bytes bef"):
        cb.scan(path)


@pytest.mark.parametrize(
    "text", ['y,q\n1,0.5\n0,"0.2\n1,0.3\n', 'y,q,t\n1,0.5,"a\nb"\n', "y,q\n1,0.5\n\n0,0.5\n"]
)
def test_csv_whose_rows_are_not_lines_is_refused(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=r"a\.csv"):
        cb.scan(path)


def test_columns_of_all_parts_are_those_of_the_first(tmp_path):
    table("few", 100).write_parquet(tmp_path / "a.parquet")
    table("none", 100).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(FileError, match=r"b.parquet has no column 'group'. Its columns are: y, q"):
        cb.scan(tmp_path)
    dates = table("none", 3).with_columns(group=polars.lit("2024-01-01").str.to_date())
    with pytest.raises(
        FileError, match=r"group must hold integers of .* or strings, .* Date values"
    ):
        cb.scan(dates.lazy())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.parquet", "There is no file missing.parquet"),
        ("nowhere/*.parquet", r"No file matches nowhere/\*.parquet"),
        ("notes.txt", "notes.txt cannot be scanned: its name must end in one of .csv"),
        (3, "A path, a pattern, several paths or a table was expected, not int"),
        ([], "A path, a pattern, several paths or a table was expected, not list"),
    ],
)
def test_what_is_no_source_is_refused(source, message):
    with pytest.raises((FileError, InputError), match=message):
        cb.scan(source)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="contains no files that end in"):
        find_parts(tmp_path, None)


def test_draws_are_refused():
    frame = polars.LazyFrame({"y": [0, 1], "yes": [2, 3], "draws": [5, 5]})
    with pytest.raises(UnsupportedError, match="Shares of draws cannot be summed"):
        cb.scan(frame)


def test_no_rows_are_refused():
    with pytest.raises((FileError, InputError), match="no rows"):
        cb.scan(
            polars.LazyFrame({"y": [], "q": []}, schema={"y": polars.Int8, "q": polars.Float64})
        )


def test_threads_may_scan_at_the_same_time(tmp_path):
    frame = table("many")
    frame.write_parquet(tmp_path / "a.parquet")
    expected, found = in_memory(frame), []
    jobs = [
        threading.Thread(target=lambda: found.append(cb.scan(tmp_path / "a.parquet")))
        for _ in range(4)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert all(each == expected for each in found)
    assert len(found) == 4


# several files that do not go together


def test_groups_as_integers_and_as_text_are_not_folded_together(tmp_path):
    """CSV has text: equal labels would have different folds."""
    frame = table("many", 6000)
    frame[:3000].write_parquet(tmp_path / "a.parquet")
    frame[3000:].write_csv(tmp_path / "b.csv")
    with pytest.raises(InputError, match="Some groups are integers and others are text"):
        cb.scan(tmp_path)
    one, other = (cb.scan(tmp_path / name) for name in ("a.parquet", "b.csv"))
    assert (one.folded_from, other.folded_from) == ("integers", "text")
    with pytest.raises(InputError, match="folded from integers, those of the other from text"):
        one + other


def test_few_groups_as_integers_and_as_text_are_the_same(tmp_path):
    frame = table("few", 4000)
    frame[:2000].write_parquet(tmp_path / "a.parquet")
    frame[2000:].write_csv(tmp_path / "b.csv")
    assert cb.scan(tmp_path).groups == 50


def test_large_unsigned_groups_keep_their_digits(tmp_path):
    columns = {"y": [0, 1], "q": [0.25, 0.75]}
    for name, labels in (("a", [1, 2**63 + 1]), ("b", [0, 2**63 + 2])):
        group = polars.Series(labels, dtype=polars.UInt64)
        polars.DataFrame(columns | {"group": group}).write_parquet(tmp_path / f"{name}.parquet")
    assert sorted(cb.scan(tmp_path).group.tolist()) == [0, 1, 2**63 + 1, 2**63 + 2]


@pytest.mark.parametrize("role", ["group", "weight"])
def test_columns_that_only_later_files_have_are_not_ignored(role, tmp_path):
    frame = table("none", 10)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.with_columns(polars.lit(2).alias(role)).write_parquet(tmp_path / "b.parquet")
    message = rf"b.parquet has a column {role} for {role}, but the first file has none"
    with pytest.raises(FileError, match=message):
        cb.scan(tmp_path)
    assert cb.scan(tmp_path, **{role: False}).n == 20


def test_carriage_returns_alone_are_not_taken_for_one_line(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"y,q,group\r1,0.5,a\r0,0.25,b\r")
    with pytest.raises(FileError, match=r"a.csv has column names but no rows. If its line ends"):
        cb.scan(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("y,q\n0,.2\n".encode("utf-16"), id="UTF-16"),
        pytest.param(b"PK\x03\x04 a,b", id="zip"),
        pytest.param(b"y;q\n0;.2\n", id="semicolons"),
        pytest.param(b"0,0.2\n1,0.8\n", id="no header"),
        pytest.param(b"", id="empty"),
        pytest.param(b" \n\n", id="blank"),
    ],
)
def test_files_that_are_no_tables_are_explained_as_in_read(data, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    messages = []
    for verb in (cb.read, cb.scan):
        with pytest.raises(FileError) as error:
            verb(path)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_tabs_in_a_csv_are_read_as_tabs(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y\tq\n0\t.2\n1\t.9\n")
    assert cb.scan(path).q.tolist() == cb.read(path).q.tolist()


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("y,q,doc\n0,.2,Größe\n".encode("latin-1"))
    with pytest.raises(FileError, match="Save it in UTF-8"):
        cb.scan(path)


def test_a_column_that_is_named_twice_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("y,q,q\n1,0.5,0.4\n")
    with pytest.raises(FileError, match=r"a.csv has more than one column 'q': rename one"):
        cb.scan(tmp_path / "a.csv")


def test_packed_files_are_recognised_whatever_their_name(tmp_path):
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"y,q\n1,0.5\n0,0.25\n"))
    assert cb.scan(tmp_path / "a.csv").n == 2


def test_links_to_nothing_are_not_passed_over(tmp_path):
    table("none", 10).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").symlink_to(tmp_path / "nothing.parquet")
    with pytest.raises(FileError, match=r"There is no file .*b\.parquet"):
        cb.scan(tmp_path)


def test_summaries_beside_predictions_in_a_folder_are_refused(tmp_path):
    table("none", 10).write_parquet(tmp_path / "a.parquet")
    write_summary(cb.scan(tmp_path), tmp_path / "b.parquet", "a test")
    with pytest.raises(FileError, match=r"holds a summary \(.*b.parquet\) beside predictions"):
        cb.scan(tmp_path)
    both = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    assert cb.scan(both).n == 20


def test_wrong_formats_and_empty_paths_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="xml"):
        cb.scan(tmp_path / "a.parquet", format="xml")
    with pytest.raises(FileError, match="There is no file ''"):
        cb.scan("")


def test_groups_of_more_than_64_bits_are_refused():
    wide = polars.Series([1, 2**70], dtype=polars.Int128)
    frame = polars.LazyFrame({"y": [0, 1], "q": [0.5, 0.5], "group": wide})
    with pytest.raises(FileError, match="group must hold integers of at most 64 bits or strings"):
        cb.scan(frame)


def test_a_prediction_that_is_hardly_too_large_is_shown_in_full():
    frame = polars.LazyFrame({"y": [0, 1], "q": [0.5, 1.0000000000000002]})
    with pytest.raises(FileError, match=r"but it is 1\.0000000000000002"):
        cb.scan(frame)
