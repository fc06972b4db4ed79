"""What training a conditional random field makes small, and its gradient."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels import crf as kernels
from calibrant.kernels.chain import marginals
from calibrant.kernels.threads import waiting_threads
from calibrant.models.encoding import Encoded, Int, Small

Float = NDArray[np.float64]
PARTS = 16  # always as many, so that sums do not depend on how many cores there are


def at_once(work: Callable[..., None], *arguments: Iterable[int]) -> None:
    """Do work for each of the arguments, several at a time."""
    list(waiting_threads().map(work, *arguments))


def in_parts(work: Callable[[int, int, int], None], count: int) -> None:
    """Do `work(part, begin, end)` for every part of 0 .. count."""
    ends = np.linspace(0, count, PARTS + 1).astype(int).tolist()
    at_once(work, range(PARTS), ends[:-1], ends[1:])


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of a conditional random field: of attributes with tags, and of moves."""

    pair_start: Int
    pair_tag: Small
    weight: Float
    move: Float

    def scores(self, encoded: Encoded) -> Float:
        """The score of every tag (columns) at every word (rows)."""
        tags = self.move.shape[0]
        rows, score = np.empty((encoded.bundles, tags)), np.empty((len(encoded.bundle), tags))
        self.fill_bundles(encoded, rows)

        def of_words(_: int, begin: int, end: int) -> None:
            kernels.word_scores(begin, end, encoded.bundle, rows, score)

        in_parts(of_words, len(score))
        return score

    def fill_bundles(self, encoded: Encoded, rows: Float) -> None:
        """Fill the score of every tag (columns) that every bundle (rows) brings."""

        def of_bundles(_: int, begin: int, end: int) -> None:
            kernels.bundle_scores(
                begin, end, encoded.hold_start, encoded.hold,
                self.pair_start, self.pair_tag, self.weight, rows,
            )  # fmt: skip

        in_parts(of_bundles, encoded.bundles)


@dataclass(frozen=True, eq=False)
class Objective:
    """Minus the log-likelihood of the gold tags, plus l2 · Σ weight²."""

    encoded: Encoded
    gold: Int
    tags: int
    pair_start: Int
    pair_tag: Small
    l2: float

    @property
    def size(self) -> int:
        """How many weights there are."""
        return int(self.pair_tag.size) + self.tags**2

    def weights(self, values: Float) -> Weights:
        """All weights, from one array of them."""
        move = values[self.pair_tag.size :].reshape(self.tags, self.tags)
        return Weights(self.pair_start, self.pair_tag, values[: self.pair_tag.size], move)

    def __call__(self, values: Float) -> tuple[float, Float]:
        """The objective and its gradient."""
        weights, (rows, score, single) = self.weights(values), self._room
        weights.fill_bundles(self.encoded, rows)
        start, bundle, gold = self.encoded.start, self.encoded.bundle, self.gold
        count = start.size - 1
        pairs, none = np.zeros((PARTS, self.tags, self.tags)), np.zeros(self.tags)
        log_sums, golden = np.zeros(count), np.zeros(count)

        def of_sentences(part: int, begin: int, end: int) -> None:
            chosen = np.arange(begin, end)
            kernels.word_scores(start[begin], start[end], bundle, rows, score)
            kernels.gold_scores(start, score, weights.move, gold, chosen, golden)
            marginals(start, score, weights.move, none, none, chosen, single, pairs[part], log_sums)
            kernels.subtract_gold(start, gold, chosen, single, pairs[part])

        in_parts(of_sentences, count)
        gradient = np.empty(self.size)
        self._to_weights(single, rows, gradient[: self.pair_tag.size])
        gradient[self.pair_tag.size :] = pairs.sum(axis=0).ravel()
        gradient += 2.0 * self.l2 * values
        value = float((log_sums - golden).sum() + self.l2 * (values @ values))
        return value, gradient

    @cached_property
    def _room(self) -> tuple[Float, Float, Float]:
        """Rows of bundles, scores and marginals: made once, for making them takes time."""
        words, tags = len(self.encoded.bundle), self.tags
        return (
            np.empty((self.encoded.bundles, tags)),
            np.empty((words, tags)),
            np.empty((words, tags)),
        )

    def _to_weights(self, single: Float, sums: Float, gradient: Float) -> None:
        encoded = self.encoded
        columns = encoded.columns

        def of_column(column: int) -> None:  # no bundle is in two of them
            kernels.bundle_sums(columns[column], single, sums)

        def of_attributes(_: int, begin: int, end: int) -> None:
            kernels.weight_gradient(
                begin, end, *encoded.holders, self.pair_start, self.pair_tag, sums, gradient
            )

        at_once(of_column, range(len(columns)))
        in_parts(of_attributes, self.pair_start.size - 1)

    @cached_property
    def decay(self) -> Float:
        """The share of an attribute's regularisation that each word bears that has it."""
        return 2.0 * self.l2 / np.maximum(self.encoded.occurrences, 1)
