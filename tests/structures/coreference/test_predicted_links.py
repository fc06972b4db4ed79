"""The most probable antecedent of each mention, against all clusterings, one by one."""

import numpy as np
import pytest
from clusterings import all_clusterings, random_links

import calibrant as cb
from calibrant.errors import InputError
from calibrant.structures.coreference.predicted_queries import PredictedLink

GOLD = [["a", "b", "a", "a"], [None, None, 7], [], [None]]
LENGTHS = (4, 3, 0, 1)


@pytest.fixture(scope="module")
def links():
    return random_links(LENGTHS, seed=8)


def chosen(matrix):
    return [int(row[: j + 1].argmax()) for j, row in enumerate(matrix)]


def holds(entity, choice):
    """Whether the choice of each mention is right."""
    return [
        entity[j] not in list(entity[:j]) if k == j else entity[j] == entity[k]
        for j, k in enumerate(choice)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_every_answer_is_the_expected_truth(seed):
    """Σ P(clustering) · y over all clusterings is q: true beliefs have calibrated predictions."""
    links = random_links((5,), seed=seed, scale=1.5)
    entities, p = all_clusterings(links.antecedents(0))
    choice = chosen(links.antecedents(0))
    assert links.choices[0].tolist() == choice
    asked = [cb.ask(links, [entity.tolist()], PredictedLink()) for entity in entities]
    for entity, pairs in zip(entities, asked, strict=True):
        assert pairs.y.tolist() == holds(entity, choice)
    y = sum(x * pairs.y for x, pairs in zip(p, asked, strict=True))
    np.testing.assert_allclose(asked[0].q, y, rtol=1e-11)


def test_answers(links):
    pairs = cb.ask(links, GOLD, "PredictedLink")
    keys = PredictedLink().keys(links)
    assert pairs.group.tolist() == keys["document"].tolist() == [0] * 4 + [1] * 3 + [3]
    singletons = [["a", "b", "a", "a"], ["x", "y", "z"], [], ["w"]]
    wanted = []
    for k, gold in enumerate(singletons):
        matrix = links.antecedents(k)
        wanted += holds(np.array(gold), chosen(matrix))
    assert pairs.y.tolist() == wanted
    given = cb.ask(links, GOLD, PredictedLink(), group=["x", "y", "z", "z"])
    assert given.group.tolist() == ["x"] * 4 + ["y"] * 3 + ["z"]


def test_probabilities_are_those_of_the_fixed_questions(links):
    pairs, keys = cb.ask(links, GOLD, PredictedLink()), PredictedLink().keys(links)
    places = zip(*(each.tolist() for each in cb.SameEntity().keys(links).values()), strict=True)
    same = dict(zip(places, cb.ask(links, GOLD, cb.SameEntity()).q, strict=True))
    new = cb.ask(links, GOLD, cb.NewEntity())
    for at, (k, j, i) in enumerate(zip(*(each.tolist() for each in keys.values()), strict=True)):
        assert pairs.q[at] == (new.q[at] if i == j else same[k, i, j])
        if i < j:
            assert pairs.q[at] >= links.antecedents(k)[j, i]  # indirect links add to it
        else:
            assert pairs.y[at] == new.y[at]


def test_the_first_mention_is_new(links):
    pairs, keys = cb.ask(links, GOLD, PredictedLink()), PredictedLink().keys(links)
    first = keys["mention"] == 0
    assert pairs.q[first].tolist() == [1.0] * 3
    assert pairs.y[first].all()


def test_ties_go_to_new_and_then_to_the_latest():
    third = 1 / 3
    even = [[1, 0, 0], [0.5, 0.5, 0], [third, third, third]]
    far = [[1, 0, 0], [0, 1, 0], [0.4, 0.4, 0.2]]
    links = cb.Links.from_probabilities([even, far])
    assert [each.tolist() for each in links.choices] == [[0, 1, 2], [0, 1, 1]]
    assert [each.tolist() for each in links.entities] == [[0, 1, 2], [0, 1, 1]]
    for names in (["p", "q", "q"], [7, 3, 3]):  # the names of entities change nothing
        pairs = cb.ask(links, [names, names], PredictedLink())
        assert pairs.y.tolist() == [True, True, False, True, True, True]


def test_questions_do_not_depend_on_gold_or_order(links):
    pairs = cb.ask(links, GOLD, PredictedLink())
    apart = cb.ask(links, [list(range(n)) for n in LENGTHS], PredictedLink())
    np.testing.assert_array_equal(pairs.q, apart.q)
    turned = cb.Links.from_probabilities([links.antecedents(k) for k in (3, 2, 1, 0)])
    other = cb.ask(turned, GOLD[::-1], PredictedLink(), group=[3, 2, 1, 0])
    for k in range(4):
        one, two = (each.group == k for each in (pairs, other))
        np.testing.assert_array_equal(pairs.q[one], other.q[two])
        np.testing.assert_array_equal(pairs.y[one], other.y[two])


def test_questions_that_cannot_be_asked(links):
    with pytest.raises(InputError, match="No document has a mention"):
        cb.ask(cb.Links.from_probabilities([[]]), [[]], PredictedLink())
    with pytest.raises(InputError, match="4 documents, but gold has 1"):
        cb.ask(links, GOLD[:1], PredictedLink())
    assert PredictedLink().keys(cb.Links.from_probabilities([[]]))["mention"].size == 0
