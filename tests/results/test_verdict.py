"""What tests say."""

import json

import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import UnsupportedError
from calibrant.results.verdict import (
    Finding,
    Verdict,
    Verdicts,
    certain,
    check_groups,
    judge,
    resampled,
    share_beyond,
)


class Sample:
    n, groups = 30.0, 12


def verdict(p, least=0.0, how="chi-squared"):
    return judge("Cox", Finding(3.0, p, how, least), Sample(), "Cox|n=30")


@pytest.mark.parametrize(
    ("p", "evidence", "share"),
    [
        (0.84, "No evidence", "84 %"),
        (0.05, "No evidence", "5 %"),
        (0.049, "Evidence", "5 %"),
        (0.0099, "Strong evidence", "1 %"),
        (0.0007, "Strong evidence", "0.07 %"),
        (1e-12, "Strong evidence", "less than 0.05 %"),
    ],
)
def test_sentences(p, evidence, share):
    assert verdict(p).sentence == (
        f"{evidence} of miscalibration: a calibrated model would look this wrong in {share} of "
        "samples."
    )


def test_printed_form():
    found = verdict(0.0003)
    assert str(found) == (
        "Cox: p = 0.0003. Strong evidence of miscalibration: a calibrated model would look this "
        "wrong in less than 0.05 % of samples."
    )
    assert found._repr_html_().startswith("<p><code>Cox</code>: p = 0.0003. Strong")
    assert float(found) == 0.0003


def test_a_p_value_at_the_floor_of_its_replicates():
    found = verdict(1 / 2000, least=1 / 2000)
    assert "p ≤ 0.0005." in str(found)
    assert "in at most 0.05 % of samples" in found.sentence
    assert "p = 0.001." in str(verdict(2 / 2000, least=1 / 2000))


def test_certainty():
    assert judge("Cox", certain(wrong=False), Sample(), "").p_value == 1
    found = judge("Cox", certain(wrong=True), Sample(), "")
    assert "p < 1e-9" in str(found)
    assert "had been given probability 0" in found.sentence


def test_every_field_is_in_the_record():
    record = json.loads(json.dumps(verdict(0.25).to_dict()))
    assert record["n"] == 30
    assert isinstance(record["n"], int)
    assert record["p_value"] == 0.25
    assert set(record) >= {"test", "statistic", "how", "groups", "signature", "sentence"}


def test_a_p_value_that_is_not_a_number_is_refused():
    with pytest.raises(UnsupportedError, match="Cox has no p-value for these data"):
        verdict(np.nan)
    assert verdict(1 + 1e-9).p_value == 1


def test_shares_of_replicates():
    drawn = np.array([1.0, 2.0, 3.0])
    assert share_beyond(drawn, 2.0) == 3 / 4
    assert share_beyond(drawn, 2.0 * (1 + 1e-14)) == 3 / 4  # rounding is no difference
    assert share_beyond(drawn, 9.0) == 1 / 4
    found = resampled(7.0, drawn, 9.0, "replicates")
    assert found == Finding(7.0, 1 / 4, "replicates", 1 / 4)


def test_groups_that_are_too_few():
    check_groups(10)
    with pytest.raises(UnsupportedError, match="There is only 1 group, too few to estimate"):
        check_groups(1)
    with pytest.raises(UnsupportedError, match=r"only 49 groups.*at least 50 are needed"):
        check_groups(49, 50)


@pytest.fixture(scope="module")
def verdicts():
    wrong = cb.synthetic.sample(3000, cb.synthetic.inward(0.1), seed=1)
    return cb.test(wrong, ["Cox", "Spiegelhalter"])


def test_a_row_for_each_test(verdicts):
    header, rows = verdicts.table()
    assert header == ["test", "statistic", "p", "by"]
    assert [row[0] for row in rows] == ["Cox", "Spiegelhalter"]
    assert str(verdicts).splitlines()[1].startswith("Cox ")
    assert repr(verdicts) == str(verdicts)
    assert verdicts.to_frame()["p_value"].to_list() == [each.p_value for each in verdicts]
    assert verdicts.signature.splitlines() == [each.signature for each in verdicts]
    assert "<td>Cox</td>" in verdicts._repr_html_()


@pytest.mark.parametrize(
    ("p", "text"), [(0.0, "< 1e-9"), (9e-10, "< 1e-9"), (2.345e-9, "2.3e-09"), (0.25, "0.250")]
)
def test_a_p_value_is_never_0(p, text):
    one = Verdict("Cox", 1.0, p, "chi-squared", 10, 0, "Cox|n=10")
    assert Verdicts([one]).table()[1][0][2] == text
