"""How many constituents of a label a sentence has: the exact distribution."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs.tallies import Tallies
from calibrant.structures.tallying import Counts, shares, unit_groups
from calibrant.structures.trees.charts import longest_first
from calibrant.structures.trees.gold import known_trees
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.unary import Rows, marked_chains

Float = NDArray[np.float64]
Complex = NDArray[np.complex128]
Sums = Callable[[Complex], tuple[Complex, Float]]
FOLDED = 1e-13  # chance of large numbers that may be folded onto small ones
NOISE = 1e-14  # rounding errors of a transform, which are not chances
SAMPLES = 1000  # of trees without a grammar
WIDEST = 200.0  # decimal digits that the sums of one chart may be apart


def tally_parses(
    tree: Tree,
    label: str | None,
    number: Callable[[Parse], int],
    gold: object,
    group: object,
    by: Mapping[str, Any] | None,
) -> Tallies:
    """One unit per sentence: how many the posterior, its mode and the gold have."""
    true = known_trees(tree, gold)
    exact = type(tree) is Tree  # scores of spans have no grammar
    pmf = count_chances(tree, label) if exact else _drawn(tree, number)
    counts = Counts(pmf, tree.lengths, number)
    return counts.tallies(tree.mode, true, unit_groups(len(tree), gold, group, "sentence"), by)


def _drawn(tree: Tree, number: Callable[[Parse], int]) -> list[Float]:
    """The shares of samples."""
    return [shares([number(each) for each in drawn]) for drawn in tree.sample(SAMPLES)]


def count_chances(tree: Tree, label: str | None) -> list[Float]:
    """For each sentence, the probabilities that 0, 1, 2, ... spans have a label (None: any)."""
    kinds = {id(each): each for each in map(tree.grammar_of, range(len(tree)))}
    chains = {key: _chains(each, label) for key, each in kinds.items()}

    def work(k: int) -> Float:
        grammar = tree.grammar_of(k)
        return _distribution(grammar, tree.entries[k], k, chains[id(grammar)])

    return longest_first(work, tree.lengths)


def _chains(grammar: Grammar, label: str | None) -> Rows:
    """Chains of unary rules, with and without the label."""
    group = grammar.ready.group
    if label is None:
        counts = group >= 0
    elif label in grammar.labels:
        counts = group == grammar.labels.index(label)
    else:
        counts = np.zeros(group.size, bool)
    return marked_chains(grammar.chains, counts)


def _distribution(grammar: Grammar, entries: Sequence[Any], sentence: int, chains: Rows) -> Float:
    """E[s^X] at roots of unity, transformed."""
    most = 2 * len(entries) - 1  # spans of a binary tree, each of which counts once at most
    sums = _sums_of(grammar, entries, sentence, chains)
    size = _size(sums, most)
    points = np.exp(2j * np.pi * np.arange(size // 2 + 1) / size)
    value, scale = sums(points)
    ratio = value / value[0] * np.exp(scale - scale[0])
    chances = np.fft.irfft(np.conj(ratio), size)
    chances[chances < NOISE] = 0.0
    return np.trim_zeros(chances / chances.sum(), "b")


def _size(sums: Sums, most: int) -> int:
    """How many numbers to tell apart: larger ones have less than `FOLDED` of the probability.

    By Chernoff's bound, P(X ≥ n) ≤ E[s^X] / s^n for every s > 1.
    """
    bases = np.array([1.0, *np.minimum((3.0, 20.0, 300.0), 10 ** (WIDEST / most))])
    value, scale = sums(bases.astype(complex))
    logs = np.log(value.real) + scale
    needed = (logs[1:] - logs[0] - np.log(FOLDED)) / np.log(bases[1:])
    size = min(int(np.ceil(needed.min())), most + 1)
    return max(size + size % 2, 2)


def _sums_of(grammar: Grammar, entries: Sequence[Any], sentence: int, chains: Rows) -> Sums:
    """A function that sums over all parses for each s, and also returns logs of factors."""
    from calibrant.kernels.trees.counting import POINTS, counted_sums, likely_nodes

    words, ready = grammar.tagging(entries, sentence), grammar.ready
    root, (pairs, right, *_) = grammar.code[grammar.root], ready.by_pair
    left = np.repeat(np.arange(pairs.size - 1), np.diff(pairs))
    rules = ready.by_pair, ready.pair_by_parent
    ends = grammar.chains.up, grammar.chains.down
    nodes = likely_nodes(len(grammar.symbols), *words, root, *rules, *ends)

    def sums(s: Complex) -> tuple[Complex, Float]:
        rows = np.resize(s, (-(-s.size // POINTS), POINTS))
        found, scales = np.empty(rows.shape, complex), np.empty(rows.shape)
        for k, row in enumerate(rows):
            parts = np.concatenate([row.real, row.imag])
            value, scale = counted_sums(*words, root, left, right, rules[1], chains, nodes, parts)
            found[k], scales[k] = value[:POINTS] + 1j * value[POINTS:], scale
        return found.ravel()[: s.size], scales.ravel()[: s.size]

    return sums
