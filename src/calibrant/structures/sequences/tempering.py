"""The likelihood of gold tags under a `Chain`, as a function of its temperatures."""

import itertools
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.threads import at_once, workers
from calibrant.structures.sequences.chain import KINDS, Chain
from calibrant.structures.sequences.gold import Tags, gold_tags
from calibrant.structures.tempering.likelihood import Likelihood, Measured, by_name

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ChainLikelihood(Likelihood):
    """The likelihood of the tag sequences of sentences.

    Sentences with a tag that the model does not know, or that it forbids there, are impossible.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    names: tuple[str, ...]
    posterior: Chain
    gold: Tags
    words: Float  # (sentences,) the score of the gold tags of the words
    moves: Float  # (sentences,) the score of the gold moves, the first and the last tag included
    sizes: Int
    possible: NDArray[np.bool_]
    of: str = "word"

    @classmethod
    def of_gold(cls, posterior: Chain, gold: object, separate: bool = False) -> Self:
        """Check the gold tags, and score them."""
        tags = gold_tags(posterior, gold)
        column = {tag: k for k, tag in enumerate(posterior.tags)}
        codes = np.array(
            [column.get(tag, -1) for tag in itertools.chain.from_iterable(tags)], np.int64
        )
        words, moves = _gold_scores(posterior, codes)
        possible = np.isfinite(words + moves)
        return cls(
            cls.names_of(separate), posterior, tags, words, moves, posterior.lengths, possible
        )

    def measure(self, at: Float, items: Int) -> Measured:
        """Measure the log-likelihood of some sentences."""
        from calibrant.kernels.sequences.tempering import expected_scores

        chain = self.posterior.tempered(self.temperatures(at))
        total, words, moves = np.empty((3, len(chain)))
        parts = [part for part in np.array_split(items, workers()) if part.size]

        def work(k: int) -> None:
            expected_scores(*chain.scores, parts[k], total, words, moves)

        at_once(work, range(len(parts)))
        factor = by_name(self, at)
        if len(self.names) == 1:
            right = (self.words + self.moves)[items] * factor[self.names[0]]
            slope = (words + moves)[items] - right
            return Measured(right - total[items], slope[:, None])
        kinds = zip(self.names, (self.words, self.moves), strict=True)
        right_of = np.stack([held[items] * factor[name] for name, held in kinds], axis=1)
        expected = np.stack([words[items], moves[items]], axis=1)
        return Measured(right_of.sum(axis=1) - total[items], expected - right_of)


def _gold_scores(chain: Chain, codes: Int) -> tuple[Float, Float]:
    """The scores of the gold tags and moves of each sentence; −∞ with an unknown tag."""
    known = codes >= 0
    of_word = np.where(known, chain.score[np.arange(codes.size), codes], -np.inf)
    words, moves = np.zeros(len(chain)), np.zeros(len(chain))
    full = np.flatnonzero(chain.lengths)
    begin, end = chain.start[full], chain.start[full + 1] - 1
    words[full] = np.add.reduceat(of_word, begin) if full.size else 0.0
    follows = np.zeros(codes.size)
    follows[1:] = chain.move[codes[:-1], codes[1:]]
    follows[begin] = chain.first[codes[begin]]
    moves[full] = np.add.reduceat(follows, begin) if full.size else 0.0
    moves[full] += chain.last[codes[end]]
    return words, moves
