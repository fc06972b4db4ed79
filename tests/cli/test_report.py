import html
import re

import polars
import pytest
from made_pages import made_predictions
from process import calibrant, called, check_refused


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    frame = made_predictions()
    frame.write_parquet(folder / "preds.parquet")
    frame.write_csv(folder / "preds.csv")
    other = frame.with_columns(q=frame["q"] ** 2, id=polars.Series(range(frame.height)))
    other.reverse().write_csv(folder / "other.csv")
    frame.with_columns(id=polars.Series(range(frame.height))).write_csv(folder / "keyed.csv")
    frame.with_columns(better=frame["q"] ** 2).write_csv(folder / "both.csv")
    return folder


def test_a_page(folder):
    done = called("report", "preds.parquet", "-o", "page.html", "--show", "text", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert re.search(r"wrote page.html: 0\.\d\d MB", done.stderr)
    page = (folder / "page.html").read_text()
    assert "calibrant report preds.parquet -o page.html --show text" in page
    assert '"columns":["text"]' in page


def test_the_same_from_csv_to_stdout(folder):
    done = called("report", "preds.csv", "-o", "-", cwd=folder)
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert "line 2" in done.stdout or "line 3" in done.stdout  # where rows are in a file of lines


def test_recalibration(folder):
    done = called("report", "preds.csv", "--recalibrate", "-o", "-", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "<caption>Recalibration by " in done.stdout


def test_standard_input(folder):
    text = (folder / "preds.csv").read_text()
    done = called("report", "-", "-o", "-", stdin=text)
    assert done.stdout.startswith("<!DOCTYPE html>")


def test_two_files_joined_by_key(folder):
    words = ("report", "keyed.csv", "other.csv", "--key", "id", "-o", "two.html")
    done = called(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "examining other" in done.stderr
    page = (folder / "two.html").read_text()
    assert "Differences on the same questions" in page


@pytest.mark.parametrize(
    ("keys", "says"), [("bc", "The key 'a' is in k1 but not"), ("aa", "The key 'a' occurs 2 times")]
)
def test_keys_of_text_that_do_not_match(tmp_path, keys, says):
    for name, ids in (("k1", "ab"), ("k2", keys)):
        lines = [f"{each},1,0.{k + 5}" for k, each in enumerate(ids)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,gold,prob", *lines, ""]))
    done = called("report", "k1.csv", "k2.csv", "--key", "id", "-o", "x.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = html.unescape((tmp_path / "x.html").read_text())
    assert f"The models are not compared. {says}" in page


def test_two_models_in_one_file(folder):
    done = called("report", "both.csv", "--q", "q", "--q", "better", "-o", "b.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "b.html").read_text()
    assert "Differences on the same questions" in page
    assert page.count('"columns":[') == 1  # both models share the texts


def test_without_texts(folder):
    done = called("report", "preds.csv", "--no-text", "-o", "-", cwd=folder)
    assert '"columns":[]' in done.stdout


def test_logs(folder):
    rows = {
        "question": [f"question {k}?" for k in range(200)],
        "gold": ["A", "B"] * 100,
        "answer": ["A", "A"] * 100,
        "stated": ["90%", "80%"] * 100,
    }
    polars.DataFrame(rows).write_csv(folder / "gpt.csv")
    done = called("evals", "gpt.csv", "--report", "evals.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "evals.html").read_text()
    assert '"columns":["question","answer","gold","stated"]' in page
    assert "question 17?" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["preds.csv", "-o", "page.pdf"], "A page is a file in .html, but -o is page.pdf"),
        (["preds.csv", "--show", "txt"], "has no column 'txt'. Did you mean text?"),
        (["preds.csv", "--limit", "big"], "--limit must be a size such as"),
        (["preds.csv", "preds.csv"], "A file is named twice"),
        (["nothing.csv"], "There is no file nothing.csv"),
        (["keyed.csv", "other.csv", "--key", "idd"], "has no column 'idd'. Did you mean id?"),
        (["preds.csv", "--score", "Briar"], "Did you mean Brier?"),
        (["preds.csv", "--level", "95"], "level"),
    ],
)
def test_bad_commands(folder, words, message):
    check_refused(called("report", *words, cwd=folder), message)


def test_output_must_not_be_an_input(folder):
    (folder / "page.html").write_text("y,q\n1,0.5\n")
    done = called("report", "page.html", "--from", "csv", "-o", "page.html", cwd=folder)
    check_refused(done, "would overwrite an input")


def test_a_summary_and_many_files_have_no_examples(folder):
    assert called("summarise", "preds.parquet", "-o", "sum.parquet", cwd=folder).returncode == 0
    for source in ("sum.parquet", "pr*.parquet"):
        done = called("report", source, "-o", "-", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "the pairs are a summary, which holds no single rows" in done.stdout
    check_refused(called("report", "sum.parquet", "--show", "text", cwd=folder), "leave --show out")


def test_help():
    done = calibrant("report", "--help")
    assert "Make a page that shows where models are wrong" in done.stdout
