import numpy as np

from calibrant.plots.structures.entities import Shown
from calibrant.plots.style import COLOURS, GREY


def shown(entity, texts=None):
    count = len(entity)
    texts = [""] * count if texts is None else texts
    return Shown(texts, np.array(entity, np.int32), np.zeros((count, count)), np.zeros(count))


def test_entities_of_several_mentions_have_a_letter_and_a_colour():
    found = shown([0, 1, 0, 3, 4, 3])
    assert found.letters == ["A", "", "A", "B", "", "B"]
    assert found.colours == [COLOURS[0], GREY, COLOURS[0], COLOURS[1], GREY, COLOURS[1]]
    assert found.together(0, 2)
    assert not found.together(0, 1)


def test_letters_go_on_after_z():
    found = shown(np.repeat(np.arange(28), 2))
    assert found.letters[2 * 25] == "Z"
    assert found.letters[2 * 26] == "A1"
    assert found.letters[2 * 27] == "B1"


def test_names_are_texts_or_numbers():
    assert shown([0, 1], ["Ada", ""]).names == ["Ada", "mention 1"]
