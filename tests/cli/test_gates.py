"""The gates of `calibrant score`: `--fail-if-worse`, and `--junit`."""

import json
from xml.etree import ElementTree

import numpy as np
import polars
import pytest
from made_pages import HOSTILE
from process import called, check_refused
from scipy import stats

import calibrant as cb
from calibrant.cli.junit import junit


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Predictions of a model; of one that is a little worse, also in another order."""
    folder = tmp_path_factory.mktemp("gates")
    rng = np.random.default_rng(1)
    p = rng.beta(1, 1, 800)
    old = polars.DataFrame({"id": np.arange(800), "y": (rng.random(800) < p).astype(int), "q": p})
    new = old.with_columns(q=np.clip(p + rng.normal(0, 0.1, 800), 0.01, 0.99))
    old.write_csv(folder / "old.csv")
    new.write_csv(folder / "new.csv")
    new.sample(fraction=1, shuffle=True, seed=2).write_csv(folder / "shuffled.csv")
    own = new.with_columns(y=1 - polars.col("y"), q=1 - polars.col("q"))
    own.write_csv(folder / "own.csv")  # the other answer
    return folder


def gate(folder, new, old, *words):
    return called("score", f"{new}.csv", *words, "--fail-if-worse", f"{old}.csv", cwd=folder)


def squared_errors(path):
    frame = polars.read_csv(path)
    return (frame["q"] - frame["y"]).to_numpy() ** 2


def test_a_paired_t_test_draws_the_same_line(folder):
    """The gate fails if 1 − level is just above the p-value, and passes just below it."""
    worse, better = (squared_errors(folder / f"{name}.csv") for name in ("new", "old"))
    p = stats.ttest_rel(worse, better).pvalue
    assert worse.mean() > better.mean()
    assert p > 1e-9
    for alpha, code in ((1.01 * p, 1), (0.99 * p, 0)):
        done = gate(folder, "new", "old", "Brier", "--level", 1 - alpha)
        assert done.returncode == code, done.stderr
        assert gate(folder, "old", "new", "Brier", "--level", 1 - alpha).returncode == 0


@pytest.mark.parametrize("score", ["CalibScore", "Brier", "ECE", "LogLoss"])
def test_worse_is_what_compare_calls_worse(folder, score):
    compared = cb.compare(folder / "new.csv", folder / "old.csv", score)
    done = gate(folder, "new", "old", score)
    assert done.returncode == int(compared.worse("old") == ["new"])
    assert gate(folder, "old", "new", score).returncode == 0


def test_the_difference_and_its_interval_are_said_in_one_line(folder):
    found = cb.compare(folder / "new.csv", folder / "old.csv", "Brier").differences["old", "new"]
    done = gate(folder, "new", "old", "Brier", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)[0]["score"] == "Brier"
    last = done.stderr.splitlines()[-1]
    assert last.startswith("Brier of new is significantly worse than that of old: the difference")
    assert f"{-found.value:.3f} [{-found.high:.3f}, {-found.low:.3f}], p = " in last
    passed = gate(folder, "old", "new", "Brier")
    assert "Brier of old is not significantly worse than that of new" in passed.stderr


def test_rows_are_matched_by_key(folder):
    joined = gate(folder, "shuffled", "old", "Brier", "--key", "id")
    assert joined.returncode == 1
    in_order = gate(folder, "new", "old", "Brier")
    assert joined.stderr.splitlines()[-1] == (
        in_order.stderr.splitlines()[-1].replace("of new", "of shuffled")
    )
    piped = called(
        *("score", "-", "Brier", "--fail-if-worse", "old.csv", "--key", "id"),
        stdin=(folder / "shuffled.csv").read_text(),
        cwd=folder,
    )
    assert piped.returncode == 1


def test_own_answers(folder):
    assert gate(folder, "own", "old", "Brier", "--own-answers").returncode == 1
    refused = gate(folder, "own", "old", "Brier")
    check_refused(refused, "add --own-answers")


def test_one_failed_gate_of_several_is_enough(folder):
    done = gate(folder, "old", "new", "Brier", "CalibScore", "--fail-above", 0.1)
    assert done.returncode == 1
    assert "is above 0.1." in done.stderr
    assert done.stderr.count("is not significantly worse") == 2


@pytest.mark.parametrize(("groups", "can_fail"), [(5, False), (6, True)])
def test_a_gate_that_cannot_fail_says_so(tmp_path, groups, can_fail):
    """2^(1 − 5) is above 0.05, 2^(1 − 6) is below: so few groups may agree by chance."""
    doc = np.repeat(np.arange(groups), 50)
    old = polars.DataFrame({"doc": doc, "y": np.tile([0, 1], 25 * groups)})
    old.with_columns(q=0.1 + 0.8 * polars.col("y")).write_csv(tmp_path / "old.csv")
    old.with_columns(q=0.9 - 0.8 * polars.col("y")).write_csv(tmp_path / "new.csv")
    done = gate(tmp_path, "new", "old", "Brier", "--group", "doc")
    assert done.returncode == int(can_fail)
    said = "--fail-if-worse cannot fail here: with 5 groups, no difference has less than p = 0.06"
    assert (said in done.stderr) == (not can_fail)


WORSE = ("--fail-if-worse", "old.csv")
WRONG = {
    "no baseline": (("new.csv", "--fail-if-worse", "none.csv"), "There is no file none.csv."),
    "itself": (("old.csv", "--fail-if-worse", "./old.csv"), "is the file that is scored"),
    "stdin twice": (("-", "--fail-if-worse", "-"), "is the file that is scored"),
    "other order": (("shuffled.csv", *WORSE), "or join them by --key COLUMN."),
    "no key": (("new.csv", *WORSE, "--key", "name"), "name"),
    "no interval": (("new.csv", *WORSE, "--interval", "none"), "needs an interval"),
    "normal": (("new.csv", *WORSE, "--interval", "NormalSampling"), "compares by Bootstrap"),
    "slices": (("new.csv", *WORSE, "--by", "id:4"), "leave --by out"),
    "several files": (("new.csv", "own.csv", *WORSE), "but these are 2: new.csv, own.csv."),
    "map": (("new.csv", *WORSE, "--with", "map.json"), "leave --with out"),
    "junit alone": (("new.csv", "--junit", "j.xml"), "give --fail-above or --fail-if-worse."),
    "junit on stdout": (("new.csv", *WORSE, "--junit", "-"), "is the name of a file"),
    "junit over the baseline": (("new.csv", *WORSE, "--junit", "old.csv"), "would overwrite"),
    "junit over the file": (("new.csv", *WORSE, "--junit", "new.csv"), "would overwrite"),
    "key alone": (("new.csv", "--key", "id"), "give --fail-if-worse as well"),
    "own answers alone": (("new.csv", "--own-answers"), "give --fail-if-worse as well"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(folder, name):
    words, message = WRONG[name]
    check_refused(called("score", *words, cwd=folder), message)


def test_junit_holds_a_case_for_each_score(folder, tmp_path):
    path = tmp_path / "made" / "gate.xml"
    words = ("Brier", "CalibScore", "--fail-above", 0.17, "--junit", path)
    done = gate(folder, "new", "old", *words)
    assert done.returncode == 1
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite.get("name") == "calibrant score new.csv"
    cases = {each.get("name"): each.find("failure") for each in suite}
    assert list(cases) == ["Brier", "CalibScore"]
    failed = [each for each in cases.values() if each is not None]
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(len(failed)))
    said = [line for line in done.stderr.splitlines() if line.startswith("Brier")]
    assert len(said) == 2  # above the limit, and worse
    assert cases["Brier"].get("message") == cases["Brier"].text == " ".join(said)
    assert [each.name for each in path.parent.iterdir()] == ["gate.xml"]


def test_junit_of_a_gate_that_passes(folder, tmp_path):
    path = tmp_path / "gate.xml"
    assert gate(folder, "old", "new", "Brier", "--junit", path).returncode == 0
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    assert suite.find("testcase").find("failure") is None


def test_an_error_leaves_junit_as_it_was(folder, tmp_path):
    path = tmp_path / "gate.xml"
    path.write_text("before")
    assert gate(folder, "shuffled", "old", "--junit", path).returncode == 2
    assert path.read_text() == "before"


@pytest.mark.parametrize("text", [*HOSTILE, "\udcff \ufffe \x1b[31m", 'a"b\n<c/>', "]]>"])
def test_hostile_text_stays_data(text):
    """One suite with one failed case comes back, whatever the names and sentences are."""
    root = ElementTree.fromstring(junit(text, {text: [text]}))
    assert [each.tag for each in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]
    suite, case, failure = list(root.iter())[1:]
    assert suite.get("name") == case.get("name") == failure.get("message") == failure.text
    if text.isascii() and text.isprintable():
        assert failure.text == text


def test_a_hostile_file_name(folder, tmp_path):
    name = '<img src="x">&\x1b[31m.csv'
    (tmp_path / name).write_bytes((folder / "new.csv").read_bytes())
    done = called("score", name, "--fail-above", 0, "--junit", "gate.xml", cwd=tmp_path)
    assert done.returncode == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot().find("testsuite")
    assert suite.get("name") == 'calibrant score <img src="x">&\\x1b[31m.csv'
