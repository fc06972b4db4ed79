import numpy as np
import pandas as pd
import pytest
from clusterings import all_clusterings, random_links

import calibrant as cb
from calibrant.errors import InputError, ParameterError
from calibrant.structures.coreference.queries import draw_answers

GOLD = [["a", "b", "a", "a"], [None, None, 7], [], [None]]
LENGTHS = (4, 3, 0, 1)


@pytest.fixture(scope="module")
def links():
    return random_links(LENGTHS, seed=8)


def test_every_two_mentions_are_asked_about(links):
    pairs = cb.ask(links, GOLD, cb.SameEntity())
    assert pairs.y.tolist() == [0, 1, 0, 1, 0, 1, 0, 0, 0]
    assert pairs.group.tolist() == [0] * 6 + [1] * 3
    entity, p = all_clusterings(links.antecedents(0))
    wanted = [p @ (entity[:, j] == entity[:, i]) for j in range(4) for i in range(j)]
    np.testing.assert_allclose(pairs.q[:6], wanted)


def test_new_entities_and_singletons(links):
    new = cb.ask(links, GOLD, "NewEntity")
    assert new.y.tolist() == [1, 1, 0, 0, 1, 1, 1, 1]
    alone = cb.ask(links, GOLD, cb.Singleton(), group=["x", "y", "z", "z"])
    assert alone.y.tolist() == [0, 1, 0, 0, 1, 1, 1, 1]
    assert alone.group.tolist() == ["x"] * 4 + ["y"] * 3 + ["z"]
    np.testing.assert_allclose(new.q[:4], links.new_probabilities(0))
    np.testing.assert_allclose(alone.q[4:7], links.singleton_probabilities(1))


@pytest.mark.parametrize("query", [cb.SameEntity, cb.NewEntity, cb.Singleton])
def test_samples_tend_to_the_exact_answer(query, links):
    exact = cb.ask(links, GOLD, query())
    drawn = cb.ask(links, GOLD, query(samples=20_000, seed=1))
    assert drawn.held is not None
    assert drawn.n == pytest.approx(exact.n, rel=1e-14)  # a sum of shares
    share = np.bincount(drawn.codes, drawn.weight * drawn.held)
    wanted = np.bincount(exact.codes, exact.q)
    np.testing.assert_allclose(share, wanted, atol=0.05)


def test_the_error_of_samples_falls_with_their_root():
    links = random_links((30, 12), seed=3)
    exact = np.concatenate([links.pair_rows(0), links.pair_rows(1)])
    counts = 4 ** np.arange(2, 7)
    errors = [
        np.sqrt(
            np.mean([(draw_answers(links, count, seed) / count - exact) ** 2 for seed in range(20)])
        )
        for count in counts
    ]
    slope, level = np.polyfit(np.log(counts), np.log(errors), 1)
    assert slope == pytest.approx(-0.5, abs=0.03)
    assert np.exp(level) == pytest.approx(np.sqrt(np.mean(exact * (1 - exact))), rel=0.15)


@pytest.mark.filterwarnings("ignore:The groups are worth only")
@pytest.mark.parametrize("query", [cb.SameEntity, cb.NewEntity, cb.Singleton])
def test_equal_answers_of_a_document_are_one_row(query):
    lengths = (30, 2, 0, 25)
    links, gold = random_links(lengths, seed=9), [[k % 4 for k in range(n)] for n in lengths]
    exact = cb.ask(links, gold, query())
    drawn = cb.ask(links, gold, query(samples=8, seed=3))
    one_by_one = cb.Pairs.from_draws(
        exact.y, yes=counted_by_hand(links, query, 8, 3), draws=8, group=exact.group
    )
    assert len(drawn) < len(one_by_one)
    for by in (cb.CalibScore(size=20), cb.Brier()):
        assert cb.score(drawn, by).value == pytest.approx(cb.score(one_by_one, by).value, rel=1e-9)


def counted_by_hand(links, query, samples, seed):
    """How many samples say yes to each question, from lists of clusters."""
    found = []
    for drawn, count in zip(links.sample(samples, seed), links.lengths, strict=True):
        home = [{m: entity for entity in clusters for m in entity} for clusters in drawn]
        holds = {
            cb.SameEntity: lambda h, j, i: h[j] is h[i],
            cb.NewEntity: lambda h, j, _: h[j][0] == j,
            cb.Singleton: lambda h, j, _: len(h[j]) == 1,
        }[query]
        for j in range(count):
            for i in range(j) if query is cb.SameEntity else [None]:
                found.append(sum(holds(h, j, i) for h in home))
    return found


def test_predicates_on_whole_clusterings(links):
    def three_in_one(clusters):
        return max(map(len, clusters), default=0) >= 3

    pairs = cb.ask(links, GOLD, cb.Holds(three_in_one, samples=20_000))
    entity, p = all_clusterings(links.antecedents(0))
    wanted = sum(
        chance for row, chance in zip(entity, p, strict=True) if np.bincount(row).max() >= 3
    )
    first = pairs.codes == 0
    assert np.dot(pairs.held[first], pairs.weight[first]) == pytest.approx(wanted, abs=0.02)
    assert pairs.y[first].all()
    assert not pairs.y[~first].any()


NAN = float("nan")
BAD = [
    (GOLD[:3], "posterior has 4 documents, but gold has 3"),
    ([["a"] * 3, *GOLD[1:]], "each of the 4 mentions of document 0, but it has 3"),
    ([["a", "b", "a", []], *GOLD[1:]], "entities of document 0 must be names or numbers"),
    ("abcd", "not str"),
    ([5, *GOLD[1:]], "Document 0 of gold must be a list of the entities .* it is int"),
    (["abab", *GOLD[1:]], "Document 0 of gold must be a list of .* it is str"),
    ([{0, 1, 2, 3}, *GOLD[1:]], "Document 0 of gold must be a list of .* it is set"),
    ([dict.fromkeys(range(4), 0), *GOLD[1:]], "Document 0 of gold must be a list of .* it is dict"),
    (
        [pd.Series(["a", "b", "a", NAN], index=[4, 5, 6, 7]), *GOLD[1:]],
        r"Mention 3 of document 0 .* nan \(1 of 4 mentions\)",
    ),
    (
        [["a", NAN, "b", NAN], *GOLD[1:]],
        r"Mention 1 of document 0 .* or None .* nan \(2 of 4 mentions\)",
    ),
]


@pytest.mark.parametrize(("gold", "message"), BAD)
def test_bad_gold(gold, message, links):
    with pytest.raises(InputError, match=message):
        cb.ask(links, gold, cb.SameEntity())


def test_questions_that_cannot_be_asked(links):
    with pytest.raises(ParameterError, match="asks about Links, not about Labels"):
        cb.ask(cb.Labels([[0.5, 0.5]]), [0], cb.SameEntity())
    with pytest.raises(ParameterError, match="asks about Chain, not about Links"):
        cb.ask(links, GOLD, cb.TagIs("N"))
    with pytest.raises(ParameterError, match="samples must be"):
        cb.SameEntity(samples=1)
    with pytest.raises(InputError, match="No document has two mentions"):
        cb.ask(random_links((1, 0)), [["a"], []], cb.SameEntity())
    with pytest.raises(InputError, match="No document has a mention"):
        cb.ask(random_links((0,)), [[]], cb.NewEntity())
    with pytest.raises(InputError, match="one label for each of the 4 documents"):
        cb.ask(links, GOLD, cb.NewEntity(), group=["a"])
