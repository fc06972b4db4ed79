import pytest

from calibrant.structures.evals.answers import normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Paris", " paris. "),
        ("The Eiffel Tower", "eiffel tower"),
        ("1,234", "1234.0"),
        ("$42$", r"\boxed{42}"),
        (r"\frac{1}{2}", "1/2"),
        ("(B)", "B"),
        ("50 %", "50%"),
        (r"\text{yes}", "Yes!"),
        ("-3.50", "-3.5"),
    ],
)
def test_equal_answers(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A", "B"),
        ("A", ""),
        ("1/2", "0.5"),
        ("12", "1.2"),
        ("50%", "50"),
        ("-3", "3"),
        ("no", "not"),
    ],
)
def test_different_answers(one, other):
    assert normalise(one) != normalise(other)


def test_normalising_twice_changes_nothing():
    for text in ("The A", "1,000", r"\boxed{\text{a b}}", "", "...", "e", "1e3"):
        assert normalise(normalise(text)) == normalise(text)
