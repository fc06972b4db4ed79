"""Queries about the tags of words."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.gold import sentence_groups
from calibrant.structures.query import Keys, Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.counting import pair_steps, tag_steps, tally_sentences
from calibrant.structures.sequences.gold import gold_tags


@dataclass(frozen=True, repr=False)
class TagIs(Query):
    """Does this word have this tag? One question per word.

    If the model does not know the gold tag, the answer is no. Groups are documents if the corpus
    has them, and sentences otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = [np.log([[0.9, 0.1], [0.4, 0.6]])]
    >>> chain = cb.Chain.from_scores(scores, np.zeros((2, 2)), tags=["D", "N"])
    >>> cb.ask(chain, [["D", "N"]], cb.TagIs("N"))
    Pairs(2 pairs in 1 group: 50 % positive, mean q 0.35)
    """

    about: ClassVar[type] = Chain
    tag: str

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per word."""
        code = posterior.code(self.tag)
        tags = itertools.chain.from_iterable(gold_tags(posterior, gold))
        y = np.array([tag == self.tag for tag in tags])
        q = np.ascontiguousarray(posterior.marginals[:, code]).clip(0.0, 1.0)
        groups = sentence_groups(posterior, gold, group)
        return Pairs(y, q, group=np.repeat(groups, posterior.lengths))

    def tallies(
        self,
        posterior: Chain,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of words with this tag in each sentence, of all its words."""
        steps = tag_steps(posterior, self.tag)

        def number(tags: Sequence[str]) -> int:
            return list(tags).count(self.tag)

        return tally_sentences(posterior, steps, number, posterior.lengths, gold, group, by)

    def keys(self, posterior: Chain) -> Keys:
        """The sentence and the word of each pair."""
        return word_keys(posterior, 1)


@dataclass(frozen=True, repr=False)
class EveryTag(Query):
    """Does this word have this tag, for every tag? K questions per word, in one set.

    The query that the thesis uses for taggers. If the model does not know the gold tag, all answers
    are no. Most questions are about very unlikely tags, and opposite errors of different tags
    cancel. Groups are documents if the corpus has them, and sentences otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = [np.log([[0.9, 0.1], [0.4, 0.6]])]
    >>> chain = cb.Chain.from_scores(scores, np.zeros((2, 2)), tags=["D", "N"])
    >>> cb.ask(chain, [["D", "N"]], cb.EveryTag())
    Pairs(4 pairs in 1 group: 50 % positive, mean q 0.5)
    """

    about: ClassVar[type] = Chain

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """K pairs per word, word by word."""
        column = {tag: k for k, tag in enumerate(posterior.tags)}
        tags = itertools.chain.from_iterable(gold_tags(posterior, gold))
        true = np.array([column.get(tag, -1) for tag in tags], np.int64)
        y = true[:, None] == np.arange(len(column))
        groups = sentence_groups(posterior, gold, group)
        each = np.repeat(groups, posterior.lengths * len(column))
        return Pairs(y.ravel(), posterior.marginals.ravel().clip(0.0, 1.0), group=each)

    def keys(self, posterior: Chain) -> Keys:
        """The sentence, the word and the tag of each pair."""
        tags = np.asarray(posterior.tags)
        words = {name: np.repeat(each, tags.size) for name, each in word_keys(posterior, 1).items()}
        return {**words, "tag": np.tile(tags, posterior.score.shape[0])}


@dataclass(frozen=True, repr=False)
class TagPair(Query):
    """Do two neighbours have these tags? One question per pair of neighbours.

    The probability is exact: that of both tags together, not the product of two marginals.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = [np.log([[0.9, 0.1], [0.4, 0.6]])]
    >>> chain = cb.Chain.from_scores(scores, np.zeros((2, 2)), tags=["D", "N"])
    >>> cb.ask(chain, [["D", "N"]], cb.TagPair("D", "N"))
    Pairs(1 pair in 1 group: 100 % positive, mean q 0.54)
    """

    about: ClassVar[type] = Chain
    first: str
    second: str

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair for every two neighbours."""
        q = posterior.pair_marginals(self.first, self.second)
        if q.size == 0:
            raise InputError("No sentence has two words, so there are no neighbours.")
        wanted = (self.first, self.second)
        tags = gold_tags(posterior, gold)
        y = [pair == wanted for each in tags for pair in itertools.pairwise(each)]
        groups = sentence_groups(posterior, gold, group)
        each = np.repeat(groups, np.maximum(posterior.lengths - 1, 0))
        return Pairs(np.array(y), q.clip(0.0, 1.0), group=each)

    def tallies(
        self,
        posterior: Chain,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of such neighbours in each sentence, of all its neighbours."""
        wanted, asked = (self.first, self.second), np.maximum(posterior.lengths - 1, 0)

        def number(tags: Sequence[str]) -> int:
            return sum(pair == wanted for pair in itertools.pairwise(tags))

        steps = pair_steps(posterior, *wanted)
        return tally_sentences(posterior, steps, number, asked, gold, group, by)

    def keys(self, posterior: Chain) -> Keys:
        """The sentence and the two words of each pair."""
        return word_keys(posterior, 2)


def word_keys(posterior: Chain, count: int) -> Keys:
    """All runs of `count` words: sentence, first word, and the word after the last."""
    many = np.maximum(posterior.lengths - count + 1, 0)
    sentence = np.repeat(np.arange(len(posterior)), many)
    begin = np.arange(sentence.size) - np.repeat(np.cumsum(many) - many, many)
    return {"sentence": sentence, "begin": begin, "end": begin + count}
