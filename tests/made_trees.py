"""Treebanks that tests make themselves."""

import numpy as np

from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.treebank import Treebank

RULES = {
    "ROOT": [(["S"], 1.0)],
    "S": [(["NP", "VP"], 0.8), (["NP", "VP", "PP"], 0.2)],
    "NP": [(["DT", "NN"], 0.5), (["NP", "PP"], 0.2), (["NN"], 0.3)],
    "VP": [(["VB", "NP"], 0.6), (["VB"], 0.2), (["VP", "PP"], 0.2)],
    "PP": [(["IN", "NP"], 1.0)],
}
WORDS = {"DT": ["the", "a"], "NN": ["dog", "cat", "tree"], "VB": ["sees", "eats"], "IN": ["in"]}


def grown(rng, usual, label="ROOT", depth=0):
    """A tree by these rules, or, where it is not a usual one, by all rules alike."""
    if label in WORDS:
        return Parse(label, (), str(rng.choice(WORDS[label])))
    ways, chances = zip(*RULES[label], strict=True)
    chosen = ways[rng.choice(len(ways), p=chances if usual else None)] if depth < 6 else ways[0]
    return Parse(label, tuple(grown(rng, usual, each, depth + 1) for each in chosen))


def load(name, part):
    rng = np.random.default_rng([len(name), len(part)])
    trees = tuple(grown(rng, part == "train") for _ in range(120))
    return Treebank(trees, tuple(f"doc{k // 10}" for k in range(120)), f"{name} {part}")
