"""The training objective of a conditional random field, and its gradient."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.sequences import crf as kernels
from calibrant.kernels.threads import at_once
from calibrant.structures.sequences.models.encoding import Encoded, Int, Small

Float = NDArray[np.float64]
PARTS = 16  # fixed, so that sums do not depend on the number of cores


def in_parts(work: Callable[[int, int, int], None], count: int) -> None:
    """Run `work(part, begin, end)` in parallel for every part of 0 .. count."""
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
        """Fill in the score that every bundle (rows) adds to every tag (columns)."""
        every = np.arange(encoded.bundles)

        def of_bundles(_: int, begin: int, end: int) -> None:
            kernels.bundle_scores(begin, end, every, *self.known(encoded), self.weight, rows)

        in_parts(of_bundles, encoded.bundles)

    def known(self, encoded: Encoded) -> tuple[Int, Small, Int, Small]:
        """The attributes of bundles and the tags of attributes, in the format of the kernels."""
        return encoded.hold_start, encoded.hold, self.pair_start, self.pair_tag


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
        """The number of weights."""
        return int(self.pair_tag.size) + self.tags**2

    def weights(self, values: Float) -> Weights:
        """Unpack all weights from one array."""
        move = values[self.pair_tag.size :].reshape(self.tags, self.tags)
        return Weights(self.pair_start, self.pair_tag, values[: self.pair_tag.size], move)

    def __call__(self, values: Float) -> tuple[float, Float]:
        """The objective and its gradient."""
        weights, (rows, single) = self.weights(values), self._room
        weights.fill_bundles(self.encoded, rows)
        start, bundle = self.encoded.start, self.encoded.bundle
        pairs, lost = np.zeros((PARTS, self.tags, self.tags)), np.zeros(PARTS)

        def of_sentences(part: int, begin: int, end: int) -> None:
            lost[part] = kernels.residuals(
                begin, end, start, bundle, rows, self.gold, weights.move, single, pairs[part]
            )

        in_parts(of_sentences, start.size - 1)
        gradient = np.empty(self.size)
        self._to_weights(single, rows, gradient[: self.pair_tag.size])
        gradient[self.pair_tag.size :] = pairs.sum(axis=0).ravel()
        gradient += 2.0 * self.l2 * values
        return float(lost.sum() + self.l2 * (values @ values)), gradient

    @cached_property
    def _room(self) -> tuple[Float, Float]:
        """Arrays for bundles and words, allocated once."""
        return (
            np.empty((self.encoded.bundles, self.tags)),
            np.empty((len(self.encoded.bundle), self.tags)),
        )

    def _to_weights(self, single: Float, sums: Float, gradient: Float) -> None:
        encoded = self.encoded
        columns = np.arange(encoded.bundle.shape[1])

        def clear(_: int, begin: int, end: int) -> None:
            sums[begin:end] = 0.0

        def of_columns(part: int) -> None:
            kernels.bundle_sums(columns[part::2], encoded.bundle, single, sums)

        def of_attributes(_: int, begin: int, end: int) -> None:
            kernels.weight_gradient(
                begin, end, *encoded.holders, self.pair_start, self.pair_tag, sums, gradient
            )

        in_parts(clear, encoded.bundles)
        at_once(of_columns, range(2))
        in_parts(of_attributes, self.pair_start.size - 1)

    @cached_property
    def decay(self) -> Float:
        """The share of the regularisation of an attribute for each word that has it."""
        return 2.0 * self.l2 / np.maximum(self.encoded.occurrences, 1)
