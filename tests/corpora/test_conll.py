import gzip
import os
from pathlib import Path

import pytest

from calibrant import FileError, ParameterError, UnknownName
from calibrant.corpora import read_conll, read_conllu

DATA = Path(os.environ.get("CALIBRANT_DATA", Path(__file__).parents[3] / "shared" / "data"))
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
        gzip.compress(TWEETS.encode()),
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


def test_documents_and_hashes(tmp_path):
    text = "-DOCSTART- -X- O\n\na X\n\n-DOCSTART- -X- O\n\n# B-TAG\n#yes X\nb X\n"
    corpus = read_conll(write(tmp_path, text))
    assert corpus.words == (("a",), ("#yes", "b"))  # a comment has a space after its hash
    assert corpus.documents == ("0", "1")


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
        ("a\tX\n\tY\n", "line 2: a word and its tag must not be empty"),
        ("", "has no sentences"),
        ("\n\n", "has no sentences"),
        (b"a\tX\n\xff\xfe\tY\n", "line 2: not UTF-8"),
        (b"\x1f\x8b\x08\x00broken", "damaged gzip"),
    ],
)
def test_malformed_columns(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_conll(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\tGo\tgo\tVERB\n", "line 1: CoNLL-U has ten columns parted by tabs, but there are 4"),
        (UD.replace("3\tstop", "4\tstop"), "line 7: word 3 was expected, but its number is '4'"),
    ],
)
def test_malformed_conllu(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_conllu(write(tmp_path, text))


def test_no_file():
    with pytest.raises(FileError, match="There is no file"):
        read_conll("nowhere.txt")


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
