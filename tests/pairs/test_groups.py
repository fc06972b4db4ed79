"""Groups that were given, and groups that were only numbered."""

import numpy as np
import pytest

import calibrant as cb
from calibrant import Pairs
from calibrant.errors import InputError
from calibrant.pairs.groups import Groups, numbered, pool


def test_numbered_groups_of_two_sets_are_different():
    one = Pairs([0, 1, 1], [0.1, 0.2, 0.3], group=numbered(2)[[0, 0, 1]])
    both = one + one
    assert both.groups == 4
    assert both.group.tolist() == [0, 0, 1, 2, 2, 3]
    assert (both + one).groups == 6
    assert (both + both).groups == 8


def test_given_groups_of_two_sets_are_the_same():
    one = Pairs([0, 1, 1], [0.1, 0.2, 0.3], group=[0, 0, 1])
    assert (one + one).groups == 2


def test_given_and_numbered_groups_never_meet():
    given = Pairs([0, 1], [0.1, 0.2], group=[0, 1])
    counted = Pairs([0, 1], [0.1, 0.2], group=numbered(2))
    for both in (given + counted, counted + given):
        assert both.groups == 4
        assert (both + given).groups == 4  # those given are still shared
        assert (both + counted).groups == 6
        assert (given + both).groups == 4


def test_repeating_and_selecting_keep_what_is_numbered():
    pairs = Pairs([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], group=np.repeat(numbered(2), 2))
    part = pairs.select(above=0.15)
    assert (part + part).groups == 4
    assert (pairs.take(np.array([0, 1])) + pairs).groups == 3


def test_samples_of_groups_add_up():
    pairs = cb.synthetic.sample_groups(5, size=3, seed=1)
    one, other = pairs.resample(1), pairs.resample(2)
    assert (one + other).groups == 10
    assert (pairs + one).groups == 10


def test_questions_about_two_sets_of_sentences_add_up():
    chain = cb.Chain.from_scores(
        [np.log([[0.9, 0.1], [0.4, 0.6]])] * 2, np.zeros((2, 2)), tags=["D", "N"]
    )
    gold = [["D", "N"], ["D", "D"]]
    for query in (cb.TagIs("N"), cb.EveryTag(), cb.TagPair("D", "N")):
        pairs = cb.ask(chain, gold, query)
        assert pairs.groups == 2
        assert (pairs + pairs).groups == 4
        named = cb.ask(chain, gold, query, group=["a", "b"])
        assert (named + named).groups == 2
    labels = cb.ask(cb.Labels([[0.7, 0.3], [0.4, 0.6]]), [0, 1], cb.EveryLabel())
    assert (labels + labels).groups == 4


def test_labels_of_different_types_are_refused():
    for one, other in ((np.array(["a"]), np.array([1])), (np.array([2**63], np.uint64), [1])):
        with pytest.raises(InputError, match="labels of one type"):
            pool(Groups(one, None), Groups(np.asarray(other), None))


def test_labels_that_leave_no_room_are_refused():
    given = Groups(np.array([2**63 - 2]), None)
    with pytest.raises(InputError, match="the label 9223372036854775806 is too large"):
        pool(given, Groups(np.array([0]), np.ones(1, bool)))
