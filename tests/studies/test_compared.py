import numpy as np
import pytest

import calibrant as cb
from calibrant.studies.compared import COLUMNS, WITHIN, compared

RNG = np.random.default_rng(3)
TRUE = RNG.random(4000)
Y = RNG.random(4000) < TRUE
GOOD, BAD = cb.Pairs(Y, TRUE), cb.Pairs(Y, np.clip(1.6 * TRUE - 0.3, 0, 1))
BY = cb.CalibScore(size=200)


@pytest.mark.parametrize("names", [("good", "bad"), ("bad", "good")])
def test_the_better_model_is_named_first_in_any_order(names):
    models = {"good": GOOD, "bad": BAD}
    found = compared({name: models[name] for name in names}, BY, "here")
    assert (found.better, found.worse) == ("good", "bad")
    assert found.difference.value < 0
    assert found.p < 0.05
    assert found.words.startswith("here: good is better calibrated than bad (p")


def test_equal_models_are_not_shown_to_differ():
    found = compared({"one": GOOD, "two": GOOD}, BY)
    assert found.words == "one and two are not shown to differ in calibration (p = 1.000)."


def test_p_values_are_never_zero():
    worst = cb.Pairs(Y, 1 - TRUE)
    assert compared({"good": GOOD, "worst": worst}, BY).words.endswith("(p < 1e-9).")


def test_columns_are_attributes():
    found = compared({"one": GOOD, "two": BAD}, BY)
    assert set(COLUMNS) == set(found._fields)
    assert list(WITHIN) == [f"compared.{name}" for name in COLUMNS]
