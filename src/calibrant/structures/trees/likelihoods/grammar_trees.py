"""The likelihood of gold parses under a `Tree`, as a function of its temperatures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.tempering.likelihood import Likelihood, Measured, by_name
from calibrant.structures.trees.charts import longest_first
from calibrant.structures.trees.given_tree import GoldScores
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.rules import ByPair
from calibrant.structures.trees.tree import KINDS, Tree
from calibrant.structures.trees.unary import Chains, close_chains
from calibrant.structures.unknown import Entry

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TreeLikelihood(Likelihood):
    """The likelihood of the gold parses of sentences.

    A gold parse with a rule or a word that the grammar of its sentence lacks is impossible.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    names: tuple[str, ...]
    posterior: Tree
    gold: Sequence[Parse]
    scores: list[GoldScores]  # of the gold parses, without temperatures
    sizes: Int
    possible: NDArray[np.bool_]
    of: str = "word"

    @classmethod
    def of_gold(cls, posterior: Tree, gold: object, separate: bool = False) -> Self:
        """Check the gold trees, and score them."""
        trees = gold_trees(posterior, gold)
        scores = [
            posterior.scores_of(k, tree, posterior.grammar_of(k)) for k, tree in enumerate(trees)
        ]
        possible = np.array([np.isfinite(each.log) for each in scores])
        names = cls.names_of(separate)
        return cls(names, posterior, trees, scores, posterior.lengths, possible)

    def measure(self, at: Float, items: Int) -> Measured:
        """Measure the log-likelihood of some sentences."""
        factor = by_name(self, at)
        words, rules = (factor.get(kind, factor.get("all", 1.0)) for kind in KINDS)
        try:
            ready = [_ready(each, words, rules) for each in self._grammars()]
        except InputError:  # flatter chains of unary rules may have no finite sum
            return Measured(np.full(items.size, -np.inf), np.zeros((items.size, at.size)))
        tree = self.posterior

        def work(row: int) -> tuple[float, float, float]:
            k = int(items[row])
            lost = bool(tree.fell_back[k]) and tree.fallback is not None
            total, *expected = _expected(ready[lost], tree.entries[k], k)
            its = self._gold_scores(k, ready[lost])
            return its.log - total, expected[0] - its.words, expected[1] - its.rules

        found = np.array(longest_first(work, tree.lengths[items])).reshape(-1, 3)
        slope = found[:, 1:]
        return Measured(found[:, 0], slope.sum(axis=1, keepdims=True) if at.size == 1 else slope)

    def _grammars(self) -> list[Grammar]:
        tree = self.posterior
        return [tree.grammar] if tree.fallback is None else [tree.grammar, tree.fallback]

    def _gold_scores(self, k: int, ready: "_Ready") -> GoldScores:
        """The scores of a gold parse; with one derivation, they are multiplied by the powers."""
        plain = self.scores[k]
        if plain.derivations > 1:
            tempered = ready.grammar.tempered(ready.words, ready.rules)
            return self.posterior.scores_of(k, self.gold[k], tempered)
        both = plain.words * ready.words, plain.rules * ready.rules
        return GoldScores(sum(both), *both, 1)


class _Ready(NamedTuple):
    """The arrays of a tempered grammar."""

    grammar: Grammar  # without temperatures
    words: float  # the power of the probabilities of words
    rules: float
    by_pair: ByPair
    by_parent: tuple[Int, Int, Float]
    chains: Chains
    unary: tuple[Int, Int, Float]
    costly: tuple[Int, Int, Float]  # by parent, with p · cost
    most: float


def _ready(grammar: Grammar, words: float, rules: float) -> _Ready:
    """Raise all rules to a power; a grammar of its own would take longer than parsing."""
    plain = grammar.ready
    start, pair, p = plain.pair_by_parent
    p = p**rules
    logs = np.log(p)
    most = float(logs.max(initial=0.0))
    begins, child, single = plain.unary
    parent = np.repeat(np.arange(begins.size - 1), np.diff(begins))
    return _Ready(
        grammar,
        words,
        rules,
        by_pair=(*plain.by_pair[:4], plain.by_pair[4] ** rules),
        by_parent=(start, pair, p),
        chains=close_chains(len(grammar.symbols), parent, child, single**rules),
        unary=(begins, child, single**rules),
        costly=(start, pair, p * (most - logs)),
        most=most,
    )


def _expected(ready: _Ready, entries: Sequence[Entry], k: int) -> tuple[float, float, float]:
    """The log of the sum over parses, and the expected scores of words and of rules."""
    from calibrant.kernels.trees.tempering import expected_scores

    grammar = ready.grammar
    start, tag, p = grammar.tagging(entries, k)
    total, words, rules = expected_scores(
        len(grammar.symbols),
        start,
        tag,
        p**ready.words,
        grammar.code[grammar.root],
        ready.by_pair,
        ready.by_parent,
        ready.chains.up,
        ready.chains.down,
        ready.unary,
        ready.costly,
        ready.most,
    )
    return float(total), float(words), float(rules)
