"""Bad input to the real command line: one line in plain words, exit code 2, no traceback."""

import gzip
import os
import subprocess

import polars as pl
import pytest
from process import called, check_refused, command_line

FINE = "y,q\n1,0.5\n0,0.2\n1,0.7\n0,0.1\n"
FAST = ("Brier", "--interval", "none")
DEEP = "[" * 100_000 + "]" * 100_000
LONG = "9" * 5000  # more digits than Python reads
INPUTS = {  # name of a file: its contents, more words of the command, what the last line says
    "header.csv": (
        '"y,q\n1,0.5\n',
        (),
        "header.csv, line 1: a quote opens in this row but never closes.",
    ),
    "quote.csv": (
        'y,q,t\n1,0.5,"a"\n0,0.2,"b\n1,0.7,c\n',
        (),
        "quote.csv, line 3: a quote opens in this row but never closes.",
    ),
    "stray.csv": ('y,q,t\n1,0.5,"a"b\n', (), "stray.csv, line 2: ',' expected after '\"'."),
    "blank.csv": ("\ny,q\n1,0.5\n", (), "The first line is blank: delete it."),
    "nan.csv": (
        "y,yes,draws\n1,3,5\n0,1,nan\n",
        (),
        "nan.csv, line 3, column draws: draws must be",
    ),
    "inf.csv": ("y,yes,draws\n1,3,inf\n", (), "inf.csv, line 2, column draws: draws must be"),
    "yes.csv": ("y,yes,draws\n1,inf,5\n", (), "line 2, column yes: yes must be a whole number"),
    "nan.jsonl": ('{"y":1,"yes":NaN,"draws":5}\n', (), "nan.jsonl, line 1, column yes"),
    "more.csv": (
        "y,yes,draws\n1,6,5\n",
        (),
        "more.csv, line 2, column yes: yes must not exceed draws, but it is '6'.",
    ),
    "super.csv": ("y,yes\n1,3\n", ("--draws", "²"), "super.csv has no column '²' for draws"),
    "arabic.csv": ("y,yes\n1,3\n", ("--draws", "٣"), "has no column '٣' for draws"),
    "once.csv": ("y,yes\n1,1\n", ("--draws", "1"), "--draws must be at least 2, but it is 1."),
    "many.csv": ("y,yes\n1,1\n", ("--draws", LONG), "has no column '999"),
    "long.csv": (f"y,q\n1,{LONG}\n", (), "line 2, column q: q must be a number in [0, 1]"),
    "long.jsonl": (f'{{"y":1,"q":{LONG}}}\n', (), "long.jsonl, line 1, column q: q must be"),
    "deep.jsonl": (
        f'{{"y":1,"q":{DEEP}}}\n',
        (),
        "deep.jsonl, line 1: lists or objects are nested",
    ),
    "half.jsonl": (
        '{"y":1,"q":0.5,"group":"\\ud800"}\n',
        (),
        "half.jsonl, line 1, column group: '\\ud800' holds half a character (a lone surrogate).",
    ),
    "half2.jsonl": ('{"\\ud800":1,"q":0.5}\n', (), "Its columns are: \\ud800, q."),
    "escape.csv": ("\x1b[31my\x1b[0m,q\n1,0.5\n", (), "Its columns are: \\x1b[31my\\x1b[0m, q."),
    "value.csv": ("y,q\n1,\x1b]0;title\x07\n", (), "but it is '\\x1b]0;title\\x07'."),
    "csi.csv": ("y,q,\x9b2J\n1,0.5,a\n", ("--y", "x"), "Its columns are: y, q, \\x9b2J."),
    "missing.csv": (FINE, ("--group", "doc\x1b[7m"), "missing.csv has no column 'doc\\x1b[7m'"),
    "texts.csv": (
        "gold,label,q\nParis,7,0.5\n",
        (),
        "cannot tell which column holds the observations (0 or 1). Column gold holds 'Paris'; "
        "column label holds '7'. Name one with --y COLUMN",
    ),
    "two.csv": (
        "y,prob,score\n1,0.5,0.4\n",
        (),
        "cannot tell which column holds the predicted probabilities. It could be prob or "
        "score. Name one with --q COLUMN",
    ),
    "both.csv": (
        FINE,
        ("--q", "q", "--yes", "y"),
        "Use either --q or --yes with --draws, not both",
    ),
    "limit.csv": (FINE, ("--unpack-limit", "much"), "--unpack-limit must be a size such as 500MB"),
    "no-limit.csv": (FINE, ("--unpack-limit",), "or none, but it is ''."),
}


@pytest.mark.parametrize("name", INPUTS)
def test_bad_input_is_refused_in_one_line(tmp_path, name):
    text, words, message = INPUTS[name]
    (tmp_path / name).write_text(text)
    done = called("score", name, *FAST, *words, cwd=tmp_path)
    check_refused(done, message)
    assert "unexpected" not in done.stderr
    refused = [line for line in done.stderr.splitlines() if not line.startswith(f"{name}: y=")]
    assert len(refused) == 1
    assert len(refused[0]) < 400
    assert done.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize("end", ["\n\n\n", "\r\n\r\n", "  \n \n", "\n  "])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_blank_lines_at_the_end_are_fine(tmp_path, kind, end):
    rows = {"csv": FINE, "tsv": FINE.replace(",", "\t"), "jsonl": '{"y":1,"q":0.5}\n' * 4}[kind]
    (tmp_path / f"p.{kind}").write_bytes((rows.rstrip("\n") + end).encode())
    done = called("score", f"p.{kind}", *FAST, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"n": 4' in called("score", f"p.{kind}", *FAST, "--format", "json", cwd=tmp_path).stdout


def test_fields_of_any_length_are_read(tmp_path):
    (tmp_path / "p.csv").write_text(f'y,q,text\n1,0.5,"{"a, " * 100_000}"\n0,0.1,b\n')
    assert called("score", "p.csv", *FAST, cwd=tmp_path).returncode == 0


def test_notes_and_tables_do_not_steer_the_terminal(tmp_path):
    for name in ("a\x1b[31m.csv", "b.csv"):
        (tmp_path / name).write_text(FINE)
    done = called("compare", "a\x1b[31m.csv", "b.csv", "--format", "text", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "a\\x1b[31m" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_columns_that_were_skipped_are_named(tmp_path):
    (tmp_path / "p.csv").write_text("gold,correct,prob\nParis,true,0.5\nRome,false,0.2\n")
    done = called("score", "p.csv", *FAST, cwd=tmp_path)
    assert done.returncode == 0
    assert "p.csv: y=correct, q=prob (skipped gold, which holds 'Paris')" in done.stderr


def test_damaged_parquet(tmp_path):
    """Every damage is a refusal or goes unnoticed; which one depends on the bytes."""
    frame = pl.DataFrame({"y": [0, 1] * 150, "q": [k / 300 for k in range(300)]})
    frame.write_parquet(tmp_path / "fine.parquet", compression="uncompressed")
    data = (tmp_path / "fine.parquet").read_bytes()
    for place in range(5, len(data) - 8, 97):
        (tmp_path / "p.parquet").write_bytes(data[:place] + b"\xff\x84\x4c" + data[place + 3 :])
        done = called("score", "p.parquet", *FAST, cwd=tmp_path)
        assert done.returncode == 0 or done.stderr.splitlines()[-1].startswith("calibrant: p.par")
        assert "unexpected" not in done.stderr


class PanicException(BaseException):
    """As polars raises where Rust panics."""


def test_panics_are_refusals_and_keep_their_text_back(tmp_path, monkeypatch, capfd):
    (tmp_path / "p.parquet").write_bytes(b"PAR1")

    def panics(*_, **__):
        os.write(2, b"thread 'main' panicked at unpack.rs:120\n")
        raise PanicException("invalid num_bits 76")

    monkeypatch.setattr(pl, "read_parquet_schema", panics)
    done = called("score", "p.parquet", *FAST, cwd=tmp_path)
    expected = (
        "p.parquet is not a readable parquet file: polars cannot read it (invalid num_bits 76)."
    )
    check_refused(done, expected)
    assert "panicked" not in capfd.readouterr().err


def test_wide_decimals(tmp_path):
    import decimal

    import pyarrow
    import pyarrow.parquet

    q = pyarrow.array([decimal.Decimal("0.5")], pyarrow.decimal256(50, 2))
    pyarrow.parquet.write_table(pyarrow.table({"y": [1], "q": q}), tmp_path / "p.parquet")
    done = called("score", "p.parquet", *FAST, cwd=tmp_path)
    check_refused(done, "p.parquet is not a readable parquet file: ")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, MemoryError])
def test_other_ends(tmp_path, monkeypatch, stop):
    (tmp_path / "p.csv").write_text(FINE)

    def stops(*_, **__):
        raise stop

    monkeypatch.setattr("calibrant.tables.pairs_from_file", stops)
    done = called("score", "p.csv", *FAST, cwd=tmp_path)
    if stop is KeyboardInterrupt:
        assert (done.returncode, done.stderr) == (130, "")
    else:
        check_refused(done, "There is not enough memory")


def test_gzip_has_a_limit_that_an_option_lifts(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIBRANT_UNPACK_LIMIT", "1MB")  # commands set it: restored after the test
    rows = FINE + "1,0.25\n" * 300_000
    (tmp_path / "p.csv.gz").write_bytes(gzip.compress(rows.encode()))
    words = ("score", "p.csv.gz", *FAST)
    check_refused(
        called(*words, cwd=tmp_path),
        "p.csv.gz unpacks to more than 1MB. If you trust it, set a higher limit with "
        "--unpack-limit 20GiB (or none).",
    )
    for size in ("3MiB", "none"):
        assert called(*words, "--unpack-limit", size, cwd=tmp_path).returncode == 0
    assert called(*words, "--unpack-limit=2MB", cwd=tmp_path).returncode == 2
    assert called("--unpack-limit", "1GB", *words, cwd=tmp_path).returncode == 0


def test_options_of_all_commands_end_at_two_dashes(tmp_path):
    check_refused(called("score", "--", "--debug", cwd=tmp_path), "There is no file --debug.")


def test_no_words_show_the_help_once(tmp_path):
    done = called()
    assert done.returncode == 2
    assert done.stdout.count("Usage") == 1


STREAMS = {  # redirections of a shell: the exit code, and the last line of stderr
    ">&-": (2, "calibrant: Standard output is closed."),
    ">/dev/full": (2, "calibrant: Standard output cannot be written: No space left on device."),
    "2>&-": (0, ""),
    "2>/dev/full": (0, ""),
    "| true": (1, "Brier 0.097 is above 0."),
}


@pytest.mark.parametrize("redirection", STREAMS)
def test_streams(tmp_path, redirection):
    (tmp_path / "p.csv").write_text(FINE)
    code, last = STREAMS[redirection]
    gate = ("--fail-above", "0") if "|" in redirection else ()
    done = shell(("score", "p.csv", *FAST, *gate), redirection, tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert last in (done.stderr.splitlines() or [""])[-1]


def test_a_closed_input(tmp_path):
    done = shell(("score", "-", *FAST), "<&-", tmp_path)
    check_refused(done, "Standard input is closed.")
    assert len(done.stderr.splitlines()) == 1


def shell(words, redirection, folder):
    """Run a command with a redirection, as a shell does; a gate is seen through a pipe."""
    command, environment = command_line(*words)
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"$@" {redirection}', "bash", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", [("slices", "--by", "genre"), ("examples", "--show", "genre")])
def test_text_that_is_not_utf_8_is_not_shown_as_other_text(words, tmp_path):
    """Else ä and ö would be one genre."""
    path = tmp_path / "preds.csv"
    path.write_bytes("y,q,genre\n0,0.2,ä\n1,0.4,ö\n".encode("latin-1"))
    found = called(words[0], path, *words[1:])
    assert found.returncode == 2
    assert "preds.csv, line 2, column genre: not UTF-8. Save the file in UTF-8." in found.stderr
    assert called("score", path, *FAST).returncode == 0  # reads other columns


def test_what_is_not_text_is_said_to_be_so(tmp_path):
    path = tmp_path / "picture.csv"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    found = called("score", path)
    assert found.returncode == 2
    assert "picture.csv is not text: give CSV, TSV or JSON lines" in found.stderr


def test_pages_refuse_slices_by_a_column_that_is_missing(tmp_path):
    path = tmp_path / "preds.csv"
    path.write_text("y,q,genre\n" + "1,0.5,a\n0,0.2,b\n" * 40)
    found = called("report", path, "--by", "gnre", "-o", tmp_path / "page.html")
    assert found.returncode == 2
    assert "preds.csv has no column 'gnre'. Did you mean genre?" in found.stderr
