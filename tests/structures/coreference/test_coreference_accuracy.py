import csv

import pytest
from real_data import DATA

from calibrant.corpora import read_coreference, score_clusters
from calibrant.errors import InputError

CASES = DATA / "coref" / "scorer-tests"


@pytest.mark.skipif(not CASES.is_dir(), reason="the scorer's test cases are not here")
def test_the_reference_scorers_own_cases():
    """Every numerator and denominator that the reference scorer gives for its test cases."""

    def spans(name):
        return read_coreference(CASES / name, word=0, repeated="first").spans

    with (CASES / "expected.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 108
    for row in rows:
        found = score_clusters(spans(row["key"]), spans(row["response"]))
        share = {"muc": found.muc, "bcub": found.b_cubed, "ceafe": found.ceaf_e}[row["metric"]]
        names = ("recall_num", "recall_den", "precision_num", "precision_den")
        assert tuple(share) == pytest.approx([float(row[name]) for name in names]), row


def test_vilains_example():
    """Truth 1-2-3-4-5, 6-7, 8-9-A-B-C; response 1-2-3-4-5 and 6-7-8-9-A-B-C."""
    truth = [[list("12345"), list("67"), list("89ABC")]]
    found = score_clusters(truth, [[list("12345"), list("6789ABC")]])
    assert (found.muc.recall, found.muc.precision) == (1, pytest.approx(0.9))
    assert found.b_cubed.precision == pytest.approx((5 + 4 / 7 + 25 / 7) / 12)
    assert found.ceaf_e.recall_part == pytest.approx(1 + 10 / 12)
    same = score_clusters(truth, truth)
    assert same.conll == 1
    assert str(same) == "CoNLL 100.00 (MUC 100.00, B³ 100.00, CEAFe 100.00)"


def test_singletons_may_be_left_out():
    gold, found = [[[1, 2]]], [[[1, 2], [3], [4]]]
    assert score_clusters(gold, found).conll < 1
    assert score_clusters(gold, found, singletons=False).conll == 1
    assert score_clusters(gold, [[]]).conll == 0


def test_what_cannot_be_scored():
    with pytest.raises(InputError, match="same documents, but they have 2 and 1"):
        score_clusters([[], []], [[]])
    for level in ([["m1", "m2"]], [[1, 2]], [[[["a"]]]], ["m1"], [3]):
        with pytest.raises(
            InputError, match=r"must be a list of mentions, .* but gold, document 0"
        ):
            score_clusters(level, [[]])
    with pytest.raises(InputError, match="found, document 0, has a mention in two"):
        score_clusters([[[1, 2]]], [[[1], [1, 2]]])
