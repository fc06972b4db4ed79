"""The command line as a process: what goes to stdout, what to stderr, and the exit code."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from made_pairs import thesis_mse
from process import calibrant, called, check_refused
from real_data import DATA

import calibrant as cb
from calibrant.calibration import hypotheses


def write(path, pairs, header="y,q"):
    columns = [pairs.y.astype(int), pairs.q]
    if pairs.group is not None:
        header, columns = "gold,prob,sent", [*columns, pairs.group]
    lines = [",".join(map(repr, row)) for row in zip(*(c.tolist() for c in columns), strict=True)]
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write(folder / "wrong.csv", cb.synthetic.sample(7152, cb.synthetic.inward(0.1), seed=1))
    write(folder / "fine.csv", cb.synthetic.calibrated(7152, seed=2))
    write(folder / "groups.csv", cb.synthetic.sample_groups(200, seed=3))
    return folder


@pytest.mark.parametrize("certain", [False, True])
def test_the_thesis_transcribed_in_ten_lines(tmp_path, certain):
    """7152 pairs, plug-in: equal to 1e-12, unchanged by shuffling, also with certain q."""
    rng = np.random.default_rng(9)
    q = rng.beta(0.2, 0.5, 7152)
    if certain:
        q = np.where(rng.random(7152) < 0.6, np.round(q), q)
    y = (rng.random(7152) < 0.1 + 0.8 * q).astype(int)
    values = []
    for name in ("one.csv", "shuffled.csv"):
        order = np.arange(7152) if name == "one.csv" else rng.permutation(7152)
        path = write(tmp_path / name, cb.Pairs(y[order], q[order]))
        done = called("score", path, "CalibScore(size=400, debiased=False)", "--json")
        values.append(json.loads(done.stdout)[0])
    assert values[0] == values[1]
    if not certain:  # with ties the thesis's steps depend on the order of rows
        assert values[0]["value"] == pytest.approx(np.sqrt(thesis_mse(y, q, 400)), abs=1e-12)


def test_text_in_a_pipe_and_json_on_request(folder):
    words = ("score", folder / "groups.csv", "CalibScore", "Brier")
    assert calibrant(*words).stdout.startswith("score ")
    done = called(*words, "--json")
    assert done.returncode == 0
    assert called(*words, "--format", "json").stdout == done.stdout
    first, second = json.loads(done.stdout)
    wanted = cb.score(cb.read(folder / "groups.csv"))
    assert list(first)[:6] == ["score", "value", "low", "high", "level", "n"]
    assert {"groups", "signature", "plugin"} <= set(first)
    assert (first["value"], first["low"], first["high"]) == (wanted.value, wanted.low, wanted.high)
    assert (first["n"], first["groups"]) == (4000, 200)
    assert second["score"] == "Brier"
    assert "y=gold, q=prob, group=sent" in done.stderr


def test_formats(folder):
    outputs = {
        name: called("score", folder / "wrong.csv", "--format", name).stdout
        for name in ("text", "csv", "md", "latex")
    }
    assert outputs["text"].startswith("score ")
    assert outputs["csv"].startswith("score,value,low,high,level,n,groups")
    assert outputs["md"].startswith("| score |")
    assert outputs["latex"].startswith(r"\begin{tabular}")


def test_standard_input_and_no_group(folder):
    text = (folder / "groups.csv").read_text()
    done = calibrant("score", "-", "--no-group", "--interval", "none", "--json", stdin=text)
    (only,) = json.loads(done.stdout)
    assert (only["groups"], only["low"]) == (0, None)


def test_intervals_levels_and_seeds(folder):
    def limits(*words):
        (only,) = json.loads(called("score", folder / "wrong.csv", *words, "--json").stdout)
        return only["low"], only["high"]

    assert limits("--seed", 1) == limits("--interval", "Bootstrap(seed=1)")
    assert limits("--seed", 1) != limits()
    assert limits("--level", 0.8)[0] > limits()[0]
    assert limits("CalibScore(debiased=False)", "--interval", "NormalSampling")[0] > 0.08


@pytest.mark.parametrize(
    ("curve", "band"),
    [("LocalLikelihood(bandwidth=0.5)", "bootstrap"), ("Isotonic", "consistency")],
)
def test_seeds_of_bands(folder, curve, band):
    def limits(*words):
        done = called("curve", folder / "fine.csv", curve, "--band", band, *words, "--json")
        return [(row["low"], row["high"]) for row in json.loads(done.stdout)]

    assert limits("--seed", 0) == limits()
    assert limits("--seed", 1) != limits()


def test_the_gate(folder):
    passed = calibrant("score", folder / "fine.csv", "--fail-above", 0.05)
    failed = calibrant("score", folder / "wrong.csv", "--fail-above", 0.05, "--json")
    assert (passed.returncode, failed.returncode) == (0, 1)
    assert "is above 0.05." in failed.stderr
    assert json.loads(failed.stdout)[0]["value"] > 0.05


@pytest.mark.parametrize("end", ["value", "low", "high"])
def test_the_gate_looks_at_one_end(folder, end):
    """A limit a little below the end fails, one a little above passes."""
    estimate = json.loads(calibrant("score", folder / "wrong.csv", "--json").stdout)[0]
    for limit, code in ((estimate[end] - 1e-6, 1), (estimate[end] + 1e-6, 0)):
        words = ("score", folder / "wrong.csv", "--fail-above", limit, "--fail-on", end)
        assert calibrant(*words).returncode == code


WRONG = {
    "end": (("score", "fine.csv", "--fail-above", "1", "--fail-on", "hi"), "Did you mean high?"),
    "end without limit": (("score", "fine.csv", "--fail-on", "low"), "give --fail-above"),
    "end without interval": (
        ("score", "fine.csv", "--fail-on", "low", "--fail-above", "1", "--interval", "none"),
        "needs an interval",
    ),
    "no such file": (("score", "none.csv"), "There is no file none.csv"),
    "unknown score": (("score", "fine.csv", "Briar"), "Did you mean Brier?"),
    "unknown column": (("score", "fine.csv", "--y", "gold"), "Its columns are: y, q."),
    "unknown format": (("score", "fine.csv", "--format", "jsn"), "Did you mean json?"),
    "level": (("score", "fine.csv", "--level", "95"), "write --level 0.95."),
    "unknown band": (("curve", "fine.csv", "--band", "wlad"), "Did you mean wald?"),
    "unknown bins": (("curve", "fine.csv", "AdaptiveBin"), "Did you mean AdaptiveBins?"),
    "figure format": (("curve", "fine.csv", "-o", "x.gif"), "output file '.gif'"),
    "band before reading": (("curve", "none.csv", "--band", "x"), "no band of AdaptiveBins 'x'"),
    "level before reading": (("curve", "none.csv", "--level", "2"), "level must lie between"),
    "output is a folder": (("curve", "none.csv", "-o", "sub.csv"), "sub.csv cannot be written"),
    "output below a file": (("curve", "none.csv", "-o", "fine.csv/x.csv"), "is not a folder"),
    "weight and no weight": (("score", "fine.csv", "--weight", "y", "--no-weight"), "not both"),
    "also without figure": (("curve", "fine.csv", "--also", "wrong.csv"), "are for figures"),
    "panels without figure": (("curve", "fine.csv", "--panels"), "are for figures"),
    "format of a file": (("curve", "fine.csv", "-o", "x.csv", "--format", "md"), "is for stdout"),
    "semicolons": (("score", "semi.csv"), "separated by semicolons"),
    "group and no group": (("score", "fine.csv", "--group", "y", "--no-group"), "not both"),
    "interval": (("score", "fine.csv", "Brier", "--interval", "NormalSampling"), "use Bootstrap"),
    "bad row": (("score", "bad.csv"), "bad.csv, line 3, column q: q must be a number in [0, 1]"),
    "one file": (("compare", "fine.csv"), "Two or more files are needed"),
    "other questions": (("compare", "fine.csv", "groups.csv"), "--key COLUMN"),
    "one file twice": (("compare", "fine.csv", "fine.csv"), "named twice"),
    "unknown test": (("test", "fine.csv", "Kox"), "Did you mean Cox?"),
    "not proper": (("decompose", "fine.csv", "ECE"), "ECE is not a proper scoring rule"),
    "decomposition as a table": (("decompose", "fine.csv", "-o", "x.csv"), "output file '.csv'"),
    "seed of nothing": (
        ("score", "fine.csv", "--interval", "none", "--seed", "1"),
        "--interval none computes none: leave --seed out",
    ),
    "seed of bins": (
        ("curve", "none.csv", "--seed", "1"),
        "the band wilson of AdaptiveBins is not: leave --seed out.",
    ),
    "seed of a smooth curve": (
        ("curve", "none.csv", "Kernel", "--seed", "0"),
        "the band robust of Kernel is not: leave --seed out, or use --band bootstrap.",
    ),
    "seed of steps": (
        ("curve", "none.csv", "Isotonic", "--band", "confidence", "--seed", "1"),
        "leave --seed out, or use --band consistency.",
    ),
    "seed": (("test", "fine.csv", "--seed", "-1"), "--seed must be a whole number from 0"),
    "replicates of nothing": (
        ("compare", "fine.csv", "wrong.csv", "--interval", "none", "--replicates", "500"),
        "--replicates is for Bootstrap, not for --interval none",
    ),
    "too few replicates": (("score", "fine.csv", "--replicates", "9"), "--replicates must be"),
    "interval of a description": (
        ("describe", "fine.csv", "--interval", "Bootstrap"),
        "leave --interval out, or use --interval none.",
    ),
    "one group": (("score", "one.csv"), "(--no-group), or use --interval none."),
    "two formats": (("test", "fine.csv", "--json", "--format", "md"), "--json or --format md"),
    "demo": (("demo", "-o", "demo.gif"), "output file '.gif'"),
    "folder is a file": (("study", "synthetic", "-o", "fine.csv"), "fine.csv"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_line_and_exit_code_two(folder, name):
    (folder / "bad.csv").write_text("y,q\n0,0.5\n1,oops\n")
    (folder / "one.csv").write_text("y,q,group\n0,0.5,a\n1,0.7,a\n")
    (folder / "semi.csv").write_text("y;q\n0;0.5\n")
    (folder / "sub.csv").mkdir(exist_ok=True)
    words, message = WRONG[name]
    check_refused(called(*words, cwd=folder), message)


def test_debug_shows_the_traceback(folder):
    done = calibrant("score", "none.csv", "--debug", cwd=folder)
    assert "Traceback" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        *(("scoer",), ("score",), ("study", "synthetic"), ("study", "none")),
        *(("score", "x.csv", "--levle", "1"), ("score", "x.csv", "--level", "much")),
    ],
)
def test_usage_errors_are_one_line_too(words):
    done = calibrant(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("calibrant: ")
    assert len(done.stderr.splitlines()) == 1


def test_help_and_version():
    assert calibrant("--version").stdout == f"calibrant {cb.__version__}\n"
    for words in ((), ("score",), ("study", "synthetic"), ("demo",), ("train",), ("ask",)):
        done = called(*words, "--help")
        assert done.returncode == 0
        assert "Usage" in done.stdout


def test_shell_completion():
    asked = {"_CALIBRANT_COMPLETE": "complete_bash", "COMP_WORDS": "calibrant s", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from calibrant.cli.main import run; run()"],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "score" in done.stdout + done.stderr or done.returncode == 0


def test_decompose(folder, tmp_path):
    words = ("decompose", folder / "wrong.csv", "LogLoss(clip=1e-9)", "--curve", "Isotonic")
    done = called(*words, "-o", tmp_path / "parts.svg", "--json")
    assert done.returncode == 0, done.stderr
    records = {record["term"]: record for record in json.loads(done.stdout)}
    wanted = cb.decompose(cb.read(folder / "wrong.csv"), cb.LogLoss(clip=1e-9), cb.Isotonic())
    assert records["miscalibration"]["value"] == wanted.miscalibration.value
    assert records["calibration"]["low"] == wanted.calibration.low
    assert "refinement" in (tmp_path / "parts.svg").read_text()
    bare = called("decompose", folder / "wrong.csv", "--interval", "none")
    assert "interval" not in bare.stdout


def test_tests(folder):
    words = ("test", folder / "wrong.csv", "Cox", "Cumulative(statistic='max')")
    done = called(*words, "--json")
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    wanted = cb.test(cb.read(folder / "wrong.csv"), hypotheses.Cox())
    assert records[0]["p_value"] == wanted.p_value
    assert records[0]["sentence"] == wanted.sentence
    failed = called(*words, "--fail-below", "0.01")
    assert failed.returncode == 1
    assert "is below 0.01" in failed.stderr
    assert "Strong evidence of miscalibration" in failed.stderr
    assert called("test", folder / "fine.csv", "--fail-below", "1e-4").returncode == 0


def test_compare(folder, tmp_path):
    fine = cb.read(folder / "fine.csv")
    rows = [f"{i},{int(y)},{q}" for i, (y, q) in enumerate(zip(fine.y, fine.q, strict=True))]
    worse = [f"{i},{int(y)},{q**2}" for i, (y, q) in enumerate(zip(fine.y, fine.q, strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(["id,y,q", *rows]))
    (tmp_path / "b.csv").write_text("\n".join(["id,y,q", *reversed(worse)]))
    both = ("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    done = called(*both, "--key", "id", "--json")
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    wanted = cb.compare({"a": fine, "b": cb.Pairs(fine.y, fine.q**2)})
    assert [record["model"] for record in records] == ["a", "b", "a − b"]
    piped = calibrant(
        *("compare", "-", tmp_path / "b.csv", "--key", "id", "--json"),
        stdin=(tmp_path / "a.csv").read_text(),
    )
    assert json.loads(piped.stdout)[2]["value"] == records[2]["value"]  # a pipe is read once
    assert records[2]["p_value"] == pytest.approx(wanted.p_value)
    text = called(*both, "--key", "id", "--format", "md")
    assert "better than" in text.stdout
    assert "a is better than b." in text.stderr
    unordered = called(*both)
    assert unordered.returncode == 2
    assert "answer different questions: y[" in unordered.stderr


def test_curves_of_every_estimator(folder):
    for name in ("LocalLikelihood", "Kernel(bandwidth=0.1)", "Isotonic"):
        done = called("curve", folder / "wrong.csv", name, "--json")
        assert done.returncode == 0, done.stderr
        wanted = cb.curve(cb.read(folder / "wrong.csv"), name)
        assert [r["p"] for r in json.loads(done.stdout)] == wanted.p.tolist()


def test_curves(folder, tmp_path):
    done = called("curve", folder / "wrong.csv", "AdaptiveBins(size=400)", "--json")
    records = json.loads(done.stdout)
    curve = cb.curve(cb.read(folder / "wrong.csv"), cb.AdaptiveBins(size=400))
    assert [r["p"] for r in records] == curve.p.tolist()
    endings = ("csv", "json", "md", "tex", "txt", "parquet", "png", "svg", "pdf")
    for name in (f"c.{ending}" for ending in endings):
        done = called("curve", folder / "wrong.csv", "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""
        assert (tmp_path / name).stat().st_size > 0
    both = ("--also", folder / "fine.csv", "-o", tmp_path / "both.svg")
    assert called("curve", folder / "wrong.csv", *both).returncode == 0
    assert "fine" in (tmp_path / "both.svg").read_text()
    assert called("curve", folder / "wrong.csv", *both, "--panels").returncode == 0
    assert sorted(p.suffix for p in tmp_path.iterdir()) == sorted(
        [".csv", ".json", ".md", ".tex", ".txt", ".parquet", ".png", ".svg", ".svg", ".pdf"]
    )


VERBS = {
    "score": ("CalibScore", "Brier"),
    "curve": ("AdaptiveBins(count=4)",),
    "describe": (),
    "decompose": (),
    "test": ("Cox", "Cumulative"),
    "compare": ("fine.csv",),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_every_format(folder, verb):
    """Text unless asked otherwise; JSON is a list of objects that carry their signatures."""
    words = (verb, "models.csv" if verb == "compare" else "wrong.csv", *VERBS[verb])
    (folder / "models.csv").write_text((folder / "fine.csv").read_text().replace("0.9", "0.8"))
    text = called(*words, cwd=folder)
    assert text.returncode == 0, text.stderr
    assert text.stdout == called(*words, "--format", "text", cwd=folder).stdout
    records = json.loads(called(*words, "--json", cwd=folder).stdout)
    assert all(record["signature"].endswith(f"calibrant={cb.__version__}") for record in records)
    assert called(*words, "--format", "json", cwd=folder).stdout.startswith("[")
    assert called(*words, "--format", "csv", cwd=folder).stdout.count("\n") > len(records)
    assert called(*words, "--format", "md", cwd=folder).stdout.startswith("| ")
    assert called(*words, "--format", "latex", cwd=folder).stdout.startswith(r"\begin{tabular}")


@pytest.mark.parametrize("verb", ["score", "curve", "describe", "decompose", "test", "compare"])
def test_options_have_the_same_words_everywhere(verb):
    done = called(verb, "--help")
    assert done.returncode == 0
    wanted = {"--format", "--json", "--y", "--q", "--group", "--no-group", "--from"}
    wanted |= set() if verb == "test" else {"--level"}
    wanted |= set() if verb in ("curve", "test") else {"--interval"}
    wanted |= set() if verb == "describe" else {"--seed"}
    assert wanted <= set(re.findall(r"--[a-z-]+", done.stdout))


@pytest.mark.parametrize("verb", ["curve", "describe", "decompose"])
@pytest.mark.parametrize("kind", ["name", "other spelling", "link"])
def test_an_input_is_never_overwritten(tmp_path, verb, kind):
    data = "y,q\n" + "\n".join(f"{k % 2},0.{k % 9 + 1}" for k in range(40))
    (tmp_path / "preds.png").write_text(data)
    if kind == "link":
        (tmp_path / "link.png").symlink_to(tmp_path / "preds.png")
    output = {"name": "preds.png", "other spelling": "./x/../preds.png", "link": "link.png"}[kind]
    (tmp_path / "x").mkdir()
    done = called(verb, "preds.png", "--from", "csv", "-o", output, cwd=tmp_path)
    check_refused(done, f"{output} would overwrite an input of this command")
    assert (tmp_path / "preds.png").read_text() == data


def test_a_table_never_overwrites_its_input(tmp_path):
    path = write(tmp_path / "preds.csv", cb.synthetic.calibrated(50, seed=1))
    before = path.read_text()
    check_refused(called("curve", "preds.csv", "-o", "preds.csv", cwd=tmp_path), "would overwrite")
    other = write(tmp_path / "other.png", cb.synthetic.calibrated(50, seed=2))
    words = ("curve", "preds.csv", "--also", "other.png", "-o", other)
    check_refused(called(*words, cwd=tmp_path), "would overwrite")
    assert path.read_text() == before


def test_demo(tmp_path):
    done = calibrant("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert "CRF-Advanced" in done.stdout
    assert [each.name for each in tmp_path.iterdir()] == ["calibrant-demo.png"]


def test_warnings_are_notes(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,q\n1,0\n0,0.5\n")
    done = called("score", path, "LogLoss", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["value"] is None  # JSON has no infinity
    assert done.stderr.splitlines()[-1].startswith("LogLoss is infinite: 1 of 2 pairs")


def test_real_forecasts():
    games = DATA / "forecasts" / "fivethirtyeight" / "nba_games.csv"
    if not games.exists():
        pytest.skip("the forecasts of FiveThirtyEight are not here")
    (only,) = json.loads(
        called("score", games, "CalibScore", "--interval", "none", "--json").stdout
    )
    assert only["value"] < 0.06


def test_pairs_never_overwrite_the_corpus_they_come_from(tmp_path):
    (tmp_path / "gold.csv").write_text("the D\n")
    done = called("ask", "model", "gold.csv", "EveryTag", "-o", "gold.csv", cwd=tmp_path)
    check_refused(done, "would overwrite an input")
