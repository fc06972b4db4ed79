import numpy as np
import pytest

import calibrant as cb
from calibrant.errors import InputError
from calibrant.outputs import category_pairs

CATS = [{"a": 0.7, "b": 0.3}, {"b": 0.9, "a": 0.1}]


def test_the_order_of_categories_does_not_matter():
    found = cb.Labels.from_cats(CATS)
    np.testing.assert_array_equal(found.probabilities, [[0.7, 0.3], [0.1, 0.9]])
    assert found.names == ("a", "b")


def test_single_precision_is_recognised():
    raw = np.random.default_rng(0).dirichlet(np.ones(9), 50).astype(np.float32)
    cb.Labels.from_cats([dict(zip("abcdefghi", row.tolist(), strict=True)) for row in raw])


def test_categories_that_do_not_exclude_each_other():
    """The trap: dividing by the sum would make a distribution of what is not one."""
    both = [{"a": 0.9, "b": 0.8}, {"a": 0.1, "b": 0.1}]
    with pytest.raises(InputError, match="If several labels can be true at once, ask about each"):
        cb.Labels.from_cats(both)
    pairs = category_pairs(both, [{"a", "b"}, {"a": 0, "b": 1.0}])
    assert pairs.q.tolist() == [0.9, 0.8, 0.1, 0.1]
    assert pairs.y.tolist() == [True, True, False, True]
    assert pairs.groups == 2
    assert category_pairs(both, [{"a"}, {"b"}], group=["d", "d"]).groups == 1


def test_exclusive_categories_are_every_label():
    gold = ["a", "a"]
    asked = cb.ask(cb.Labels.from_cats(CATS), gold, cb.EveryLabel())
    assert category_pairs(CATS, [{each} for each in gold]) == asked


def test_what_is_refused():
    with pytest.raises(InputError, match="cats is empty"):
        cb.Labels.from_cats([])
    with pytest.raises(InputError, match=r"cats\[1\] is list"):
        cb.Labels.from_cats([CATS[0], [1, 2]])
    with pytest.raises(InputError, match=r"cats\[0\] and cats\[1\] differ in 'b'"):
        cb.Labels.from_cats([CATS[0], {"a": 1.0}])
    with pytest.raises(InputError, match="an entry for each text: 2, not 1"):
        category_pairs(CATS, [{"a"}])
    with pytest.raises(InputError, match="a set of categories, not the text 'a'"):
        category_pairs(CATS, ["a", "b"])
    with pytest.raises(InputError, match="must map categories to 0 or 1"):
        category_pairs(CATS, [{"a": 0.5}, {"b"}])
    with pytest.raises(InputError, match=r"gold\[1\] has the category 'c', which the model does"):
        category_pairs(CATS, [{"a"}, {"c"}])


@pytest.mark.parametrize(
    ("cats", "message"),
    [
        ([{"a": "x", "b": 0.6}], r"cats\[0\]\['a'\] must be a number, but it is 'x'"),
        ([{"a": None, "b": 0.6}], r"cats\[0\]\['a'\] must be a number, but it is None"),
        (None, "cats must be a list of mappings .* but it is None"),
        (CATS[0], "cats must be a list of mappings .* but it is a dict"),
        ([{}], r"at least one category, but cats\[0\] has none"),
        ([{"a": 0.5, "b": 0.5}, {"a": 0.5, 3: 0.5}], "differ in 3"),
    ],
)
def test_cats_are_mappings_to_numbers(cats, message):
    with pytest.raises(InputError, match=message):
        cb.Labels.from_cats(cats)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ([{"a"}, None], r"gold\[1\] must be a list of categories, or a mapping .* it is None"),
        ([3, 4], r"gold\[0\] must be a list of categories, or a mapping .* it is 3"),
        (None, "gold must be a list of sets of categories, one for each text, but it is None"),
        ([[["a"]], {"b"}], r"gold\[0\] must hold categories, but it has a list"),
        ([{"a": "1"}, {}], r"gold\[0\] must map categories to 0 or 1, but it maps 'a' to '1'"),
    ],
)
def test_gold_categories(gold, message):
    with pytest.raises(InputError, match=message):
        category_pairs(CATS, gold)
