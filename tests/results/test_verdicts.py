import pytest

import calibrant as cb
from calibrant.results.verdict import Verdict
from calibrant.results.verdicts import Verdicts


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
