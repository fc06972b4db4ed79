"""The likelihood of gold entities under `Links`, as a function of their temperatures."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.coreference.gold import gold_entities
from calibrant.structures.coreference.links import KINDS, Links
from calibrant.structures.tempering.likelihood import Likelihood, Measured

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LinksLikelihood(Likelihood):
    """The likelihood of the gold antecedents of mentions, document by document.

    A gold choice is any earlier mention of the entity, or new if there is none. Mentions whose gold
    choices are all impossible are left out of their document.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    names: tuple[str, ...]
    posterior: Links
    gold: list[Int]
    chances: list[NDArray[np.bool_]]  # whether the gold of each mention is possible
    sizes: Int
    possible: NDArray[np.bool_]
    of: str = "mention"

    @classmethod
    def of_gold(cls, posterior: Links, gold: object, separate: bool = False) -> Self:
        """Check the gold entities."""
        from calibrant.kernels.coreference.tempering import possible_gold

        entities = gold_entities(posterior, gold)
        chances = []
        for k, entity in enumerate(entities):
            possible = np.empty(entity.size, np.bool_)
            possible_gold(posterior.document(k), entity, possible)
            chances.append(possible)
        sizes = np.array([int(each.sum()) for each in chances])
        return cls(cls.names_of(separate), posterior, entities, chances, sizes, sizes > 0)

    @property
    def set_aside(self) -> tuple[int, int, str]:
        """Mentions whose gold choices are impossible, of all mentions."""
        every = int(self.posterior.lengths.sum())
        return every - int(self.sizes.sum()), every, "mention"

    def measure(self, at: Float, items: Int) -> Measured:
        """Measure the log-likelihood of some documents."""
        from calibrant.kernels.coreference.tempering import gold_likelihood

        found = self.temperatures(at)
        factors = (1 / found["old"], 1 / found["new"], float(found["bias"]))
        log, slope = np.empty(items.size), np.empty((items.size, 3))
        for row, k in enumerate(items.tolist()):
            links, entity = self.posterior.document(k), self.gold[k]
            log[row] = gold_likelihood(links, entity, self.chances[k], factors, slope[row])
        if len(self.names) == 1:
            return Measured(log, slope[:, :2].sum(axis=1, keepdims=True))
        return Measured(log, slope)
