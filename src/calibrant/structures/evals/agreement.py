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


def majority(
    question: Sequence[object],
    epoch: Sequence[int],
    answer: Sequence[str | None],
    normalise: Callable[[str], str],
) -> Shares:
    """One row per question: the answer of most attempts, and how many others gave it.

    Every second attempt, by epoch, helps to choose the answer; the rest are counted, so that the
    choice does not make the share too large. Of answers that are equally frequent, the one that
    was given first is chosen. `row` is an attempt that gave the answer. Questions with fewer than
    four answers are left out: two are needed on each side.

    >>> found = majority(["x"] * 5, [1, 2, 3, 4, 5], ["4", "5", "4", "4", "4"], str)
    >>> found.row.tolist(), found.same.tolist(), found.others.tolist()
    ([0], [1], [2])
    """
    attempts: dict[object, list[tuple[int, int, str]]] = {}
    for i, (asked, number, each) in enumerate(zip(question, epoch, answer, strict=True)):
        if each is not None:
            attempts.setdefault(asked, []).append((number, i, normalise(each)))
    rows, same, others = [], [], []
    for found in attempts.values():
        if len(found) < 2 * FEWEST_COUNTED:
            continue
        ordered = sorted(found)
        choosing, counted = ordered[::2], ordered[1::2]
        votes = Counter(each for _, _, each in choosing)
        top = max(votes.values())
        chosen = next(each for _, _, each in choosing if votes[each] == top)
        rows.append(next(i for _, i, each in choosing if each == chosen))
        same.append(sum(each == chosen for _, _, each in counted))
        others.append(len(counted))
    return Shares(*(np.array(each, np.int64) for each in (rows, same, others)))


FEWEST_COUNTED = 2  # attempts to count: a share of one draw cannot be split
FEWEST = 3  # attempts: each needs two others, because a share of one draw cannot be split
