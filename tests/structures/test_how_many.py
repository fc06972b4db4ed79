import numpy as np
import pytest
from clusterings import all_clusterings, random_links
from enumeration import random_chain

import calibrant as cb
from calibrant.errors import InputError, ParameterError, UnsupportedError

SAMPLES = 5000


def attacks(tags):
    """The number of attackers with a victim after them."""
    return sum(tags[k : k + 2] == ["A", "V"] for k in range(len(tags)))


def with_company(entities):
    return sum(len(mentions) > 1 for mentions in entities)


def test_numbers_tend_to_those_of_an_exact_query():
    chain = random_chain([8, 3], ["A", "V", "O"], seed=6)
    exact = cb.TagPair("A", "V").tallies(chain, [None, ["A", "V", "O"]])
    drawn = cb.HowMany(attacks, samples=SAMPLES).tallies(chain, [None, ["A", "V", "O"]])
    sd = np.sqrt(exact.variance / SAMPLES)
    assert np.abs(drawn.expected - exact.expected).max() < 4 * sd.max()
    assert drawn.best.tolist() == exact.best.tolist()
    assert drawn.gold[1] == exact.gold[1] == 1
    assert np.isnan(drawn.gold[0])


def test_entities_with_company_are_enumerated():
    links = random_links([5], seed=9)
    true = np.zeros(4)
    for entity, chance in zip(*all_clusterings(links.antecedents(0)), strict=True):
        true[(np.unique(entity, return_counts=True)[1] > 1).sum()] += chance
    found = cb.HowMany(with_company, samples=SAMPLES, seed=2).tallies(links)
    mine = found.distribution(0)
    np.testing.assert_allclose(mine, true[: mine.size], atol=4 * 0.5 / SAMPLES**0.5)


def test_holds_counts_sentences_and_documents():
    chain = random_chain([4, 2], ["A", "V", "O"], seed=6)
    query = cb.Holds(lambda tags: attacks(tags) > 0, samples=SAMPLES)
    found = query.tallies(chain, [["A", "V", "O", "O"], None], group=["x", "x"])
    exact = cb.TagPair("A", "V").tallies(chain)
    for k in range(2):
        here = 1 - exact.distribution(k)[0]
        assert found.expected[k] == pytest.approx(here, abs=4 * 0.5 / SAMPLES**0.5)
    assert found.gold[0] == 1
    assert found.asked.tolist() == [1, 1]
    links = random_links([3], seed=9)
    about = cb.Holds(lambda entities: len(entities) == 1, samples=SAMPLES)
    found = about.tallies(links)
    assert found.expected[0] == pytest.approx(links.entity_counts(0)[1], abs=0.03)


def test_bad_input():
    chain = random_chain([2], ["A", "V"], seed=6)
    with pytest.raises(InputError, match=r"must return a whole number, at least 0, but for"):
        cb.HowMany(lambda tags: -1, samples=5).tallies(chain)
    with pytest.raises(InputError, match=r"whole number"):
        cb.HowMany(lambda tags: 0.5, samples=5).tallies(chain)
    with pytest.raises(ParameterError, match="function must be a function"):
        cb.HowMany(3)
    with pytest.raises(
        UnsupportedError, match="has a number as its answer, not yes or no: use coun"
    ):
        cb.ask(chain, [["A", "V"]], cb.HowMany(attacks))
    with pytest.raises(ParameterError, match="about whole structures: count LabelIs"):
        cb.HowMany(attacks).tallies(cb.Labels([[0.5, 0.5]]))


def test_labels_are_rows():
    labels = cb.Labels([[0.4, 0.35, 0.25], [0.1, 0.6, 0.3]], classes=["a", "b", "c"])
    found = cb.LabelIs("a").tallies(labels, ["a", None])
    assert found.rows
    assert found.expected.tolist() == [0.4, 0.1]
    assert found.best.tolist() == [1, 0]  # the most probable label, though below one half
    assert found.gold.tolist()[0] == 1
    assert np.isnan(found.gold[1])
    assert cb.count(labels, cb.LabelIs("a")).total.naive == 1
    assert np.isnan(cb.LabelIs("a").tallies(labels, [None, None]).gold).all()
    assert cb.LabelIs("a").tallies(labels, ["a", "b"]).gold.tolist() == [1, 0]
    with pytest.raises(InputError, match="one label, or None, for each of the 2 items"):
        cb.LabelIs("a").tallies(labels, [None])
    with pytest.raises(UnsupportedError, match="asks about the model's own answers"):
        cb.TopLabel().tallies(labels)
