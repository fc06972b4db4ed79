"""Kinds of confidence that several chains of thought give, and the probability of the option."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from calibrant.pairs import Pairs
from calibrant.structures.evals.evals import Evals


class Answers(NamedTuple):
    """Pairs of "right?" and a confidence; if it is a share of draws, also the plain shares."""

    pairs: Pairs
    shares: Pairs | None = None


def option(evals: Evals) -> Answers:
    """The probability that a chain gives to the option that it chose."""
    return Answers(evals.pairs("choice", group="question"))


def agreement(evals: Evals) -> Answers:
    """The share of the other chains that chose the same option."""
    return _drawn(evals, "agreement")


def majority(evals: Evals) -> Answers:
    """The share of half of the chains that chose what most of the other half chose."""
    return _drawn(evals, "majority")


def _drawn(evals: Evals, kind: str) -> Answers:
    rows = evals.answers(kind)
    asked = rows["task"] + "/" + rows["question"]  # the groups of all pairs of attempts
    plain = Pairs(rows["y"], rows["yes"] / rows["draws"], group=asked)
    return Answers(evals.pairs(kind, group="question"), plain)


def naive(evals: Evals) -> Answers:
    """The share of the chains that chose the most frequent option, one pair per question.

    Of options that are equally frequent, the one that was chosen first counts.
    """
    y, q = [], []
    for _, part in evals.scored.group_by("question", maintain_order=True):
        answers, right = part["answer"].to_list(), part["correct"].to_list()
        (answer, many), *_ = Counter(answers).most_common()  # keeps the order of equal counts
        y.append(right[answers.index(answer)])
        q.append(many / len(answers))
    return Answers(Pairs(np.array(y), np.array(q)))


def averaged(evals: Evals) -> Answers:
    """The largest mean probability of an option over the chains, one pair per question."""
    return Answers(evals.pairs("averaged", group="question"))


class Kind(NamedTuple):
    """A kind of confidence: how it is computed, and the fewest chains that it needs."""

    answers: Callable[[Evals], Answers]
    fewest: int


KINDS: Mapping[str, Kind] = {
    "option": Kind(option, 1),
    "averaged": Kind(averaged, 2),
    "agreement": Kind(agreement, 3),
    "majority": Kind(majority, 4),
    "naive majority": Kind(naive, 2),
}
