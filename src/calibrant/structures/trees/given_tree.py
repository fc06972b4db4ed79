"""The probability of a given tree, summed over all its derivations."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.unknown import Entry


class Weights(NamedTuple):
    """The weight of each symbol over a part of the tree, times e^scale."""

    of: dict[int, float]
    scale: float


def log_weight(grammar: Grammar, tree: Parse, entries: Sequence[Entry]) -> float:
    """The log of the sum over all derivations of this tree; −∞ if there is none.

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
    weight = whole.of.get(grammar.code[grammar.root], 0.0)
    return math.log(weight) + whole.scale if weight > 0 else -math.inf


def _leaf(grammar: Grammar, label: str, entry: Entry) -> Weights:
    shown = grammar.shown_labels
    return _scaled({tag: p for tag, p in grammar.tags_of[entry] if shown[tag] == label}, 0.0)


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
    found: dict[int, float] = {}
    for part in usable:
        factor = math.exp(sum(each.scale for each in part) - top)
        for below, weight in _pairs(part):
            for parent, p in rules.get(below, ()):
                if shown[parent] == label:
                    found[parent] = found.get(parent, 0.0) + weight * p * factor
    return _scaled(found, top)


def _pairs(part: tuple[Weights, ...]) -> list[tuple[tuple[int, ...], float]]:
    if len(part) == 1:
        return [((symbol,), x) for symbol, x in part[0].of.items()]
    one, other = part
    return [((a, b), x * y) for a, x in one.of.items() for b, y in other.of.items()]


def _scaled(of: dict[int, float], scale: float) -> Weights:
    top = max(of.values(), default=0.0)
    if not top > 0:
        return Weights({}, -math.inf)
    return Weights({symbol: x / top for symbol, x in of.items()}, scale + math.log(top))
