"""Mini-batch AdaGrad for conditional random fields."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels import crf as kernels
from calibrant.kernels.threads import waiting_threads
from calibrant.models.objective import Objective

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PARTS = 2  # of a batch, always, so that sums do not depend on how many cores there are


class Descent:
    """Weights on their way down: `values` so far, and the `square`s of all gradients.

    Every step takes a few sentences, works out their part of the objective's gradient, and
    divides it, weight by weight, by the root of the sum of all squared gradients so far (Duchi,
    Hazan and Singer 2011). Only weights of attributes that the sentences have are touched: each
    word bears its share of the regularisation of its attributes, so that all shares add up to
    the whole.
    """

    def __init__(
        self, objective: Objective, batch: int, rate: float, values: Float, square: Float
    ) -> None:
        self.objective, self.batch, self.rate = objective, batch, rate
        self.values, self.square = values, square
        self._make_room()

    def _make_room(self) -> None:
        """Arrays that every batch needs, made once."""
        encoded, tags = self.objective.encoded, self.objective.tags
        words = int(np.sort(np.diff(encoded.start))[-self.batch :].sum())
        most = min(words * encoded.bundle.shape[1], encoded.bundles)
        attributes = self.objective.pair_start.size - 1
        self._slot = np.full(encoded.bundles, -1, np.int64)
        self._used, self._count = np.empty(most, np.int64), np.empty(most, np.int64)
        self._rows, self._place = np.empty((most, tags)), np.empty(words, np.int64)
        self._single = np.empty((words, tags))
        self._seen = np.zeros(attributes, bool)
        self._touched = np.empty((PARTS, attributes), np.int64)
        self._gradient = np.zeros(self.objective.pair_tag.size)

    def epoch(self, seed: int, number: int) -> None:
        """One pass over all sentences, in an order that the seed and the number of it tell."""
        count = self.objective.encoded.start.size - 1
        order = np.random.default_rng([seed, number]).permutation(count)
        for begin in range(0, count, self.batch):
            self._step(order[begin : begin + self.batch])

    def _step(self, chosen: Int) -> None:
        encoded, tags = self.objective.encoded, self.objective.tags
        weights = self.objective.weights(self.values)
        known = (encoded.hold_start, encoded.hold, weights.pair_start, weights.pair_tag)
        begins = np.empty(chosen.size + 1, np.int64)
        met, words = kernels.gather_batch(
            chosen, encoded.start, encoded.bundle, self._slot, self._used, self._place, begins
        )
        pairs = np.zeros((PARTS, tags, tags))
        columns, size = np.arange(encoded.bundle.shape[1]), weights.weight.size
        self._count[:met] = 0

        def of_bundles(part: int) -> None:
            begin, end = part * met // PARTS, (part + 1) * met // PARTS
            kernels.batch_bundles(begin, end, self._used, *known, weights.weight, self._rows)

        def of_sentences(part: int) -> None:
            kernels.batch_residuals(
                part * chosen.size // PARTS, (part + 1) * chosen.size // PARTS, begins,
                self._place, encoded.bundle, self._slot, self._rows, self.objective.gold,
                weights.move, self._single, pairs[part],
            )  # fmt: skip

        def of_columns(part: int) -> None:
            kernels.batch_sums(
                columns[part::PARTS], words, self._place, encoded.bundle, self._slot,
                self._single, self._rows, self._count,
            )  # fmt: skip

        def of_attributes(part: int) -> None:
            kernels.batch_step(
                part, PARTS, met, self._used, *known, self._rows, self._count,
                self.objective.decay, self.rate, self._seen, self._touched[part],
                self.values[:size], self.square[:size], self._gradient,
            )  # fmt: skip

        for work in (of_bundles, of_sentences, of_columns, of_attributes):
            list(waiting_threads().map(work, range(PARTS)))
        self._slot[self._used[:met]] = -1
        self._step_of_moves(pairs.sum(axis=0).ravel(), chosen.size / (encoded.start.size - 1))

    def _step_of_moves(self, gradient: Float, share: float) -> None:
        size = self.objective.pair_tag.size
        values, square = self.values[size:], self.square[size:]
        gradient = gradient + share * 2.0 * self.objective.l2 * values
        square += gradient**2
        values -= self.rate * gradient / np.sqrt(np.where(square > 0, square, 1.0))
