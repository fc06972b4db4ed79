import numpy as np
import pytest
from made_pairs import set_d

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnknownName


@pytest.fixture(scope="module")
def d():
    matrix, gold = set_d()
    return cb.Labels(matrix), gold


def test_every_label_is_all_classes_together(d):
    posterior, gold = d
    pooled = cb.ask(posterior, gold, cb.EveryLabel())
    rows = pooled.group
    parts = [cb.ask(posterior, gold, cb.LabelIs(k), group=np.arange(600)) for k in range(4)]
    together = parts[0] + parts[1] + parts[2] + parts[3]
    assert (len(pooled), pooled.groups) == (2400, 600)
    assert rows[:5].tolist() == [0, 0, 0, 0, 1]
    for score in (cb.CalibScore(), cb.ECE(), cb.Brier()):
        assert score(pooled) == pytest.approx(score(together), abs=1e-12)


def test_groups(d):
    posterior, gold = d
    sentence = np.arange(600) // 20
    assert cb.ask(posterior, gold, cb.TopLabel()).group is None
    assert cb.ask(posterior, gold, cb.LabelIs(0)).group is None
    for query in (cb.TopLabel(), cb.LabelIs(0), cb.EveryLabel()):
        assert cb.ask(posterior, gold, query, group=sentence).groups == 30
    with pytest.raises(InputError, match="group must have one label for each of the 600 items"):
        cb.ask(posterior, gold, cb.EveryLabel(), group=[1, 2])


def test_top_label_is_the_largest_probability(d):
    posterior, gold = d
    pairs = cb.ask(posterior, gold, "TopLabel")
    np.testing.assert_array_equal(pairs.q, posterior.probabilities.max(axis=1))
    assert pairs.mean(pairs.y) == pytest.approx(0.5583333333)
    tied = cb.ask(cb.Labels([[0.4, 0.4, 0.2]] * 2), [0, 1], cb.TopLabel())
    assert tied.y.tolist() == [True, False]


def test_questions_do_not_depend_on_gold(d):
    posterior, gold = d
    for query in (cb.TopLabel(), cb.LabelIs(2), cb.EveryLabel()):
        one, other = (cb.ask(posterior, each, query) for each in (gold, gold[::-1]))
        np.testing.assert_array_equal(one.q, other.q)


def test_half_precision_is_kept_exactly():
    half = np.array([[0.1, 0.9], [0.3, 0.7]], np.float16)
    pairs = cb.ask(cb.Labels(half), [0, 1], cb.LabelIs(0))
    np.testing.assert_array_equal(pairs.q, half[:, 0].astype(float))


def test_what_cannot_be_asked(d):
    posterior, gold = d
    named = cb.Labels([[0.5, 0.5]], ["noun", "verb"])
    with pytest.raises(InputError, match=r"no class 'nuon' among 2. Did you mean 'noun'\?"):
        cb.ask(named, ["noun"], cb.LabelIs("nuon"))
    with pytest.raises(ParameterError, match="A query was expected"):
        cb.ask(posterior, gold, cb.Brier())
    with pytest.raises(ParameterError, match="string or a whole number"):
        cb.LabelIs(0.5)
    with pytest.raises(UnknownName, match=r"no query 'TopLabels'. Did you mean TopLabel\?"):
        cb.ask(posterior, gold, "TopLabels")
    with pytest.raises(ParameterError, match="LabelIs needs label: write"):
        cb.ask(posterior, gold, "LabelIs")
    with pytest.raises(InputError, match=r"not ndarray: pass Labels\(probabilities\)"):
        cb.ask(posterior.probabilities, gold, cb.TopLabel())
    assert cb.LabelIs(np.str_("a")) == cb.LabelIs("a")
