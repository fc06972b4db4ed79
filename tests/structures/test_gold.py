"""True answers and groups of items."""

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.pairs.groups import Numbered
from calibrant.structures.gold import gold_items, label_groups, sentence_groups
from calibrant.structures.sequences.reading.corpus import Corpus

CORPUS = Corpus((("a",), ("b",)), (("D",), ("N",)), ("x", "x"))


def test_gold_is_a_list_or_an_attribute():
    assert gold_items(CORPUS, "tags", "a corpus") == CORPUS.tags
    assert gold_items([["D"]], "tags", "a corpus") == [["D"]]
    for wrong in ("text", {"a": 1}, 3, iter([])):
        with pytest.raises(InputError, match=f"gold must be a corpus, not {type(wrong).__name__}"):
            gold_items(wrong, "tags", "a corpus")


def test_groups_are_given_or_documents_or_numbers():
    assert sentence_groups([0, 1], CORPUS).tolist() == ["x", "x"]
    assert sentence_groups([0, 1], CORPUS, ["p", "q"]).tolist() == ["p", "q"]
    found = sentence_groups([0, 1], CORPUS.tags)
    assert isinstance(found, Numbered)
    assert found.tolist() == [0, 1]
    assert not isinstance(label_groups(2, [5, 6], "item"), Numbered)
    with pytest.raises(InputError, match="one label for each of the 3 items, but it has 2"):
        label_groups(3, np.array([1, 2]), "item")
