"""Averages: what all attempts at a question believe about its options, on the mean."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.evals.options import Options

Int = NDArray[np.int64]
FEWEST = 2  # attempts at a question


class Averaged(NamedTuple):
    """For each question that has several attempts: a row of it, and the mean over attempts."""

    row: Int  # an attempt that chose the option which is best on average; else the first
    chose: NDArray[np.bool_]  # whether it chose that option
    options: Options


def averaged(question: Sequence[Hashable], options: Options) -> Averaged:
    """Average the probabilities of options over the attempts at each question.

    Left out are questions with a single attempt, and those whose attempts differ in the number of
    options or in which are correct: they may list the options in another order.

    >>> two = Options(np.array([0, 2, 4]), np.log([0.9, 0.1, 0.4, 0.6]), np.array([1, 0] * 2, bool))
    >>> found = averaged(["x", "x"], two)
    >>> found.options.probabilities().round(2).tolist(), found.row.tolist()
    ([0.65, 0.35], [0])
    """
    attempts: dict[Hashable, list[int]] = {}
    for row, each in enumerate(question):
        attempts.setdefault(each, []).append(row)
    counts, q = options.counts, options.probabilities()
    best = options.chosen().option
    rows, chose, means, correct = [], [], [], []
    for several in attempts.values():
        if len(several) < FEWEST or len({int(counts[row]) for row in several}) > 1:
            continue
        places = options.start[several][:, None] + np.arange(counts[several[0]])
        flags = options.correct[places]
        if (flags != flags[0]).any():
            continue
        mean = q[places].mean(axis=0)
        agreeing = [row for row in several if best[row] == mean.argmax()]
        rows.append((agreeing or several)[0])
        chose.append(bool(agreeing))
        means.append(mean)
        correct.append(flags[0])
    start = np.cumsum([0, *map(len, means)]).astype(np.int64)
    with np.errstate(divide="ignore"):  # an option may be impossible
        loglik = np.log(np.concatenate(means)) if means else np.zeros(0)
    flat = np.concatenate(correct) if correct else np.zeros(0, bool)
    found = Options(start, loglik, flat)
    return Averaged(np.array(rows, np.int64), np.array(chose, bool), found)
