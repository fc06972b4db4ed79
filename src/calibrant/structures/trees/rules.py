"""Check the rules of grammars, and convert them to the arrays that parsing needs."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.structures.trees.unary import Chains, returns
from calibrant.structures.unknown import WordClass

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Rules = tuple[Int, Int, Int, Float]
ByPair = tuple[Int, Int, Int, Int, Float]


class Coded(NamedTuple):
    """Rules as numbers of symbols, with their probabilities."""

    symbols: Int  # (rules, width)
    p: Float

    @classmethod
    def of(cls, rules: Mapping[Any, float], code: Mapping[str, int], width: int) -> "Coded":
        """Encode rules of names as rules of numbers."""
        rows = [[code[name] for name in rule] for rule in rules]
        return cls(
            np.array(rows, np.int64).reshape(-1, width), np.array([*rules.values()], np.float64)
        )


class Ready(NamedTuple):
    """The arrays that kernels work with."""

    by_pair: ByPair  # where each left child's pairs start, the right child; each pair's rules
    by_parent: Rules  # where each parent's rules start, the left child, the right child, p
    pair_by_parent: tuple[Int, Int, Float]  # the same rules, with the number of the pair
    unary: tuple[Int, Int, Float]  # where each parent's rules start, the child, p
    group: Int  # the label of each symbol, as an index into `labels`; −1 for none
    again: tuple[Int, Int, Int, Float]  # label, symbol, next symbol of that label in a chain, p


class Tagging(NamedTuple):
    """The possible tags of each word of a sentence."""

    start: Int
    tag: Int
    p: Float


def ready_rules(binary: Coded, unary: Coded, count: int, group: Int, chains: Chains) -> Ready:
    """Sort the rules in every order that parsing needs.

    `count` is the number of symbols, `group` the label of each.
    """
    parent, left, right = binary.symbols.T
    upper, lower = unary.symbols.T
    start, child, _, chance = _by(count, upper, lower, lower, unary.p)
    by_pair, pair = _by_pair(count, left, right, parent, binary.p)
    by_parent = _by(count, parent, left, right, binary.p)
    order = np.lexsort((right, left, parent))
    return Ready(
        by_pair=by_pair,
        by_parent=by_parent,
        pair_by_parent=(by_parent[0], pair[order], by_parent[3]),
        unary=(start, child, chance),
        group=group,
        again=_again(group, chains),
    )


def _again(group: Int, chains: Chains) -> tuple[Int, Int, Int, Float]:
    """Steps of a chain from a label to itself, and, last, from any label to any."""
    labels = int(group.max(initial=-1)) + 1
    sets = [np.flatnonzero(group == k) for k in range(labels)]
    found = [returns(chains, each) for each in (*sets, np.flatnonzero(group >= 0))]
    label = np.repeat(np.arange(len(found)), [each[0].size for each in found])
    one, other, p = (np.concatenate(each) for each in zip(*found, strict=True))
    return label.astype(np.int64), one, other, p


def check_rules(kind: str, parts: tuple[str, ...], rules: object) -> None:
    """Refuse anything but a mapping from tuples of names to positive numbers."""
    shape = f"({', '.join(parts)})"
    if not isinstance(rules, Mapping):
        raise InputError(
            f"{kind} must be a dict from {shape} to probabilities, not {type(rules).__name__}."
        )
    for rule, p in rules.items():
        kinds = (str, WordClass) if kind == "words" else (str,)
        named = isinstance(rule, tuple) and all(isinstance(each, kinds) for each in rule)
        if not named or len(rule) != len(parts):
            raise InputError(f"Each rule of {kind} must be {shape}, but one is {rule!r}.")
        if not isinstance(p, Real) or not 0 < float(p) < np.inf:
            raise InputError(f"Probabilities must be positive numbers, but {rule} has {p!r}.")


def _by(count: int, key: Int, one: Int, other: Int, p: Float) -> Rules:
    """Sort rules by one of their symbols."""
    order = np.lexsort((other, one, key))
    start = np.searchsorted(key[order], np.arange(count + 1)).astype(np.int64)
    return start, one[order], other[order], p[order]


def _by_pair(count: int, left: Int, right: Int, parent: Int, p: Float) -> tuple[ByPair, Int]:
    """Sort rules by their two children; also return the pair number of each rule."""
    both, pair = np.unique(left * count + right, return_inverse=True)
    order = np.lexsort((parent, pair))
    start = np.searchsorted(both // count, np.arange(count + 1)).astype(np.int64)
    rules = np.searchsorted(pair[order], np.arange(both.size + 1)).astype(np.int64)
    return (start, both % count, rules, parent[order], p[order]), pair.astype(np.int64)
