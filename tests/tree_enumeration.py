"""All parses of a short sentence, one by one: the oracle of every sum over them."""

from functools import lru_cache

import numpy as np

from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse

WORDS = ("a", "b", "c")


def random_grammar(seed, cycles=False, scale=1.0):
    """Two phrases, a hidden symbol and two tags; with unary rules, round in circles if wanted."""
    rng = np.random.default_rng([seed, 5])

    def p(low=0.1):
        return float(rng.uniform(low, 1.0)) * scale

    binary = {
        ("S", "X", "Y"): p(),
        ("S", "X", "@S|X"): p(),
        ("@S|X", "t", "Y"): p(),
        ("X", "Y", "u"): p(),
        ("Y", "t", "X"): p(),
        ("Y", "Y", "Y"): p(),
        ("X", "X", "t"): p(),
    }
    keep = rng.random(len(binary)) < 0.8
    binary = {rule: each for (rule, each), kept in zip(binary.items(), keep, strict=True) if kept}
    binary["S", "X", "Y"] = p()
    small = 0.1 * scale
    unary = {("X", "t"): p(), ("Y", "u"): p(), ("Y", "t"): p(), ("S", "X"): p(), ("X", "Y"): small}
    if cycles:
        unary |= {("Y", "X"): small, ("Y", "Y"): small / 4}
    words = {(tag, word): p() for tag in "tu" for word in WORDS if rng.random() < 0.8}
    words |= {("t", "a"): p(), ("u", "b"): p(), ("t", "c"): p()}
    return Grammar(binary, unary, words, root="S")


def all_derivations(grammar, words, longest=8):
    """Every derivation with chains of at most so many unary rules, and its weight."""

    @lru_cache(None)
    def derive(symbol, i, j, left):
        found = []
        label = grammar.shown(symbol)
        if j == i + 1 and (symbol, words[i]) in grammar.words:
            found.append((grammar.words[symbol, words[i]], (Parse(label, (), words[i]),)))
        for (parent, one, other), p in grammar.binary.items():
            if parent != symbol:
                continue
            for k in range(i + 1, j):
                for x, first in derive(one, i, k, longest):
                    for y, second in derive(other, k, j, longest):
                        below = first + second
                        found.append(
                            (p * x * y, below if label is None else (Parse(label, below),))
                        )
        for (parent, child), p in grammar.unary.items():
            if parent == symbol and left > 0:
                found += [
                    (p * x, (Parse(label, below),)) for x, below in derive(child, i, j, left - 1)
                ]
        return found

    return [(x, tree[0]) for x, tree in derive(grammar.root, 0, len(words), longest)]


class Dense:
    """Sums over all derivations, cycles to their end, by linear algebra with whole matrices.

    An oracle that shares nothing with the kernels: no lists of rules, no scales, no outside sums.
    What a symbol is over a span solves v = base + U v, the equation of chains of unary rules. A
    marginal is the share that is lost where symbols are forbidden over one span.
    """

    def __init__(self, grammar, words):
        self.grammar, self.words = grammar, words
        code, size = grammar.code, len(grammar.symbols)
        self.rule, self.unary = np.zeros((size, size, size)), np.zeros((size, size))
        for (a, b, c), p in grammar.binary.items():
            self.rule[code[a], code[b], code[c]] += p
        for (a, b), p in grammar.unary.items():
            self.unary[code[a], code[b]] += p

    def total(self, span=None, forbidden=()):
        """The sum over all derivations without these symbols over this span."""
        size, length = len(self.grammar.symbols), len(self.words)
        found = {}
        for width in range(1, length + 1):
            for i in range(length - width + 1):
                keep = np.ones(size, bool)
                if span == (i, i + width):
                    keep[list(forbidden)] = False
                base = self._base(found, i, i + width)[keep]
                value = np.zeros(size)
                chains = np.eye(keep.sum()) - self.unary[np.ix_(keep, keep)]
                value[keep] = np.linalg.solve(chains, base)
                found[i, i + width] = value
        return found[0, length][self.grammar.code[self.grammar.root]]

    def best(self):
        """The weight of the best derivation: v = max(base, U v), over and over."""
        length, found = len(self.words), {}
        for width in range(1, length + 1):
            for i in range(length - width + 1):
                value = base = self._base(found, i, i + width, best=True)
                for _ in range(len(self.grammar.symbols)):  # no best chain has a symbol twice
                    value = np.maximum(base, (self.unary * value).max(axis=1))
                found[i, i + width] = value
        return found[0, length][self.grammar.code[self.grammar.root]]

    def _base(self, found, i, j, best=False):
        base = np.zeros(len(self.grammar.symbols))
        if j == i + 1:
            for (tag, word), p in self.grammar.words.items():
                if word == self.words[i]:
                    base[self.grammar.code[tag]] += p
        for k in range(i + 1, j):
            each = self.rule * found[i, k][:, None] * found[k, j]
            base = np.maximum(base, each.max(axis=(1, 2))) if best else base + each.sum(axis=(1, 2))
        return base

    def marginal(self, i, j, label=None):
        """The probability of a constituent, of a label or of any."""
        shown, tags = self.grammar.shown_labels, self.grammar.tags
        out = [
            k
            for k, name in enumerate(self.grammar.symbols)
            if name not in tags and shown[k] is not None and label in (None, shown[k])
        ]
        return 1 - self.total((i, j), out) / self.total()

    def tag(self, i, tag):
        """The probability of the tag of a word."""
        return 1 - self.total((i, i + 1), [self.grammar.code[tag]]) / self.total()
