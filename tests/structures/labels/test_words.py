import numpy as np
import pytest
from scipy.special import softmax

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.outputs import word_labels

NAMES = ["O", "B-PER", "I-PER"]
# [CLS] Wash ##ing ##ton sleeps [SEP]  and  [CLS] Ada [SEP], padded
WORDS = [[None, 0, 0, 0, 1, None], [None, 0, None, None, None, None]]


def logits(dtype="float32"):
    return np.random.default_rng(4).normal(size=(2, 6, 3)).astype(dtype) * 4


@pytest.mark.parametrize(("piece", "tokens"), [("first", [1, 4]), ("last", [3, 4])])
def test_one_piece_speaks_for_a_word(piece, tokens):
    array = logits()
    words = word_labels(array, WORDS, NAMES, piece=piece)
    rows = np.concatenate([array[0, tokens], array[1, [1]]]).astype(np.float64)
    np.testing.assert_allclose(words.labels.probabilities, softmax(rows, axis=1), rtol=1e-13)
    assert words.sentence.tolist() == [0, 0, 1]
    assert words.word.tolist() == [0, 1, 0]
    assert words.labels.names == tuple(NAMES)  # "O" too


def test_label_ids_give_the_same_rows():
    """Training marks the first piece of a word with its label and the others with -100."""
    ids = np.array([[-100, 1, -100, -100, 0, -100], [-100, 1, -100, -100, -100, -100]])
    by_words = word_labels(logits(), WORDS, NAMES)
    by_ids = word_labels(logits(), classes=NAMES, label_ids=ids)
    np.testing.assert_array_equal(by_ids.labels.probabilities, by_words.labels.probabilities)
    np.testing.assert_array_equal(by_ids.sentence, by_words.sentence)
    np.testing.assert_array_equal(by_ids.word, by_words.word)
    gold = [["B-PER", "O"], ["B-PER"]]
    assert by_ids.gold(ids) == by_words.gold(ids) == by_words.gold(gold) == ["B-PER", "O", "B-PER"]


def test_words_that_were_cut_off_have_no_gold():
    """The trap: flat lists of words and of rows would be shifted against each other."""
    array = logits()[:, :4]
    words = word_labels(array, [each[:4] for each in WORDS], NAMES)
    gold = [["B-PER", "O"], ["I-PER"]]
    assert words.gold(gold) == ["B-PER", "I-PER"]
    with pytest.raises(InputError, match="one label for each of the 2 items, but it has 3"):
        cb.ask(words.labels, ["B-PER", "O", "I-PER"], cb.TopLabel())


def test_groups_are_sentences():
    words = word_labels(logits(), WORDS, NAMES)
    pairs = cb.ask(
        words.labels, words.gold([["O", "O"], ["O"]]), cb.TopLabel(), group=words.sentence
    )
    assert (len(pairs), pairs.groups) == (3, 2)
    assert repr(words) == "WordLabels(Labels(3 items, 3 classes: O, B-PER, I-PER), 2 sentences)"


def test_means_of_pieces_are_another_number():
    """The trap of a pipeline that averages: trained on first pieces, the others mean nothing."""
    array = np.zeros((1, 3, 2))
    array[0, 0], array[0, 1:] = [4, 0], [0, 4]
    words = word_labels(array, [[0, 0, 0]], ["PER", "O"])
    mean = softmax(array[0], axis=1).mean(axis=0)
    assert words.labels.mode.tolist() == ["PER"]
    assert mean.argmax() == 1
    assert abs(words.labels.probabilities[0, 0] - mean[0]) > 0.6


def test_what_is_refused():
    with pytest.raises(InputError, match=r"sentences × tokens × classes, but the shape is \(6, 3"):
        word_labels(logits()[0], WORDS, NAMES)
    with pytest.raises(ParameterError, match="either word_ids or label_ids"):
        word_labels(logits(), classes=NAMES)
    with pytest.raises(ParameterError, match="piece must be 'first' or 'last', but it is 'mean'"):
        word_labels(logits(), WORDS, NAMES, piece="mean")
    with pytest.raises(InputError, match="for each of the 2 sentences of logits, but it has 1"):
        word_labels(logits(), WORDS[:1], NAMES)
    with pytest.raises(InputError, match="for each of the 6 tokens of logits, but it has 7"):
        word_labels(logits(), [[*WORDS[0], None], WORDS[1]], NAMES)
    with pytest.raises(InputError, match=r"label_ids must have the shape \(2, 6\)"):
        word_labels(logits(), classes=NAMES, label_ids=[[0]])
    with pytest.raises(InputError, match="no token belongs to one"):
        word_labels(logits(), [[None] * 6] * 2, NAMES)
    words = word_labels(logits(), WORDS, NAMES)
    with pytest.raises(InputError, match="for each of the 2 sentences, but it has 1"):
        words.gold([["O", "O"]])
    with pytest.raises(
        InputError, match=r"tags\[0\] must have a label for every word, but it has 1"
    ):
        words.gold([["O"], ["O"]])
    with pytest.raises(InputError, match="Label ids must lie in 0 to 2, or be -100, but one is 3"):
        words.gold([[0, 3], [0]])


@pytest.mark.parametrize("bad", [-1, -100, 0.5, 1.0, True, np.nan, "0", 10**30, [0]])
def test_word_numbers(bad):
    """The trap: -1 for [CLS] would take the label of the last word."""
    with pytest.raises(
        InputError, match=r"word_ids\[0\]\[0\] must be None or a word number from 0, but it is "
    ):
        word_labels(logits(), [[bad, *WORDS[0][1:]], WORDS[1]], NAMES)


@pytest.mark.parametrize("fill", [-1, -100])
def test_word_numbers_in_arrays(fill):
    ids = np.array([[fill if word is None else word for word in words] for words in WORDS])
    with pytest.raises(
        InputError, match=rf"word_ids\[0\]\[0\] .* it is {fill}\. Write None for tokens"
    ):
        word_labels(logits(), ids, NAMES)
    objects = np.array(WORDS, object)
    found = word_labels(logits(), objects, NAMES)
    assert found.word.tolist() == word_labels(logits(), WORDS, NAMES).word.tolist()


@pytest.mark.parametrize("bad", [None, 3, "ab"])
def test_word_ids_are_lists(bad):
    with pytest.raises(InputError, match=r"word_ids\[0\] must be a list of word numbers, but"):
        word_labels(logits(), [bad, WORDS[1]], NAMES)


@pytest.mark.parametrize("bad", [np.nan, 0.5, -1, 3, "O", None])
def test_label_ids_are_known(bad):
    ids = [[-100, bad, -100, -100, 0, -100], [-100] * 6]
    with pytest.raises(InputError, match="label_ids must hold label ids from 0 to 2, or -100 for"):
        word_labels(logits(), classes=NAMES, label_ids=ids)


def test_booleans_are_not_label_ids():
    with pytest.raises(InputError, match=r"label_ids\[0, 0\] is True"):
        word_labels(logits(), classes=NAMES, label_ids=np.ones((2, 6), bool))


def test_gold_of_other_sentences():
    words = word_labels(logits(), [WORDS[0], [None] * 6], NAMES)
    assert words.gold([["O", "O"], []]) == ["O", "O"]  # the last sentence has no words
    assert repr(words).endswith(", 1 sentence)")
    with pytest.raises(InputError, match="a list for each of the 2 sentences, but it has 3"):
        words.gold([["O", "O"], [], ["O"]])
    with pytest.raises(InputError, match="tags must be a list of labels for each sentence, but it"):
        words.gold(None)
    with pytest.raises(InputError, match=r"tags\[1\] must be a list of labels, but it is None"):
        words.gold([["O", "O"], None])
    with pytest.raises(InputError, match=r"tags\[0\]\[1\] must be a label, but it is nan"):
        words.gold([["O", np.nan], []])
    one = word_labels(logits()[:1], WORDS[:1], NAMES)
    with pytest.raises(InputError, match="a list for the only sentence, but it has 2"):
        one.gold([["O", "O"], ["O"]])


def test_gold_ids_that_were_padded_as_floats():
    words = word_labels(logits(), WORDS, NAMES)
    ids = np.array([[-100.0, 1, 0], [-100, 2, -100]])
    assert words.gold(ids) == ["B-PER", "O", "I-PER"]


def test_one_of_two_arguments():
    with pytest.raises(ParameterError, match="label_ids: neither was given"):
        word_labels(logits(), classes=NAMES)
    with pytest.raises(ParameterError, match="label_ids: both were given"):
        word_labels(logits(), WORDS, NAMES, label_ids=WORDS)
    with pytest.raises(InputError, match=r"logits must have the shape .* but it is None"):
        word_labels(None, WORDS)
