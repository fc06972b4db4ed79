"""Tempered links: exact gradients, enumeration, and a distorted model brought back."""

import itertools

import numpy as np
import pytest

import calibrant as cb
from calibrant.structures.coreference.tempering import LinksLikelihood
from calibrant.structures.tempering.likelihood import fit, most_likely


def random_links(documents: int, longest: int, seed: int = 0) -> cb.Links:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, documents)
    return cb.Links.from_scores([np.tril(rng.normal(0, 1.5, (n, n))) for n in sizes])


def drawn(links: cb.Links, seed: int = 1) -> list[list[int]]:
    return [each[:, 0].tolist() for each in links.sample_entities(1, seed)]


@pytest.mark.parametrize("separate", [False, True])
def test_gradients_agree_with_finite_differences(separate: bool) -> None:
    links = random_links(20, 9)
    likelihood = LinksLikelihood.of_gold(links, drawn(links), separate)
    at = np.array([0.3, -0.2, 0.4])[: len(likelihood.names)]
    found = likelihood.measure(at, likelihood.items)
    for k in range(at.size):
        step = np.zeros(at.size)
        step[k] = 1e-5
        ends = [likelihood.measure(at + s * step, likelihood.items).log for s in (1, -1)]
        np.testing.assert_allclose(found.slope[:, k], (ends[0] - ends[1]) / 2e-5, atol=1e-7)


def test_tempered_answers_agree_with_enumeration() -> None:
    links = random_links(4, 5, seed=2)
    temperatures = {"old": 0.6, "new": 1.7, "bias": -0.4}
    tempered = links.tempered(temperatures)
    gold = drawn(links)
    likelihood = LinksLikelihood.of_gold(links, gold, separate=True)
    at = np.array([np.log(0.6), np.log(1.7), -0.4])
    measured = likelihood.measure(at, np.arange(len(links)))
    for k in range(len(links)):
        score = np.log(np.where(links.antecedents(k) > 0, links.antecedents(k), 1.0)) / 0.6
        count = len(score)
        np.fill_diagonal(score, np.log(links.new_probabilities(k)) / 1.7 - 0.4)
        same, total, right = np.zeros((count, count)), 0.0, 0.0
        for choices in itertools.product(*(range(j + 1) for j in range(count))):
            weight = np.exp(sum(score[j, c] for j, c in enumerate(choices)))
            entity = list(range(count))
            for j, c in enumerate(choices):
                entity[j] = entity[c] if c < j else j
            total += weight
            same += weight * np.equal.outer(entity, entity)
            right += weight * _is_gold(choices, gold[k])
        np.testing.assert_allclose(tempered.pair_probabilities(k), same / total, atol=1e-12)
        assert measured.log[k] == pytest.approx(np.log(right / total))


def _is_gold(choices: tuple[int, ...], entity: list[int]) -> bool:
    """Whether every mention continues an earlier one of its entity, or begins it."""
    for j, c in enumerate(choices):
        earlier = [k for k in range(j) if entity[k] == entity[j]]
        if c not in (earlier or [j]):
            return False
    return True


def test_temperature_1_changes_nothing() -> None:
    links = random_links(5, 8)
    np.testing.assert_allclose(links.tempered(1).probability, links.probability, atol=1e-15)
    forbidden = cb.Links.from_probabilities([[[1, 0, 0], [0, 1, 0], [0.5, 0, 0.5]]])
    np.testing.assert_array_equal(forbidden.tempered(3).probability > 0, forbidden.probability > 0)


def test_a_distorted_model_is_brought_back() -> None:
    links = random_links(300, 20)
    gold = drawn(links)
    found = fit(LinksLikelihood.of_gold(links.tempered(0.5), gold))
    error = float(found.spread(np.arange(len(found.items)))[0])
    assert abs(found.peak.at[0] - np.log(2)) < 4 * error < 0.3
    shifted = most_likely(LinksLikelihood.of_gold(links.tempered({"bias": 1.0}), gold, True))
    assert shifted["bias"] == pytest.approx(-1.0, abs=0.25)
    assert shifted["old"] == pytest.approx(1.0, abs=0.1)


def test_mentions_without_a_possible_gold_choice_are_set_aside() -> None:
    links = cb.Links.from_probabilities([[[1, 0, 0], [0.4, 0.6, 0], [0.5, 0, 0.5]]] * 3)
    likelihood = LinksLikelihood.of_gold(links, [[0, 1, 1], [0, 0, 0], [0, 1, 2]])
    assert likelihood.set_aside == (1, 9, "mention")  # mention 2 cannot continue mention 1
    found = likelihood.measure(np.zeros(1), likelihood.items).log
    np.testing.assert_allclose(found, np.log([0.6, 0.4 * 0.5, 0.6 * 0.5]))


def test_taking_documents() -> None:
    links = random_links(4, 6)
    part = links.take([2, 0])
    np.testing.assert_array_equal(part.document(0), links.document(2))
    np.testing.assert_array_equal(part.document(1), links.document(0))


def test_the_evidence_groups_documents() -> None:
    links = random_links(40, 12)
    found = cb.recalibrate(links.tempered(0.4), gold=drawn(links), separate=True)
    assert found.verdict == "use it"
    assert set(found.limits) == {"old", "new", "bias"}
    assert found.loss.what == "log loss per mention"
    assert found.loss.change.groups <= 40
