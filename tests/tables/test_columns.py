"""Which column is which."""

import math

import pytest

from calibrant.errors import InputError, command_line
from calibrant.tables.columns import GUESSES, as_number, choose_columns

PROBABILITIES = [0.2, 0.9, 0.5]
TRUTHS = [True, False, True]


def choose(table, looked=None, **given):
    """Choose among the columns of a table; `looked` collects what was looked at."""

    def look(names):
        if looked is not None:
            looked.extend(names)
        return {name: table[name] for name in names}

    return choose_columns(list(table), given, "p.csv", look)


@pytest.mark.parametrize("name", [n for tier in GUESSES["y"] for n in tier])
def test_every_name_of_observations(name):
    assert choose({"id": [1], name.upper(): TRUTHS, "q": PROBABILITIES}).columns.y == name.upper()


@pytest.mark.parametrize("name", [n.replace("*", "answer") for tier in GUESSES["q"] for n in tier])
def test_every_name_of_predictions(name):
    looked = []
    assert choose({"y": TRUTHS, f" {name} ": PROBABILITIES}, looked).columns.q == f" {name} "
    assert looked == []  # a single candidate needs no look


def test_names_that_people_use():
    assert {"obs", "outcome", "resolution"} <= set(GUESSES["y"][1])
    assert {"confidence", "score"} <= set(GUESSES["q"][1])


def test_contents_decide_between_names():
    table = {
        "gold": ["Paris", "Rome", ""],
        "correct": ["true", "False", "true"],
        "q": PROBABILITIES,
    }
    chosen = choose(table)
    assert chosen.columns.y == "correct"
    assert str(chosen) == "y=correct, q=q (skipped gold, which holds 'Paris')"


def test_decisions_are_not_taken_for_probabilities():
    table = {"label": TRUTHS, "prediction": [0, 1, 1], "probability": PROBABILITIES}
    chosen = choose(table)
    assert chosen.columns.q == "probability"
    assert chosen.skipped == {"prediction": "holds only 0 and 1"}


def test_the_plain_letters_go_before_other_names():
    looked = []
    table = {"label": [1, 0, 1], "y": [1, 0, 1], "score": PROBABILITIES, "q": PROBABILITIES}
    assert choose(table, looked).columns[:2] == ("y", "q")
    assert looked == ["y", "q"]  # nothing more is looked at than needed
    table["q"] = ["high", "low", "low"]
    assert choose(table).columns.q == "score"


def test_two_that_fit_are_asked_about():
    table = {"gold": [1, 0, 1], "label": [0, 0, 1], "truth": TRUTHS, "q": PROBABILITIES}
    with pytest.raises(
        InputError, match=r"It could be gold, label or truth\. Name one with y=COLUMN\.$"
    ):
        choose(table)
    with command_line(), pytest.raises(InputError, match=r"Name one with --y COLUMN\.$"):
        choose(table)
    assert choose(table, y="label").columns.y == "label"


def test_a_column_named_for_one_role_is_not_guessed_for_another():
    table = {"outcome": [1, 0, 1], "prob": PROBABILITIES, "score": [0.1, 0.2, 0.3]}
    assert choose(table, group="score").columns.q == "prob"
    with pytest.raises(InputError, match="'prob' cannot be both y and q"):
        choose({"prob": PROBABILITIES}, y="prob")


def test_nothing_that_fits_is_told():
    table = {"y": TRUTHS, "score": [3.5, -2.0, 0.1], "p": [None, math.nan, ""], "pred": [[1], 2, 3]}
    expected = (
        r"Column p is empty; column pred holds \[1\]; column score holds 3.5\. Name one with q="
    )
    with pytest.raises(InputError, match=expected):
        choose(table)


def test_a_few_bad_values_do_not_change_the_choice():
    """They are reported with their row, instead of another column being taken."""
    table = {"y": TRUTHS, "prob": [0.2, math.nan, 0.9, 1.3], "score": [7, 9, 8, 2]}
    assert choose(table).columns.q == "prob"


def test_draws():
    table = {"y": TRUTHS, "yes": [1, 2, 3], "n": [5, 5, 5]}
    assert choose(table, draws="n").columns.draws == "n"
    assert choose(table, draws="20").columns.draws == 20
    assert choose(table, draws=20).columns.draws == 20
    for bad in ("²", "٣", "-3", "2.5", "9" * 5000):
        with pytest.raises(InputError, match=r"has no column .* for draws"):
            choose(table, draws=bad)
    with pytest.raises(InputError, match="draws must be at least 2, but it is 1"):
        choose(table, draws=1)
    with pytest.raises(InputError, match=r"Use either q or yes with draws, not both\."):
        choose(table, q="n", yes="yes")


def test_groups_and_weights_are_guessed_in_order_and_can_be_left_out():
    table = {"y": TRUTHS, "q": PROBABILITIES, "doc": [1], "sent": [1], "weights": [1]}
    assert choose(table).columns[4:] == ("weights", "sent")
    assert choose(table, group=False, weight=False).columns[4:] == (None, None)
    with pytest.raises(InputError, match="y must name a column"):
        choose(table, y=False)


def test_wrong_names():
    wide = {f"c{k}": [0] for k in range(50)}
    with pytest.raises(InputError, match=r"c0, c1, .*, c39, \.\.\.\."):
        choose(wide)
    with pytest.raises(InputError, match="'q' cannot be both"):
        choose({"y": TRUTHS, "q": PROBABILITIES}, y="q")


def test_numbers():
    assert [as_number(each) for each in ("1", " .5 ", True, 2)][:2] == [1.0, 0.5]
    assert as_number("TRUE", truths=True) == 1
    assert math.isnan(as_number("TRUE"))
    assert math.isnan(as_number(None))
