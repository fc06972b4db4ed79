"""Rows of probabilities of options: what a model believes about every option of a question."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.evals.options import Options

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


class Choices(NamedTuple):
    """A row per question with a single right option, and a column per place of an option."""

    question: Int  # its number among all
    q: Float  # 0 where there is no option
    possible: Bool
    truth: Int  # the place of the right option


def choices_of(options: Options) -> Choices:
    """The probabilities of the options of all questions that have a single right one.

    >>> two = Options(np.array([0, 2, 5]), np.zeros(5), np.array([0, 1, 0, 0, 1], bool))
    >>> choices_of(two).q.round(2).tolist(), choices_of(two).truth.tolist()
    ([[0.5, 0.5, 0.0], [0.33, 0.33, 0.33]], [1, 2])
    """
    counts, owner = options.counts, options.owner
    place = np.arange(owner.size) - options.start[owner]
    shape = (counts.size, int(counts.max()))
    q, possible, right = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    q[owner, place] = options.probabilities()
    possible[owner, place] = True
    right[owner, place] = options.correct
    single = np.flatnonzero(right.sum(axis=1) == 1)
    return Choices(single, q[single], possible[single], right[single].argmax(axis=1))
