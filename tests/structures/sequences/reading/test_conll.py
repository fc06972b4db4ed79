import gzip

import pytest
from real_data import DATA

from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.conllu import read_conllu

TWEETS = "hi\t!\nyou\tO\n\n\nok\t!\n"
UD = """# newdoc id = first
# sent_id = 1
# text = don't stop
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tstop\tstop\tVERB\tVB\t_\t0\troot\t_\t_
3.1\tit\tit\tPRON\tPRP\t_\t_\t_\t_\t_

# newdoc id = second
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
"""


def write(folder, text, name="corpus.txt"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_columns(tmp_path):
    corpus = read_conll(write(tmp_path, TWEETS))
    assert corpus.words == (("hi", "you"), ("ok",))
    assert corpus.tags == (("!", "O"), ("!",))
    assert corpus.documents is None
    assert corpus.sentence.tolist() == [0, 0, 1]
    assert repr(corpus) == "Corpus(corpus.txt: 2 sentences, 3 words, 2 tags)"


@pytest.mark.parametrize(
    "text",
    [
        TWEETS.replace("\n", "\r\n"),
        "\ufeff" + TWEETS,
        TWEETS.rstrip(),
        TWEETS.replace("\t", " "),
        gzip.compress(TWEETS.encode(), mtime=0),
    ],
    ids=["windows", "mark", "no last line", "spaces", "gzip"],
)
def test_ways_to_write_the_same(tmp_path, text):
    assert read_conll(write(tmp_path, text)).words == (("hi", "you"), ("ok",))


def test_any_column_by_number(tmp_path):
    path = write(tmp_path, "1 Bonn NNP B-LOC\n2 ! . O\n")
    assert read_conll(path, word=1, tag=2).tags == (("NNP", "."),)
    assert read_conll(path, word=1).tags == (("B-LOC", "O"),)
    with pytest.raises(FileError, match="line 1: there must be at least 8 columns, but there are"):
        read_conll(path, tag=7)
    with pytest.raises(ParameterError, match="different columns"):
        read_conll(path, word=1, tag=1)


def test_documents(tmp_path):
    text = "-DOCSTART- -X- O\n\na X\n\n-DOCSTART- -X- O\n\n#yes X\nb X\n"
    corpus = read_conll(write(tmp_path, text))
    assert corpus.words == (("a",), ("#yes", "b"))
    assert corpus.documents == ("0", "1")
    text = "#begin document (x); part 000\na X\n\nb X\n#end document\n\n#end document\n"
    corpus = read_conll(write(tmp_path, text))
    assert corpus.words == (("a",), ("b",))
    assert corpus.documents == ("(x); part 000",) * 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# sent_id = 1\n# a\tb\n#yes\tO\n#\tO\n", ("#yes", "#")),
        ("# B-LOC\nBonn\tB-LOC\n", ("Bonn",)),
        ("#\tO\n# no\tO\n", ("#", "# no")),
        ("# 5 CD\nmillion NN\n", ("million",)),
        ("# X\n5 Y\n", ("#", "5")),
        ("# newdoc\n5 Y\n", ("5",)),
        ("# sent_id = 1\n5 Y Y Y\n", ("5",)),
    ],
    ids=["tabs", "two tabbed", "hash first", "another width", "as wide", "key", "key and value"],
)
def test_comments_and_hashes_are_told_apart(tmp_path, text, words):
    assert read_conll(write(tmp_path, text)).words == (words,)


def test_empty_words_are_read_where_asked(tmp_path):
    path = write(tmp_path, "a\tX\n\tY\n\u00a0\tZ\n")
    with pytest.raises(FileError, match=r'line 2: .* there is no word. Pass blank="_"'):
        read_conll(path)
    assert read_conll(path, blank="_").words == (("a", "_", "\u00a0"),)
    with pytest.raises(ParameterError, match="blank must be a word"):
        read_conll(path, blank="")


def test_short_rows_do_not_shift_columns(tmp_path):
    path = write(tmp_path, "1 Bonn NNP B-LOC\n2 !  .\n\n1 ok O\n")
    with pytest.raises(
        FileError, match=r"line 2: there must be 4 columns, .* there are 3: '2 ! .'"
    ):
        read_conll(path, word=1)
    assert read_conll(path, word=1, tag=2).tags == (("NNP", "."), ("O",))


def test_one_column_by_two_numbers(tmp_path):
    with pytest.raises(FileError, match=r"word=1 and tag=-1 .* of 2 columns they are the same"):
        read_conll(write(tmp_path, TWEETS), word=1)


def test_conllu(tmp_path):
    corpus = read_conllu(write(tmp_path, UD))
    assert corpus.words == (("do", "n't", "stop"), ("Go",))
    assert corpus.tags == (("VB", "RB", "VB"), ("VB",))
    assert corpus.documents == ("first", "second")
    assert read_conllu(write(tmp_path, UD), tag="upos").tags[0] == ("AUX", "PART", "VERB")
    with pytest.raises(UnknownName, match=r"Did you mean xpos\?"):
        read_conllu(write(tmp_path, UD), tag="xpo")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tX\nb\n", r"line 2: there must be at least 2 columns, but there is 1: 'b'"),
        ("a\tX\nb\t\n", "line 2: a word and its tag must not be empty, but there is no tag"),
        ("# only = a comment\n\n", "has no sentences"),
        ("-DOCSTART- O\n\n", "has no sentences"),
        ("", "has no sentences"),
        ("\n\n", "has no sentences"),
        (b"a\tX\n\xff\xfe\tY\n", "line 2: not UTF-8"),
        (TWEETS.encode("utf-16"), "line 1: not UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "damaged gzip"),
        (
            gzip.compress(TWEETS.encode() * 99, mtime=0)[:-20],
            "damaged gzip file: Compressed file ended",
        ),
    ],
)
def test_malformed_columns(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_conll(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tGo\tgo\tVERB\n", "line 1: CoNLL-U has ten columns separated by tabs, but there are 4"),
        (UD.replace("VB\t_\t0", "_\t_\t0"), "line 7: a word must have a tag, but its xpos is '_'"),
        (UD.replace("\tVB\t_\t0", "\t\t_\t0"), "line 7: a word and its tag must not be empty"),
        (UD.replace("\n\n#", "\n#"), "line 10: word 4 was expected, but its number is '1'"),
        ("# newdoc id = first\n\n", "has no sentences"),
        (
            UD.replace("\t", " "),
            "line 4: CoNLL-U has ten columns separated by tabs, but there is 1",
        ),
        (UD.replace("3\tstop", "4\tstop"), "line 7: word 3 was expected, but its number is '4'"),
    ],
)
def test_malformed_conllu(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_conllu(write(tmp_path, text))


@pytest.mark.parametrize("read", [read_conll, read_conllu])
def test_no_file(read, tmp_path):
    with pytest.raises(FileError, match="There is no file"):
        read("nowhere.txt")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize("change", [lambda s: s.replace("\n", "\r\n"), lambda s: "\ufeff" + s])
def test_conllu_of_other_systems(tmp_path, change):
    assert read_conllu(write(tmp_path, change(UD))).words == (("do", "n't", "stop"), ("Go",))
    packed = write(tmp_path, gzip.compress(change(UD).encode()))
    assert read_conllu(packed).documents == ("first", "second")


@pytest.mark.parametrize("column", [1.5, "1", True, 101, -101])
def test_columns_must_be_numbers(tmp_path, column):
    with pytest.raises(ParameterError, match="word must be a whole number from -100 to 100"):
        read_conll(write(tmp_path, TWEETS), word=column)


@pytest.mark.parametrize(
    ("read", "path", "sentences", "words"),
    [
        (read_conll, "pos/ark-twpos-v0.3/oct27.test", 500, 7152),
        (read_conllu, "pos/ud-ewt/en_ewt-ud-dev.conllu", 2001, 25147),
    ],
)
def test_real_corpora(read, path, sentences, words):
    """The test tweets, and the development part that spaCy's posteriors were computed on."""
    if not (DATA / path).exists():
        pytest.skip(f"{path} is not here")
    corpus = read(DATA / path)
    assert (len(corpus), corpus.tokens) == (sentences, words)
