"""How many tags, neighbours or spans of a kind a sentence has: the exact distribution."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.tallies import Tallies
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.gold import known_tags
from calibrant.structures.tallying import Counts, unit_groups

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


class Steps(NamedTuple):
    """Where a count grows by 1."""

    opens: Bool  # (tags,) at these first tags
    grows: Bool  # (tags, tags) at these tags (columns) after these (rows)


def tag_steps(chain: Chain, tag: str) -> Steps:
    """The number of words with a tag."""
    opens = np.zeros(len(chain.tags), bool)
    opens[chain.code(tag)] = True
    return Steps(opens, np.tile(opens, (opens.size, 1)))


def pair_steps(chain: Chain, first: str, second: str) -> Steps:
    """The number of neighbours with these tags."""
    grows = np.zeros((len(chain.tags),) * 2, bool)
    grows[chain.code(first), chain.code(second)] = True
    return Steps(np.zeros(len(chain.tags), bool), grows)


def span_steps(chain: Chain, marks: tuple[int, int, int, int]) -> Steps:
    """The number of spans of a type, as conlleval reads tags.

    `marks` are the columns of B, I, E and S, −1 for those that the model lacks. I and E begin a
    span unless B or I is before them.
    """
    opens = np.zeros(len(chain.tags), bool)
    opens[[mark for mark in marks if mark >= 0]] = True
    grows = np.tile(opens, (opens.size, 1))
    before = [mark for mark in marks[:2] if mark >= 0]
    onward = [mark for mark in marks[1:3] if mark >= 0]
    grows[np.ix_(before, onward)] = False
    return Steps(opens, grows)


def count_chances(chain: Chain, steps: Steps) -> list[Float]:
    """For each sentence, the probabilities of the counts 0, 1, 2, ..."""
    from calibrant.kernels.sequences.counting import count_steps

    ends = chain.move, chain.first, chain.last
    found = []
    for a, b in zip(chain.start[:-1].tolist(), chain.start[1:].tolist(), strict=True):
        chances = np.zeros(b - a + 1)
        chances[0] = 1.0
        if b > a:
            count_steps(chain.score[a:b], *ends, *steps, chances)
        found.append(np.trim_zeros(chances, "b"))
    return found


def tally_sentences(
    chain: Chain,
    steps: Steps,
    number: Callable[[Sequence[str]], int],
    asked: Int,
    gold: object,
    group: object,
    by: Mapping[str, Any] | None,
) -> Tallies:
    """One unit per sentence: how many the posterior, its mode and the gold have."""
    true = known_tags(chain, gold)
    counts = Counts(count_chances(chain, steps), asked, number)
    return counts.tallies(chain.mode, true, unit_groups(len(chain), gold, group, "sentence"), by)
