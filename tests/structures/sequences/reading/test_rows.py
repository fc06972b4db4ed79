"""Documents of sentences, and the marks that begin and end them."""

import pytest

from calibrant.errors import FileError
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.rows import (
    Row,
    Rows,
    document_begun,
    is_document_mark,
    to_corpus,
)

WORD = [Row(1, "a", "D")]


def documents(*names):
    return to_corpus("x.conll", [Rows(name, WORD) for name in names]).documents


def test_documents_are_named_or_numbered():
    assert documents(None, None) is None
    assert documents("a", None, "b") == ("a", "a", "b")
    assert documents("", None, "") == ("0", "0", "2")
    assert documents(None, "", None) == ("0", "1", "1")  # before the first mark
    assert documents(None, "0", "") == ("0'", "0", "2")  # a name that is taken
    assert all(documents(None, None, "a", ""))  # no name is empty


def test_documents_without_sentences_count_for_nothing():
    blocks = [Rows("", []), Rows("", WORD), Rows("b", []), Rows(None, WORD)]
    assert to_corpus("x", blocks).documents == ("0", "b")
    with pytest.raises(FileError, match="x has no sentences"):
        to_corpus("x", [Rows("a", [])])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("# newdoc id = a b", "a b"),
        ("# newdoc", ""),
        ("#begin document (a); part 000", "(a); part 000"),
        ("-DOCSTART- -X- O", ""),
        ("-DOCSTART-", ""),
        ("-DOCSTART-s NN", None),
        ("# sent_id = 1", None),
        ("the D", None),
    ],
)
def test_what_begins_a_document(line, name):
    assert document_begun([(1, line), (2, "word D")]) == name
    assert is_document_mark(line) == (name == "" and line.startswith("-"))


def read(tmp_path, text):
    path = tmp_path / "x.conll"
    path.write_text(text)
    return read_conll(path)


def test_a_word_that_only_looks_like_a_mark_is_a_word(tmp_path):
    assert read(tmp_path, "-DOCSTART-s NN\n").words == (("-DOCSTART-s",),)


def test_a_mark_before_the_first_word_needs_no_empty_line(tmp_path):
    corpus = read(tmp_path, "a D\n\n-DOCSTART- O\nb D\n\n#end document\n#begin document c\nd D\n")
    assert corpus.documents == ("0", "1", "c")
    assert read(tmp_path, "#begin document a\nb D\n#end document\n").words == (("b",),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a D\n-DOCSTART- O\nb D\n", "line 2: -DOCSTART- must not stand within a sentence"),
        ("a D\n#begin document b\n", "line 2: #begin document must not stand within .* word 'a'"),
        ("a D\n\n#end document\nb D\n", "line 4: a sentence must not follow #end document"),
        ("a D\n#end document\nb D\n", "line 3: a sentence must not follow #end document"),
    ],
)
def test_marks_within_sentences_are_refused(tmp_path, text, message):
    """Words of two documents became one sentence, and the second document was not begun."""
    with pytest.raises(FileError, match=message):
        read(tmp_path, text)
