"""Classes of rare words, and how words are looked up."""

import pytest

from calibrant.structures.unknown import OTHER, RULES, WordClass, by_shape, look_up, one_class


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("http://a.b", "<address>"),
        ("@you", "<@>"),
        ("#tag", "<#>"),
        ("3.5", "<number>"),
        ("10th", "<number>"),
        ("...", "<sign>"),
        ("\xa0", "<sign>"),
        ("Running", "<Title ing>"),
        ("NASA", "<upper asa>"),
        ("re-use", "<low- use>"),
        ("a", "<low >"),
    ],
)
def test_shapes(word, kind):
    assert str(by_shape(word)) == kind


def test_a_class_is_never_a_word():
    assert WordClass("<number>") != "<number>"
    assert WordClass("<number>") == WordClass("<number>")
    assert len({WordClass("<other>"), "<other>", OTHER}) == 2
    assert one_class("a") == one_class("b")


def test_words_come_before_classes_and_classes_before_all_others():
    known = {"<other>": 0, WordClass("<number>"): 1, OTHER: 2}
    assert look_up("<other>", known, "shape") == "<other>"
    assert look_up("12", known, "shape") == WordClass("<number>")
    assert look_up("<number>", known, "shape") == OTHER  # its own class, <low ber>, is unknown
    assert look_up("12", known, "one") == OTHER
    assert set(RULES) == {"one", "shape"}
