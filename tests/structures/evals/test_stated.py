import pytest

from calibrant.structures.evals.stated import PHRASES, stated_confidence


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: 4\nConfidence: 85%", 0.85),
        ("confidence: 0.85", 0.85),
        ("Confidence level = 7/10", 0.7),
        ("probability of 90 %", 0.9),
        ("Confidence: 20%. On reflection, confidence: 60%", 0.6),
        ("The answer is 42.", None),
        ("Confidence: 85", None),  # of 100? of 10? not guessed
        ("Confidence: 150%", None),
        ("Confidence: high", None),
        ("", None),
        (None, None),
    ],
)
def test_in_an_answer(text, value):
    assert stated_confidence(text) == (None if value is None else pytest.approx(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.4", 0.4), ("40%", 0.4), (0.4, 0.4), (1, 1.0), ("Very likely.", 0.9), ("nan", None)],
)
def test_in_a_field_of_its_own(text, value):
    assert stated_confidence(text, alone=True) == (None if value is None else pytest.approx(value))


def test_phrases_can_be_replaced():
    assert stated_confidence("likely", {"likely": 0.6}, alone=True) == 0.6
    assert stated_confidence("unlikely", {"likely": 0.6}, alone=True) is None
    assert all(0 < value < 1 for value in PHRASES.values())
    assert stated_confidence(True) is None
    assert stated_confidence(float("inf")) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Confidence (0-100): 85", None),
        ("Confidence (0-1): 0.85", 0.85),
        ("Confidence: 0,9", None),
        ("Confidence: -0.9", None),
        ("Confidence - 0.9", 0.9),
        ("confidence: 1e-3", 0.001),
        ("confidence 1/5", None),
        ("confidence: 1 in 10", None),
        ("confidence: 1,000%", None),
        ("confidence: 0.9.5", None),
        ("confidence: 80-90 %", None),
        ("Confidence: 85%.", 0.85),
    ],
)
def test_numbers_that_only_look_like_confidences(text, value):
    assert stated_confidence(text) == value
