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


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("12345678901234567891", "12345678901234567892", False),
        ("9007199254740993", "9007199254740992", False),
        ("1e999", "1e400", False),
        ("1e3", "1000.0", True),
        (".50", "0.5", True),
        ("-0", "0", True),
        ("5e-3", "0.005", True),
    ],
)
def test_numbers_keep_all_their_digits(one, other, equal):
    assert (normalise(one) == normalise(other)) is equal


def test_long_runs_of_digits_take_no_time():
    assert normalise("1" * 200_000 + "x").endswith("x")  # minutes, if time were quadratic


def test_answers_of_punctuation_alone_differ():
    said = ["+", "*", "<", "!", " ? ", "$"]
    assert len({normalise(each) for each in said}) == len(said)
    assert normalise(" ? ") == normalise("?")
