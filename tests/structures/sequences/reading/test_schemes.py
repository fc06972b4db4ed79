import re
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import DATA

from calibrant import CalibrantWarning
from calibrant.errors import FileError, InputError, ParameterError, UnknownName, command_line
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.schemes import (
    check_scheme,
    convert_scheme,
    repair_scheme,
)
from calibrant.structures.spans import spans

MARKED = ("O", "B-A", "I-A", "B-B", "I-B")
SCHEMES = ("IOB2", "BIO", "IOB1", "IO")
ENDED = ("BIOES", "IOBES", "BILUO", "BILOU")
ALL = ("O", "B-A", "I-A", "E-A", "S-A", "B-B", "E-B")
sentences = st.lists(st.lists(st.sampled_from(MARKED), min_size=1), min_size=1)


def corpus_of(*tags, name=""):
    return Corpus(
        tuple(tuple("w" for _ in each) for each in tags), tuple(map(tuple, tags)), None, name
    )


def keeps_to(tags, scheme):
    """The rules on neighbouring tags, written out."""
    if scheme == "IO":
        return not any(tag.startswith("B") for tag in tags)
    same = {(b, n) for b, n in product(MARKED, MARKED) if b != "O" and b[2:] == n[2:]}
    bound = "B" if scheme == "IOB1" else "I"
    return all((b, n) in same for b, n in pairwise(["O", *tags]) if n.startswith(bound))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_short_sentence(scheme):
    for tags in product(MARKED, repeat=4):
        if keeps_to(tags, scheme):
            check_scheme(corpus_of(tags), scheme)
        else:
            with pytest.raises(InputError, match="in IO"):
                check_scheme(corpus_of(tags), scheme)


def test_message_of_a_broken_rule():
    corpus = corpus_of(["O"], ["B-A", "I-B", "O", "I-A"], ["I-A"], name="tweets")
    with pytest.raises(InputError) as caught:
        check_scheme(corpus)
    assert str(caught.value) == (
        "tweets, sentence 1, word 1 (from 0): in IOB2, I-type must follow B-type or I-type of the "
        "same type, but I-B follows B-A (3 of 6 tags break the rule). repair=True, or "
        "repair_scheme(corpus), turns them into B-type."
    )
    with pytest.raises(InputError, match=r"Sentence 0, word 0 .*I-A begins a sentence"):
        check_scheme(corpus_of(["I-A"]))
    with pytest.raises(InputError, match="in IO, a tag must be O or I-type, but it is 'B-A'"):
        check_scheme(corpus_of(["O", "B-A"]), "IO")


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (["B-A", "NN", "VB"], "word 1 .*but it is 'NN' .2 of 3 tags are not.. If NN is a type"),
        (["B-A", "I-A", "M-A"], "word 2 .*'M-A' .1 of 3 .*of the scheme BMEWO, write I-A"),
        (["I-A", "PER"], "word 1 .*If PER is a type, write I-PER"),
    ],
)
def test_mixed_schemes(tags, message):
    corpus = corpus_of(tags)
    for refuse in (check_scheme, repair_scheme, lambda each: convert_scheme(each, "IO")):
        with pytest.raises(InputError, match=message):
            refuse(corpus)


def well_formed(tags):
    """BIOES as a regular language, type by type."""
    letters = "".join(tag[0] + tag[2:] + " " for tag in tags)
    return re.fullmatch(r"(O |SA |BA (IA )*EA |SB |BB (IB )*EB )*", letters) is not None


def test_bioes_of_every_short_sentence():
    for tags in product(ALL, repeat=4):
        other = [tag.replace("E-", "L-").replace("S-", "U-") for tag in tags]
        for scheme, its in (("BIOES", tags), ("BILUO", other)):
            if well_formed(tags):
                check_scheme(corpus_of(its), scheme)
            else:
                with pytest.raises(InputError, match=f"in {scheme}, a span must be"):
                    check_scheme(corpus_of(its), scheme)


def test_messages_of_bioes():
    for tags, message in (
        (["O", "I-A", "E-A"], "word 1 .*I-A follows O .1 of 3"),
        (["E-A"], "E-A begins a sentence"),
        (["B-A", "O"], "word 0 .*B-A is followed by O"),
        (["B-A"], "B-A ends a sentence"),
        (["B-A", "I-A", "S-A"], "word 1 .*I-A is followed by S-A"),
        (["L-A"], "must be O, B-type, I-type, E-type or S-type, but it is 'L-A' .*is \"BILUO\""),
    ):
        with pytest.raises(InputError, match=message):
            check_scheme(corpus_of(tags), "BIOES")
    with pytest.raises(InputError, match=r"in IOB2, a tag must be O, B-type or I-type, .* 'E-A'"):
        check_scheme(corpus_of(["B-A", "E-A"]))
    with pytest.raises(InputError, match=r'If the scheme is "BIOES", say so; convert_scheme'):
        repair_scheme(corpus_of(["I-A", "E-A"]))


@given(st.lists(st.lists(st.sampled_from(ALL), min_size=1), min_size=1), st.sampled_from(ENDED))
def test_any_tags_become_bioes_and_back(tags, scheme):
    corpus = corpus_of(*tags)
    converted = convert_scheme(corpus, scheme)
    check_scheme(converted, scheme)
    back = convert_scheme(converted, "IOB2")
    check_scheme(back)
    for one in (converted, back):
        assert [spans(each) for each in one.tags] == [spans(each) for each in corpus.tags]


def test_unknown_scheme():
    corpus = corpus_of(["O"])
    for refuse in (check_scheme, convert_scheme):
        with pytest.raises(UnknownName, match=r"no scheme of spans 'IOB3'. Did you mean IOB"):
            refuse(corpus, "IOB3")


@given(sentences)
def test_repair_keeps_the_spans_and_says_what_changed(tags):
    corpus = corpus_of(*tags)
    mended, repairs = repair_scheme(corpus)
    check_scheme(mended)
    assert [spans(each) for each in mended.tags] == [spans(each) for each in corpus.tags]
    changed = {
        (k, j, old)
        for k, (one, other) in enumerate(zip(corpus.tags, mended.tags, strict=True))
        for j, (old, new) in enumerate(zip(one, other, strict=True))
        if old != new
    }
    assert set(repairs.places) == changed
    assert len(repairs) == len(changed)
    assert repair_scheme(mended)[0] is mended
    assert convert_scheme(corpus, "BIO").tags == mended.tags


@given(sentences, st.sampled_from(SCHEMES))
def test_converted_corpora_keep_to_the_scheme(tags, scheme):
    corpus = corpus_of(*tags)
    converted = convert_scheme(corpus, scheme)
    check_scheme(converted, scheme)
    if scheme != "IO":
        assert [spans(each) for each in converted.tags] == [spans(each) for each in corpus.tags]
    assert convert_scheme(converted, scheme).tags == converted.tags


def test_io_joins_neighbours():
    corpus = convert_scheme(corpus_of(["B-A", "B-A", "B-B"]), "IO")
    assert corpus.tags == (("I-A", "I-A", "I-B"),)
    assert spans(corpus.tags[0]) == [(0, 2, "A"), (2, 3, "B")]
    assert convert_scheme(corpus_of(["B-A", "B-A"]), "IOB1").tags == (("I-A", "B-A"),)


def test_repairs_in_words():
    _, repairs = repair_scheme(corpus_of(["I-A", "O", "I-B"], ["I-A", "I-B"]))
    assert str(repairs) == (
        "4 I- tags that continued nothing became B-: sentence 0, word 0 (I-A); "
        "sentence 0, word 2 (I-B); sentence 1, word 0 (I-A); 1 more. Counted from 0."
    )
    assert str(repair_scheme(corpus_of(["O"]))[1]) == "Nothing had to be repaired."


@pytest.fixture
def orphans(tmp_path):
    path = tmp_path / "names.conll"
    path.write_text("# sent_id = 1\na\tO\nb\tI-PER\n\n\nc\tI-LOC\nd\tI-LOC\n")
    return path


def test_files_are_checked_by_line(orphans):
    with pytest.raises(FileError, match=r"names.conll, line 3: .* I-PER follows O \(2 of 4 tags"):
        read_conll(orphans, scheme="IOB2")
    assert read_conll(orphans).tags == read_conll(orphans, scheme="IO").tags
    orphans.write_text("a\tO\n\nb\tNN\n")
    for repair in (False, True):
        with pytest.raises(FileError, match=r"line 3: a tag of spans must be O, .* 'NN'"):
            read_conll(orphans, scheme="BIO", repair=repair)


def test_files_are_repaired_with_a_warning(orphans):
    with pytest.warns(CalibrantWarning) as caught:
        corpus = read_conll(orphans, scheme="BIO", repair=True)
    assert corpus.tags == (("O", "B-PER"), ("B-LOC", "I-LOC"))
    assert str(caught[0].message) == (
        f"{orphans}: 2 I- tags that continued nothing became B-: line 3 (I-PER); line 6 (I-LOC)."
    )
    assert caught[0].filename == __file__
    orphans.write_text("a\tB-PER\n")
    assert read_conll(orphans, scheme="BIO", repair=True).tags == (("B-PER",),)


@pytest.mark.parametrize("scheme", [None, "IO", "IOB1"])
def test_only_iob2_is_repaired(orphans, scheme):
    with pytest.raises(ParameterError, match='repair=True needs scheme="IOB2", but scheme is'):
        read_conll(orphans, scheme=scheme, repair=True)


def test_schemes_are_known_before_the_file_is_read():
    with pytest.raises(UnknownName, match="Did you mean BIO"):
        read_conll("nowhere.txt", scheme="BOI")


@pytest.mark.parametrize(
    ("path", "options", "sentences", "words", "names"),
    [
        ("ner/btc/btc.train", {}, 6338, 99933, 8779),
        ("ner/btc/btc.dev", {"blank": "_"}, 1001, 15027, 1730),
        ("ner/uner-ewt/en_ewt-ud-train.iob2", {"word": 1, "tag": 2}, 12543, 204579, 7005),
        ("ner/uner-ewt/en_ewt-ud-dev.iob2", {"word": 1, "tag": 2}, 2001, 25149, 966),
        ("ner/uner-ewt/en_ewt-ud-test.iob2", {"word": 1, "tag": 2}, 2077, 25097, 1088),
    ],
)
def test_real_corpora(path, options, sentences, words, names):
    if not (DATA / path).exists():
        pytest.skip(f"{path} is not here")
    corpus = read_conll(DATA / path, scheme="IOB2", **options)
    assert (len(corpus), corpus.tokens) == (sentences, words)
    assert sum(len(spans(each)) for each in corpus.tags) == names


@pytest.mark.parametrize("scheme", ["IOB2", "IOB1", "IO", "BIOES", "BILUO"])
def test_remedies_on_the_command_line_are_options(scheme):
    for tags in (["O", "I-A"], ["B-A", "O"], ["O", "B-A", "I-A"], ["S-A", "E-A"], ["U-A", "L-A"]):
        try:
            with command_line():
                check_scheme(corpus_of(tags), scheme)
        except InputError as error:
            said = str(error)
            assert "corpus" not in said
            assert "--" in said


def test_one_tag_breaks_and_two_break():
    with pytest.raises(InputError, match=r"1 of 2 tags breaks the rule"):
        check_scheme(corpus_of(["O", "I-A"]))
    with pytest.raises(InputError, match=r"2 of 3 tags break the rule"):
        check_scheme(corpus_of(["I-A", "O", "I-A"]))
