"""Words of corpora and of lists."""

import pytest

from calibrant.errors import InputError
from calibrant.structures.given import words_of
from calibrant.structures.sequences.reading.corpus import Corpus


def test_words_of_corpora_and_lists():
    assert words_of(Corpus((("a",),), (("D",),))) == [("a",)]
    assert words_of([["a"], []]) == [["a"], []]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "at least one sentence"),
        (["a b"], "Sentence 0 must be a list of words, but it is 'a b'"),
        ([["a"], ["b", 3]], "Word 1 of sentence 1 must be a string, but it is 3"),
    ],
)
def test_what_is_not_a_list_of_words(sentences, message):
    with pytest.raises(InputError, match=message):
        words_of(sentences)
