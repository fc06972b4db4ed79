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
