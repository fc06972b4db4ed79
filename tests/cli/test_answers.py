"""Files and columns of the answers of a model."""

import pytest

from calibrant.cli.answers import answer_files
from calibrant.errors import ParameterError


def test_one_query_has_the_file_that_was_named():
    assert answer_files("pairs.csv", ["EveryTag"]) == {"EveryTag": "pairs.csv"}
    assert answer_files("-", ["EveryTag"]) == {"EveryTag": "-"}


def test_several_queries_have_files_of_their_own():
    queries = ["EveryTag", "TagPair(first='D', second='N')", "HasSpan(type='PER', floor=0.01)"]
    found = answer_files("out/my.pairs.csv.gz", queries)
    assert list(found.values()) == [
        "out/my.pairs-EveryTag.csv.gz",
        "out/my.pairs-TagPair-D-N.csv.gz",
        "out/my.pairs-HasSpan-PER-0.01.csv.gz",
    ]
    signs = [f"TagIs(tag={sign!r})" for sign in ("$", "#", "a/b", "../x")]
    names = list(answer_files("p.csv", signs).values())
    assert names == ["p-TagIs.csv", "p-TagIs-2.csv", "p-TagIs-a-b.csv", "p-TagIs-..-x.csv"]
    with pytest.raises(ParameterError, match="-o - supports only one query"):
        answer_files("-", queries)
