"""The probability of a given tree, summed over all its derivations."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.unknown import Entry


class Derived(NamedTuple):
    """The derivations of a part of the tree from one symbol.

    Their weight, the expected log-probability of their words and of their rules if derivations are
    drawn by weight, and how many there are.
    """

    weight: float
    words: float
    rules: float
    many: int


class Weights(NamedTuple):
    """The derivations of a part of the tree by symbol; weights are times e^scale."""

    of: dict[int, Derived]
    scale: float


class GoldScores(NamedTuple):
    """The log of the sum over all derivations of a tree, and what `Derived` has of them."""

    log: float
    words: float
    rules: float
    derivations: int


def log_weight(grammar: Grammar, tree: Parse, entries: Sequence[Entry]) -> float:
    """The log of the sum over all derivations of this tree; −∞ if there is none."""
    return gold_scores(grammar, tree, entries).log


def gold_scores(grammar: Grammar, tree: Parse, entries: Sequence[Entry]) -> GoldScores:
    """Sum over all derivations of this tree.

    `entries` are the words as the grammar knows them. The node of a word has one derivation;
    another node has one for each way to combine its children by hidden symbols.
    """
    waiting = list(entries)
    found: list[Weights] = []
    for node, _ in reversed(list(tree.nodes())):  # children before parents
        if node.word is not None:
            found.append(_leaf(grammar, node.label, waiting.pop()))
            continue
        below = [found.pop() for _ in node.children]
        found.append(_phrase(grammar, node.label, below))
    whole = found.pop()
    root = whole.of.get(grammar.code[grammar.root])
    if root is None:
        return GoldScores(-math.inf, 0.0, 0.0, 0)
    return GoldScores(math.log(root.weight) + whole.scale, *root[1:])


def _leaf(grammar: Grammar, label: str, entry: Entry) -> Weights:
    shown = grammar.shown_labels
    tags = [(tag, p) for tag, p in grammar.tags_of[entry] if shown[tag] == label]
    return _scaled({tag: Derived(p, math.log(p), 0.0, 1) for tag, p in tags}, 0.0)


def _phrase(grammar: Grammar, label: str, below: Sequence[Weights]) -> Weights:
    """Combine the children of a node: hidden symbols within, its label at the top."""
    many = len(below)
    if many == 1:
        return _join(grammar, label, [(below[0],)])
    table = {(k, k + 1): each for k, each in enumerate(below)}
    for width in range(2, many + 1):
        for a in range(many - width + 1):
            b = a + width
            wanted = label if width == many else None
            parts = [(table[a, k], table[k, b]) for k in range(a + 1, b)]
            table[a, b] = _join(grammar, wanted, parts)
    return table[0, many]


def _join(grammar: Grammar, label: str | None, parts: Sequence[tuple[Weights, ...]]) -> Weights:
    """All rules whose parent has this label, for one child or for all splits into two."""
    shown, rules = grammar.shown_labels, grammar.parents_of
    usable = [part for part in parts if all(each.of for each in part)]
    top = max((sum(each.scale for each in part) for part in usable), default=0.0)
    found: dict[int, Derived] = {}
    for part in usable:
        factor = math.exp(sum(each.scale for each in part) - top)
        for below, (weight, words, inner, many) in _pairs(part):
            for parent, p in rules.get(below, ()):
                if shown[parent] == label:
                    one = Derived(weight * p * factor, words, inner + math.log(p), many)
                    known = found.get(parent)
                    found[parent] = one if known is None else _either(known, one)
    return _scaled(found, top)


def _pairs(part: tuple[Weights, ...]) -> list[tuple[tuple[int, ...], Derived]]:
    if len(part) == 1:
        return [((symbol,), x) for symbol, x in part[0].of.items()]
    one, other = part
    return [((a, b), _both(x, y)) for a, x in one.of.items() for b, y in other.of.items()]


def _both(one: Derived, other: Derived) -> Derived:
    """The derivations of two parts together."""
    weight, many = one.weight * other.weight, one.many * other.many
    return Derived(weight, one.words + other.words, one.rules + other.rules, many)


def _either(one: Derived, other: Derived) -> Derived:
    """The derivations of one kind or another."""
    weight = one.weight + other.weight
    if not weight > 0:
        return one
    share = one.weight / weight
    return Derived(
        weight,
        share * one.words + (1 - share) * other.words,
        share * one.rules + (1 - share) * other.rules,
        one.many + other.many,
    )


def _scaled(of: dict[int, Derived], scale: float) -> Weights:
    top = max((each.weight for each in of.values()), default=0.0)
    if not top > 0:
        return Weights({}, -math.inf)
    scaled = {symbol: each._replace(weight=each.weight / top) for symbol, each in of.items()}
    return Weights(scaled, scale + math.log(top))
