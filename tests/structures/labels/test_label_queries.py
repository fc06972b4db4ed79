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


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_by_sorting_each_row(d, k):
    posterior, gold = d
    pairs = cb.ask(posterior, gold, cb.TopK(k))
    for row, label, y, q in zip(posterior.probabilities, gold, pairs.y, pairs.q, strict=True):
        best = sorted(range(4), key=lambda c: (-row[c], c))[:k]
        assert y == (label in best)
        assert q == pytest.approx(sum(row[c] for c in best), abs=1e-11)


def test_top_1_is_the_top_label_and_all_but_one_leaves_the_least(d):
    posterior, gold = d
    one, top = (cb.ask(posterior, gold, query) for query in ("TopK(1)", "TopLabel"))
    np.testing.assert_array_equal(one.y, top.y)
    np.testing.assert_allclose(one.q, top.q, atol=1e-12)
    three = cb.ask(posterior, gold, "TopK(k=3)")
    least = posterior.probabilities.argmin(axis=1)
    np.testing.assert_array_equal(three.y == 0, least == np.asarray(gold))
    np.testing.assert_allclose(three.q, 1 - posterior.probabilities.min(axis=1), atol=1e-11)


def test_top_k_does_not_depend_on_the_order_of_classes():
    rng = np.random.default_rng(4)
    matrix = rng.multinomial(8, [0.25] * 4, 300) / 8  # many ties
    names = np.array(["verb", "noun", "other", "adjective"])
    gold = names[rng.integers(0, 4, 300)]
    for k in (1, 2, 3):
        wanted = cb.ask(cb.Labels(matrix, names), gold, cb.TopK(k))
        for order in ([3, 2, 1, 0], [1, 3, 0, 2]):
            moved = cb.Labels(matrix[:, order], names[order])
            assert cb.ask(moved, gold, cb.TopK(k)) == wanted
    half = cb.Labels(matrix.astype(np.float16), names)
    assert cb.ask(half, gold, cb.TopK(2)) == cb.ask(cb.Labels(matrix, names), gold, cb.TopK(2))


def test_bad_k(d):
    posterior, gold = d
    with pytest.raises(InputError, match="k is 4 and there are 4 classes"):
        cb.ask(posterior, gold, cb.TopK(4))
    for wrong in (0, 1.5, True, "2"):
        with pytest.raises(ParameterError, match="k must be a whole number"):
            cb.TopK(wrong)
    assert cb.TopK(np.int64(2)) == cb.TopK(2)
    assert repr(cb.TopK(2)) == "TopK(k=2)"
    assert cb.TopK(2).keys(posterior)["item"].tolist() == list(range(600))
