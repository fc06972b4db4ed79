"""Agreement: how many of the other attempts at a question gave the same answer."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]


class Shares(NamedTuple):
    """For each attempt that has others: its row, and how many of how many others agree."""

    row: Int
    same: Int
    others: Int


def agreement(
    question: Sequence[object], answer: Sequence[str | None], normalise: Callable[[str], str]
) -> Shares:
    """Count the other attempts at each question with the same normalised answer.

    Attempts without an answer are left out, and so are questions with fewer than three answers:
    a share needs at least two others.

    >>> found = agreement(["x"] * 3, ["4", "4.0", "5"], lambda text: text.removesuffix(".0"))
    >>> found.same.tolist(), found.others.tolist()
    ([1, 1, 0], [2, 2, 2])
    """
    known = [i for i, each in enumerate(answer) if each is not None]
    given = {i: normalise(answer[i] or "") for i in known}
    attempts = Counter(question[i] for i in known)
    alike = Counter((question[i], given[i]) for i in known)
    used = [i for i in known if attempts[question[i]] >= FEWEST]
    return Shares(
        np.array(used, np.int64),
        np.array([alike[question[i], given[i]] - 1 for i in used], np.int64),
        np.array([attempts[question[i]] - 1 for i in used], np.int64),
    )


FEWEST = 3  # attempts: each needs two others, because a share of one draw cannot be split
