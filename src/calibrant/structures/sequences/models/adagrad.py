"""Mini-batch AdaGrad for conditional random fields."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.sequences import crf as kernels
from calibrant.kernels.threads import at_once
from calibrant.structures.sequences.models.objective import Objective

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PARTS = 2  # parts of a batch: fixed, so that sums do not depend on the number of cores


class Descent:
    """A run of AdaGrad: the `values` so far, and the sums of their squared gradients, `square`.

    Every step takes a few sentences, computes their part of the objective's gradient, and divides
    it, weight by weight, by the root of the sum of all squared gradients so far (Duchi, Hazan and
    Singer 2011). Only the weights of attributes in these sentences change. Each word contributes
    its share of the regularisation of its attributes; over a pass, the shares add up to the whole.
    """

    def __init__(
        self, objective: Objective, batch: int, rate: float, values: Float, square: Float
    ) -> None:
        self.objective, self.batch, self.rate = objective, batch, rate
        self.values, self.square = values, square
        self._make_room()

    def _make_room(self) -> None:
        """Allocate the arrays that every batch needs, once."""
        encoded, tags = self.objective.encoded, self.objective.tags
        words = int(np.sort(np.diff(encoded.start))[-self.batch :].sum())
        most = min(words * encoded.bundle.shape[1], encoded.bundles)
        attributes = self.objective.pair_start.size - 1
        self._slot = np.full(encoded.bundles, -1, np.int64)
        self._used, self._count = np.empty(most, np.int64), np.empty(most, np.int64)
        self._rows, self._single = np.empty((most, tags)), np.empty((words, tags))
        self._local = np.empty((words, encoded.bundle.shape[1]), np.int32)
        self._gold = np.empty(words, np.int64)
        self._seen = np.zeros(attributes, bool)
        self._touched = np.empty((PARTS, attributes), np.int64)
        self._gradient = np.zeros(self.objective.pair_tag.size)

    def epoch(self, seed: int, number: int) -> None:
        """Make one pass over all sentences, in an order set by the seed and the pass number."""
        count = self.objective.encoded.start.size - 1
        order = np.random.default_rng([seed, number]).permutation(count)
        for begin in range(0, count, self.batch):
            self._step(order[begin : begin + self.batch])

    def _step(self, chosen: Int) -> None:
        encoded, tags = self.objective.encoded, self.objective.tags
        weights = self.objective.weights(self.values)
        known = weights.known(encoded)
        begins = np.empty(chosen.size + 1, np.int64)
        batch = (self._slot, self._used, self._count, begins, self._local, self._gold)
        met = kernels.gather_batch(
            chosen, encoded.start, encoded.bundle, self.objective.gold, *batch
        )
        local, rows, pairs = self._local[: begins[-1]], self._rows, np.zeros((PARTS, tags, tags))
        columns, size = np.arange(local.shape[1]), weights.weight.size

        def of_bundles(part: int) -> None:
            begin, end = part * met // PARTS, (part + 1) * met // PARTS
            kernels.bundle_scores(begin, end, self._used, *known, weights.weight, rows)

        def of_sentences(part: int) -> None:
            begin, end = part * chosen.size // PARTS, (part + 1) * chosen.size // PARTS
            into = self._single, pairs[part]
            kernels.residuals(begin, end, begins, local, rows, self._gold, weights.move, *into)

        def of_columns(part: int) -> None:
            kernels.bundle_sums(columns[part::PARTS], local, self._single, rows)

        def of_attributes(part: int) -> None:
            share = part, PARTS, met
            how = self.objective.decay, self.rate, self._seen, self._touched[part]
            descent = self.values[:size], self.square[:size], self._gradient
            kernels.batch_step(*share, self._used, *known, rows, self._count, *how, *descent)

        at_once(of_bundles, range(PARTS))
        at_once(of_sentences, range(PARTS))
        rows[:met] = 0.0
        at_once(of_columns, range(PARTS))
        at_once(of_attributes, range(PARTS))
        self._step_of_moves(pairs.sum(axis=0).ravel(), chosen.size / (encoded.start.size - 1))

    def _step_of_moves(self, gradient: Float, share: float) -> None:
        size = self.objective.pair_tag.size
        values, square = self.values[size:], self.square[size:]
        gradient = gradient + share * 2.0 * self.objective.l2 * values
        square += gradient**2
        values -= self.rate * gradient / np.sqrt(np.where(square > 0, square, 1.0))
