"""The likelihood of gold trees under a `SpanTree`, as a function of its temperature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.tempering.likelihood import Likelihood, Measured
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.span_scores import SpanTree, log_sum

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SpanLikelihood(Likelihood):
    """The likelihood of the gold constituents of sentences, over all ways to split them in two."""

    kinds: ClassVar[tuple[str, ...]] = ()
    names: tuple[str, ...]
    posterior: SpanTree
    gold: Sequence[Parse]
    right: list[Float]  # the scores of each sentence, −∞ where the gold tree differs
    sizes: Int
    possible: NDArray[np.bool_]
    of: str = "word"

    @classmethod
    def of_gold(cls, posterior: SpanTree, gold: object, separate: bool = False) -> Self:
        """Check the gold trees, and mask what they exclude."""
        if separate:
            raise InputError("Scores of spans are of one kind, so they have one temperature.")
        trees = gold_trees(posterior, gold)
        right = [posterior.allowed(k, tree) for k, tree in enumerate(trees)]
        possible = np.array([np.isfinite(_summed(chart)[0]) for chart in right])
        names = cls.names_of(separate)
        return cls(names, posterior, trees, right, posterior.lengths, possible)

    def measure(self, at: Float, items: Int) -> Measured:
        """Measure the log-likelihood of some sentences."""
        factor = float(np.exp(-at[0]))
        log, slope = np.empty(items.size), np.empty((items.size, 1))
        for row, k in enumerate(items.tolist()):
            true, its = _summed(self.right[k] * factor)
            whole, every = _summed(self.posterior.charts[k] * factor)
            log[row], slope[row, 0] = true - whole, every - its
        return Measured(log, slope)


def _summed(chart: Float) -> tuple[float, float]:
    """The log of the sum over trees, and their expected score."""
    from calibrant.kernels.trees.spans import inside, span_logs

    whole = log_sum(chart)
    inner = inside(whole)
    total = float(inner[0, -1])
    if total == -np.inf:
        return total, 0.0
    logs = span_logs(whole, inner)
    used = (logs > -np.inf)[..., None] & (chart > -np.inf)
    used &= np.triu(np.ones(whole.shape, bool))[..., None]
    with np.errstate(invalid="ignore"):  # spans that no tree has
        share = np.exp(chart - whole[..., None] + logs[..., None])
    return total, float((share[used] * chart[used]).sum())
