"""Mini-batch AdaGrad for conditional random fields."""

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels import crf as kernels
from calibrant.kernels.chain import marginals
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
        self._score, self._single = np.empty((words, tags)), np.empty((words, tags))
        self._seen, self._touched = np.zeros(attributes, bool), np.empty(attributes, np.int64)
        self._gradient, self._none = np.zeros(self.objective.pair_tag.size), np.zeros(tags)

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
        met, words = kernels.batch_scores(
            chosen, encoded.start, encoded.bundle, *known, weights.weight,
            self._slot, self._used, self._rows, self._place, begins, self._score,
        )  # fmt: skip
        gold = self.objective.gold[self._place[:words]]
        pairs, sums = np.zeros((PARTS, tags, tags)), np.empty(chosen.size)
        parts = np.array_split(np.arange(chosen.size), PARTS)

        def work(part: int) -> None:
            marginals(
                begins, self._score, weights.move, self._none, self._none, parts[part],
                self._single, pairs[part], sums,
            )  # fmt: skip
            kernels.subtract_gold(begins, gold, parts[part], self._single, pairs[part])

        list(waiting_threads().map(work, range(PARTS)))
        many = kernels.batch_gradient(
            words, met, self._place, encoded.bundle, *known, weights.weight, self._single,
            self.objective.decay, self._slot, self._used, self._rows, self._count,
            self._seen, self._touched, self._gradient,
        )  # fmt: skip
        size = weights.weight.size
        kernels.adagrad_step(
            many, self._touched, self._seen, weights.pair_start, self.rate,
            self.values[:size], self.square[:size], self._gradient,
        )  # fmt: skip
        self._step_of_moves(pairs.sum(axis=0).ravel(), chosen.size / (encoded.start.size - 1))

    def _step_of_moves(self, gradient: Float, share: float) -> None:
        size = self.objective.pair_tag.size
        values, square = self.values[size:], self.square[size:]
        gradient = gradient + share * 2.0 * self.objective.l2 * values
        square += gradient**2
        values -= self.rate * gradient / np.sqrt(np.where(square > 0, square, 1.0))
