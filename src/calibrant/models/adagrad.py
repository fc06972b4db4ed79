"""Mini-batch AdaGrad for conditional random fields."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels import crf as kernels
from calibrant.kernels.chain import marginals
from calibrant.models.objective import Objective

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PARTS = 2  # of a batch, always, so that sums do not depend on how many cores there are


@dataclass(eq=False)
class Room:
    """Arrays that every batch needs, made once."""

    objective: Objective
    batch: int
    slot: Int = field(init=False)
    seen: NDArray[np.bool_] = field(init=False)
    gradient: Float = field(init=False)

    def __post_init__(self) -> None:
        encoded = self.objective.encoded
        longest = np.sort(np.diff(encoded.start))[-self.batch :].sum()
        tags, columns = self.objective.tags, encoded.bundle.shape[1]
        most = min(int(longest) * columns, encoded.bundles)
        self.slot = np.full(encoded.bundles, -1, np.int64)
        self.used, self.count = np.empty(most, np.int64), np.empty(most, np.int64)
        self.rows = np.empty((most, tags))
        self.place = np.empty(longest, np.int64)
        self.score, self.single = np.empty((longest, tags)), np.empty((longest, tags))
        attributes = self.objective.pair_start.size - 1
        self.seen, self.touched = np.zeros(attributes, bool), np.empty(attributes, np.int64)
        self.gradient = np.zeros(self.objective.pair_tag.size)
        self.none = np.zeros(tags)


def epoch(
    objective: Objective, values: Float, square: Float, order: Int, batch: int, rate: float,
    room: Room, pool: ThreadPoolExecutor,
) -> None:  # fmt: skip
    """One pass over the sentences in this order, `batch` at a time; changes `values`."""
    for begin in range(0, order.size, batch):
        step(objective, values, square, order[begin : begin + batch], rate, room, pool)


def step(
    objective: Objective, values: Float, square: Float, chosen: Int, rate: float,
    room: Room, pool: ThreadPoolExecutor,
) -> None:  # fmt: skip
    """One step on these sentences."""
    encoded, tags = objective.encoded, objective.tags
    weights = objective.weights(values)
    of_attributes = (encoded.hold_start, encoded.hold, weights.pair_start, weights.pair_tag)
    begins = np.empty(chosen.size + 1, np.int64)
    met, words = kernels.batch_scores(
        chosen, encoded.start, encoded.bundle, *of_attributes, weights.weight,
        room.slot, room.used, room.rows, room.place, begins, room.score,
    )  # fmt: skip
    gold = objective.gold[room.place[:words]]
    pairs, sums = np.zeros((PARTS, tags, tags)), np.empty(chosen.size)
    parts = np.array_split(np.arange(chosen.size), PARTS)

    def work(part: int) -> None:
        marginals(
            begins, room.score, weights.move, room.none, room.none, parts[part],
            room.single, pairs[part], sums,
        )  # fmt: skip
        kernels.subtract_gold(begins, gold, parts[part], room.single, pairs[part])

    list(pool.map(work, range(PARTS)))
    many = kernels.batch_gradient(
        words, met, room.place, encoded.bundle, *of_attributes, weights.weight, room.single,
        objective.decay, room.slot, room.used, room.rows, room.count, room.seen, room.touched,
        room.gradient,
    )  # fmt: skip
    size = weights.weight.size
    kernels.adagrad_step(
        many, room.touched, room.seen, weights.pair_start, rate,
        values[:size], square[:size], room.gradient,
    )  # fmt: skip
    share = 2.0 * objective.l2 * chosen.size / (encoded.start.size - 1)
    gradient = pairs.sum(axis=0).ravel() + share * values[size:]
    square[size:] += gradient**2
    values[size:] -= rate * gradient / np.sqrt(np.maximum(square[size:], 1e-300))
