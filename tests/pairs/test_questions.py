"""Whether several models answer the same questions."""

import numpy as np
import pytest

from calibrant import Pairs
from calibrant.errors import InputError, ParameterError, UnsupportedError, command_line
from calibrant.pairs.questions import join, same_questions

Y, Q = [0, 1, 1], [0.2, 0.7, 0.9]
A = Pairs(Y, Q)


def test_models_keep_their_order_and_names():
    found = same_questions({"b": A, 3: Pairs(Y, [0.1, 0.2, 0.3])}, None)
    assert list(found) == ["b", "3"]
    assert found["b"] is A


def test_keys_put_rows_in_the_order_of_the_first_model():
    other = Pairs([1, 0, 1], [0.3, 0.1, 0.2])
    found = join({"a": A, "b": other}, [np.array(["x", "y", "z"]), np.array(["z", "x", "y"])])
    assert found["b"].q.tolist() == [0.1, 0.2, 0.3]
    assert found["b"].y.tolist() == Y


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Pairs([0, 1, 0], Q), r"different questions: y\[2\] is 1 in a and 0 in b"),
        (Pairs(Y[:2], Q[:2]), "a has 3 rows and b has 2"),
        (Pairs(Y, Q, group=[1, 2, 3]), "b has a group, but a has none"),
        (Pairs(Y, Q, weight=[1, 2, 3]), "b has a weight, but a has none"),
    ],
)
def test_different_questions(other, says):
    with pytest.raises(InputError, match=says):
        same_questions({"a": A, "b": other}, None)


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ([0, 1, 1], "The key 1 occurs 2 times in b"),
        ([0, 1, 5], "The key 2 is in a but not in b"),
        ([0, 1], "b has 3 rows but 2 keys"),
    ],
)
def test_keys_that_do_not_match(keys, says):
    with pytest.raises(InputError, match=says):
        same_questions({"a": A, "b": A}, [np.arange(3), np.array(keys)])


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        (["x", "y", "y"], "The key 'y' occurs 2 times in b"),
        (["x", "y", "w"], "The key 'z' is in a but not in b"),
    ],
)
@pytest.mark.parametrize("dtype", [object, str])
def test_keys_of_text_that_do_not_match(keys, says, dtype):
    given = [np.array(each, dtype) for each in (["x", "y", "z"], keys)]
    with pytest.raises(InputError, match=says):
        same_questions({"a": A, "b": A}, given)


def test_a_key_that_only_the_second_model_has():
    longer = Pairs([0, 1, 1, 0], [*Q, 0.1])
    with pytest.raises(InputError, match="The key 3 is in b but not in a"):
        same_questions({"a": A, "b": longer}, [np.arange(3), np.arange(4)])


def test_too_few_models_or_keys():
    with pytest.raises(ParameterError, match="at least two models"):
        same_questions({"a": A}, None)
    with pytest.raises(ParameterError, match="2 models but 1 array of keys"):
        same_questions({"a": A, "b": A}, [np.arange(3)])
    with pytest.raises(ParameterError, match="b is list"):
        same_questions({"a": A, "b": [1]}, None)


def test_draws_are_compared_group_by_group():
    one = Pairs.from_draws(Y, [1, 2, 3], 4)
    same_questions({"a": one, "b": Pairs.from_draws(Y, [3, 0, 4], 4)}, None)
    with pytest.raises(InputError, match="different questions in group 0"):
        same_questions({"a": one, "b": Pairs.from_draws([1, 1, 1], [1, 2, 3], 4)}, None)
    with pytest.raises(InputError, match="a comes from draws, b does not"):
        same_questions({"a": one, "b": A}, None)
    with pytest.raises(UnsupportedError, match="joined by a key"):
        same_questions({"a": one, "b": one}, [np.arange(len(one))] * 2)


def test_own_answers_may_differ_in_y_only():
    other = Pairs([1, 0, 0], [0.3, 0.4, 0.5])
    found = same_questions({"a": A, "b": other}, None, own_answers=True)
    assert found["b"] is other
    with pytest.raises(InputError, match=r"its own answer is right, pass own_answers=True\.$"):
        same_questions({"a": A, "b": other}, None)
    with command_line(), pytest.raises(InputError, match=r"is right, add --own-answers\.$"):
        same_questions({"a": A, "b": other}, None)
    for wrong, says in (
        (Pairs([1, 0], [0.3, 0.4]), "a has 3 rows and b has 2"),
        (Pairs([1, 0, 0], Q, weight=[1, 2, 3]), "b has a weight, but a has none"),
        (Pairs([1, 0, 0], Q, group=[1, 2, 3]), "b has a group, but a has none"),
    ):
        with pytest.raises(InputError, match=says):
            same_questions({"a": A, "b": wrong}, None, own_answers=True)


def test_own_answers_need_rows():
    drawn = Pairs.from_draws(Y, [1, 2, 3], 4)
    with pytest.raises(UnsupportedError, match=r"b comes from draws, .*leave own_answers out"):
        same_questions({"a": A, "b": drawn}, None, own_answers=True)
    with pytest.raises(UnsupportedError, match="b is compressed"):
        same_questions({"a": A, "b": A.compress()}, None, own_answers=True)
