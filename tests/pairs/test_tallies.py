"""What a model believes about the number of yes answers in each unit."""

import itertools

import numpy as np
import pytest

from calibrant.errors import InputError
from calibrant.pairs.tallies import Tallies


def test_moments_of_distributions_are_those_of_the_outcomes() -> None:
    rng = np.random.default_rng(1)
    pmf = [rng.dirichlet(np.ones(size)) for size in (1, 2, 5)]
    found = Tallies(pmf=pmf, asked=[0, 1, 4])
    for unit, chances in enumerate(pmf):
        mean = sum(k * p for k, p in enumerate(chances))
        spread = sum((k - mean) ** 2 * p for k, p in enumerate(chances))
        assert found.expected[unit] == pytest.approx(mean)
        assert found.variance[unit] == pytest.approx(spread)
        assert found.distribution(unit) == pytest.approx(chances)


def test_a_unit_of_several_rows_has_the_moments_of_their_sum() -> None:
    q = [0.2, 0.5, 0.9]
    pmf = np.zeros(4)
    for outcome in itertools.product((0, 1), repeat=3):
        pmf[sum(outcome)] += np.prod([p if y else 1 - p for y, p in zip(outcome, q, strict=True)])
    whole, rows = Tallies(pmf=[pmf], asked=[3]), Tallies.of_rows(q)
    assert whole.expected.sum() == pytest.approx(rows.expected.sum())
    assert whole.variance.sum() == pytest.approx(rows.variance.sum())


def test_best_guesses_do_not_depend_on_which_answer_is_yes() -> None:
    q = np.array([0.2, 0.5, 0.8])
    one, other = Tallies.of_rows(q), Tallies.of_rows(1 - q)
    assert (one.best + other.best == 1).all()


def test_labels_may_be_missing() -> None:
    found = Tallies.of_rows([0.2, 0.3, 0.4], [1, None, float("nan")])
    assert found.labelled.tolist() == [True, False, False]
    assert found.with_gold([0, 0, 1]).labelled.all()
    assert found.distribution(0) == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pmf": [[0.5, 0.4]]}, "sum to 1"),
        ({"pmf": [[1.5, -0.5]]}, "negative"),
        ({"pmf": []}, "at least one"),
        ({"pmf": [[1.0]], "expected": [2]}, "must agree with pmf"),
        ({"expected": [1]}, "expected and variance"),
        ({"expected": [1], "variance": [-1]}, "variance must be finite and not negative"),
        ({"expected": [1, 2], "variance": [1]}, "same length"),
        ({"expected": [1], "variance": [1], "gold": [-1]}, "gold must not be negative"),
        ({"expected": [1], "variance": [1], "weight": [0]}, "weight must be positive"),
        ({"expected": [1], "variance": [1], "by": {"month": [1, 2]}}, "by\\['month'\\] has 2"),
        ({"expected": ["a"], "variance": [1]}, "expected must hold numbers"),
    ],
)
def test_bad_beliefs_are_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Tallies(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("q", "y", "words"),
    [([1.3], None, "in \\[0, 1\\]"), ([0.3], [2], "y must be 0 or 1"), ([0.3], [1, 0], "length")],
)
def test_bad_rows_are_refused(q: list[float], y: list[float] | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Tallies.of_rows(q, y)
