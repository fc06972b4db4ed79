"""All parses of a short sentence, one by one: the oracle of every sum over them."""

from functools import lru_cache

import numpy as np

from calibrant.parses import Parse
from calibrant.posteriors import Grammar

WORDS = ("a", "b", "c")


def random_grammar(seed, cycles=False, scale=1.0):
    """Two phrases, a hidden symbol and two tags; with unary rules, round in circles if wanted."""
    rng = np.random.default_rng([seed, 5])

    def p(low=0.1):
        return float(rng.uniform(low, 1.0)) * scale

    binary = {
        ("S", "X", "Y"): p(), ("S", "X", "@S|X"): p(), ("@S|X", "t", "Y"): p(),
        ("X", "Y", "u"): p(), ("Y", "t", "X"): p(), ("Y", "Y", "Y"): p(), ("X", "X", "t"): p(),
    }  # fmt: skip
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
