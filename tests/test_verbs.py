"""What each verb does beyond the laws that all share."""

import subprocess
import sys

import numpy as np
import polars
import pytest

import calibrant as cb
from calibrant.calibration.hypotheses import Cox, Joint
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.results.verdict import Verdict, Verdicts


@pytest.fixture(scope="module")
def pairs():
    return cb.synthetic.sample(600, cb.synthetic.inward(0.1), a=1, b=1, seed=1)


@pytest.fixture
def folder(tmp_path, pairs):
    for name, q in (("crf", pairs.q), ("hmm", pairs.q**2)):
        polars.DataFrame({"gold": pairs.y, "prob": q}).write_csv(tmp_path / f"{name}.csv")
    return tmp_path


def test_files_are_compared_under_their_own_names(folder, pairs):
    found = cb.compare(folder / "crf.csv", str(folder / "hmm.csv"), "Brier")
    assert set(found.scores) == {"crf", "hmm"}
    mixed = cb.compare(pairs, folder / "hmm.csv", "Brier")
    assert set(mixed.scores) == {"a", "b"}
    with pytest.raises(ParameterError, match="name two different files"):
        cb.compare(folder / "crf.csv", str(folder / "crf.csv"))
    assert mixed.difference.value == found.difference.value


def test_a_bare_comparison_tests_nothing(pairs):
    found = cb.compare(pairs, cb.Pairs(pairs.y, pairs.q**2), interval=None)
    assert found.difference.low is None
    assert found.worse("a") == []
    assert found.sentence == "Without an interval, differences are not tested."
    assert "Without an interval" in str(found)
    with pytest.raises(InputError, match="no p-values"):
        _ = found.p_value


def test_a_bare_description_claims_nothing(pairs):
    found = cb.describe(pairs, interval=None)
    full = cb.describe(pairs)
    assert found.sentence.startswith("Mean q and the frequency of y = 1 differ by")
    assert found.slope.text("value") in found.sentence
    assert [each.value for each in found.estimates()] == [each.value for each in full.estimates()]
    alone = cb.Pairs([0, 1, 1], [0.2, 0.4, 0.3], group=[1, 1, 1])
    assert cb.describe(alone, interval=None).base_rate.value == pytest.approx(2 / 3)
    with pytest.raises(cb.CalibrantError, match="interval=None"):
        cb.describe(alone)


def test_lists_of_tests_give_a_table(pairs):
    found = cb.test(pairs, ["Cox", Joint()])
    assert isinstance(found, Verdicts)
    assert [each.test for each in found] == ["Cox", "Joint"]
    assert found[0] == cb.test(pairs, Cox())
    assert cb.test(pairs, ("Cox",))[0] == found[0]
    assert isinstance(cb.test(pairs, "Cox"), Verdict)
    with pytest.raises(ParameterError, match="at least one test"):
        cb.test(pairs, [])
    with pytest.raises(UnknownName, match="Did you mean Cox"):
        cb.test(pairs, ["Joint", "Kox"])


def test_lists_of_scores_are_known_before_pairs_are_read():
    with pytest.raises(UnknownName, match="Did you mean Brier"):
        cb.score("no such file.csv", ["ECE", "Briar"])
    with pytest.raises(ParameterError, match="at least one score"):
        cb.score("no such file.csv", [])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: cb.score(p, cb.Brier), r"Brier is a class: pass an object of it, such as Brier"),
        (lambda p: cb.score(p, 3), "A score was expected, such as CalibScore"),
        (lambda p: cb.score(p, cb.AdaptiveBins()), "A score was expected"),
        (lambda p: cb.curve(p, cb.Kernel), "Kernel is a class"),
        (lambda p: cb.curve(p, cb.Brier()), "A curve was expected"),
        (lambda p: cb.test(p, Cox), "Cox is a class"),
        (lambda p: cb.test(p, cb.Brier()), "A test was expected"),
        (lambda p: cb.decompose(p, curve=cb.Brier()), "A curve was expected"),
        (lambda p: cb.decompose(p, "ECE"), "ECE is not a proper scoring rule"),
        (lambda p: cb.decompose(p, interval="NormalSampling"), "by Bootstrap, not by Normal"),
        (lambda p: cb.compare(p), "Two models were expected"),
        (lambda p: cb.compare(p, "Brier", "ECE"), "no file Brier"),
        (lambda p: cb.compare(p, p, interval="NormalSampling"), "compared by Bootstrap, not by"),
        (lambda p: cb.compare({"a": p, "b": p}, p), "one mapping, and one score"),
        (lambda p: cb.ask(cb.Labels([[0.2, 0.8]]), [1], cb.Brier()), "A query was expected"),
    ],
)
def test_wrong_arguments(pairs, call, message):
    with pytest.raises(cb.CalibrantError, match=message):
        call(pairs)


def test_files_and_frames_are_plotted_as_their_curve(folder, pairs):
    wanted = cb.curve(pairs, "LocalLikelihood")
    for given in (folder / "crf.csv", polars.read_csv(folder / "crf.csv"), pairs):
        line = max(cb.plot(given).get_lines(), key=lambda line: len(line.get_xdata()))
        np.testing.assert_allclose(line.get_ydata(), wanted.p, rtol=1e-12)
    named = cb.plot({"one": folder / "crf.csv", "other": pairs})
    assert [text.get_text() for text in named.get_legend().get_texts()] == ["one", "other"]


def test_the_warning_of_shares_names_the_line_that_called():
    y, q = np.tile([0, 1, 1], 40), np.tile([0.1, 0.3, 0.5, 0.7, 0.9], 24)
    with pytest.warns(cb.CalibrantWarning, match=r"multiples of 1/10") as caught:
        cb.score(cb.Pairs(y, q), "Brier", interval=None)
    assert caught[0].filename == __file__


def test_seeds_of_curves_are_in_their_signature(pairs):
    smooth = "LocalLikelihood(bandwidth=0.5)"
    drawn = cb.curve(pairs, smooth, band="bootstrap", seed=3)
    assert "seed" not in cb.curve(pairs, smooth, band="bootstrap").signature
    assert "|seed=3|" in drawn.signature
    assert "seed" not in cb.curve(pairs, smooth, seed=3).signature  # its band is not drawn
    assert cb.curve(pairs, seed=3).signature == cb.curve(pairs).signature


def test_every_query_is_known_by_its_printed_form():
    """Also where nothing but a verb has been imported."""
    code = (
        "from calibrant.verbs import ask; from calibrant.results.naming import REGISTRY; "
        "print(*sorted(REGISTRY['query']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"SameEntity", "EveryTag", "HasSpan", "HasConstituent", "TopLabel"} <= set(
        done.stdout.split()
    )
