"""`Grammar`: rules with probabilities, in the order that parsing wants them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, nearest
from calibrant.structures.trees.parse import ROOTS
from calibrant.structures.trees.unary import Chains, close_chains, returns
from calibrant.structures.unknown import Entry, WordClass

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Rules = tuple[Int, Int, Int, Float]
ByPair = tuple[Int, Int, Int, Int, Float]
PARTS = {"binary": ("parent", "left", "right"), "unary": ("parent", "child"),
         "words": ("tag", "word")}  # fmt: skip


class Ready(NamedTuple):
    """The arrays that kernels work with."""

    by_pair: ByPair  # where each left child's pairs start, the right child; each pair's rules
    by_parent: Rules  # where each parent's rules start, the left child, the right child, p
    pair_by_parent: tuple[Int, Int, Float]  # the same rules, with the number of the pair
    unary: tuple[Int, Int, Float]  # where each parent's rules start, the child, p
    group: Int  # of each symbol: its label among `labels`; −1 for none
    again: tuple[Int, Int, Int, Float]  # label, symbol, next symbol of that label in a chain, p


class Tagging(NamedTuple):
    """The tags that each word of a sentence may have."""

    start: Int
    tag: Int
    p: Float


@dataclass(frozen=True, eq=False, repr=False)
class Grammar:
    """A probabilistic grammar: binary rules, unary rules, and tags with words.

    A tag has words and nothing else. Symbols that begin with "@" are steps of binary rules and no
    labels: trees do not show them. `names` says how other symbols are shown, so that "NP^S" may
    stand for NP. Probabilities need not sum to 1, but chains of unary rules must have finite sums.

    Parameters
    ----------
    binary
        The probability of each rule (parent, left, right).
    unary
        The probability of each rule (parent, child); both are labels or tags.
    words
        The probability of each (tag, word), or of a tag with a class of rare words.
    root
        The symbol that every tree has at its top.
    names
        The label of each symbol that is shown under another name; None for one that is not shown.

    Examples
    --------
    >>> from calibrant.models import Grammar
    >>> Grammar({("S", "N", "V"): 1.0}, {}, {("N", "dogs"): 1.0, ("V", "run"): 1.0}, root="S")
    Grammar(3 symbols, 1 label, 1 binary rule, 0 unary rules)
    """

    binary: Mapping[tuple[str, str, str], float]
    unary: Mapping[tuple[str, str], float]
    words: Mapping[tuple[str, str], float] | Mapping[tuple[str, Entry], float]
    root: str = "ROOT"
    names: Mapping[str, str | None] | None = None

    def __post_init__(self) -> None:
        for kind, parts in PARTS.items():
            _check_rules(kind, parts, getattr(self, kind))
        for name, label in (self.names or {}).items():
            if not isinstance(label, str | None):
                raise InputError(f"The label of {name!r} must be a text or None, not {label!r}.")
        parents = {rule[0] for rule in (*self.binary, *self.unary)}
        both = sorted(self.tags & parents)
        if both:
            raise InputError(
                f"A tag has words and no rules, but {both[0]!r} has both ({len(both)} have)."
            )
        hidden = [pair for pair in self.unary if None in map(self.shown, pair)]
        if hidden:
            raise InputError(f"Unary rules are between labels, but {hidden[0]} has a hidden one.")
        if self.root not in parents:
            raise InputError(f"The root must have rules, but {self.root!r} has none.")
        lost = [name for name in (self.root, *sorted(self.tags)) if self.shown(name) is None]
        if lost:
            raise InputError(f"The root and tags must be shown in trees, but {lost[0]!r} is not.")
        _ = self.chains  # a cycle that never ends is refused here

    def __repr__(self) -> str:
        sizes = {
            "symbol": len(self.symbols), "label": len(self.labels),
            "binary rule": len(self.binary), "unary rule": len(self.unary),
        }  # fmt: skip
        many = [f"{size} {what}{'' if size == 1 else 's'}" for what, size in sizes.items()]
        return f"Grammar({', '.join(many)})"

    @cached_property
    def tags(self) -> frozenset[str]:
        """The symbols of words."""
        return frozenset(tag for tag, _ in self.words)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """All symbols, in order."""
        found = {name for rule in (*self.binary, *self.unary) for name in rule}
        return tuple(sorted(found | self.tags))

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each symbol."""
        return {name: k for k, name in enumerate(self.symbols)}

    def shown(self, symbol: str) -> str | None:
        """The label of a symbol in a tree; None where it is not shown."""
        if self.names is not None and symbol in self.names:
            return self.names[symbol]
        return None if symbol.startswith("@") and symbol not in self.tags else symbol

    @cached_property
    def shown_labels(self) -> tuple[str | None, ...]:
        """The label of every symbol."""
        return tuple(map(self.shown, self.symbols))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents: not tags, and not ROOT, TOP or S1."""
        found = {self.shown(name) for name in self.symbols if name not in self.tags}
        return tuple(sorted({label for label in found if label is not None} - ROOTS))

    @cached_property
    def chains(self) -> Chains:
        """Sums over chains of unary rules."""
        code = self.code
        parent = np.array([code[a] for a, _ in self.unary], np.int64)
        child = np.array([code[b] for _, b in self.unary], np.int64)
        return close_chains(len(code), parent, child, np.array([*self.unary.values()], float))

    @cached_property
    def ready(self) -> Ready:
        """The rules as arrays."""
        code, count = self.code, len(self.symbols)
        rules = np.array([[code[name] for name in rule] for rule in self.binary], np.int64)
        a, b, c = rules.reshape(-1, 3).T
        p = np.array([*self.binary.values()], np.float64)
        pairs = np.array([[code[name] for name in rule] for rule in self.unary], np.int64)
        upper, lower = pairs.reshape(-1, 2).T
        chance = np.array([*self.unary.values()], np.float64)
        start, child, _, chance = _by(count, upper, lower, lower, chance)
        where = {label: k for k, label in enumerate(self.labels)}
        group = np.array(
            [
                -1 if name in self.tags or label is None else where.get(label, -1)
                for name, label in zip(self.symbols, self.shown_labels, strict=True)
            ],
            np.int64,
        )
        by_pair, pair = _by_pair(count, b, c, a, p)
        by_parent = _by(count, a, b, c, p)
        order = np.lexsort((c, b, a))
        return Ready(
            by_pair, by_parent, (by_parent[0], pair[order], by_parent[3]), (start, child, chance),
            group, self._again(group),
        )  # fmt: skip

    def _again(self, group: Int) -> tuple[Int, Int, Int, Float]:
        """Steps of a chain from a label to itself, and, last, from any label to any."""
        sets = [np.flatnonzero(group == k) for k in range(len(self.labels))]
        found = [returns(self.chains, each) for each in (*sets, np.flatnonzero(group >= 0))]
        label = np.repeat(np.arange(len(found)), [each[0].size for each in found])
        one, other, p = (np.concatenate(each) for each in zip(*found, strict=True))
        return label.astype(np.int64), one, other, p

    @cached_property
    def parents_of(self) -> dict[tuple[int, ...], list[tuple[int, float]]]:
        """The parents of every child, or two children, with the probability of the rule."""
        found: dict[tuple[int, ...], list[tuple[int, float]]] = {}
        for rule, p in (*self.binary.items(), *self.unary.items()):
            parent, *below = (self.code[name] for name in rule)
            found.setdefault(tuple(below), []).append((parent, p))
        return found

    @cached_property
    def tags_of(self) -> dict[Entry, list[tuple[int, float]]]:
        """The tags of every word, with the probability of the word."""
        found: dict[Entry, list[tuple[int, float]]] = {}
        for (tag, word), p in self.words.items():
            found.setdefault(word, []).append((self.code[tag], p))
        return found

    def tagging(self, words: Sequence[Entry], sentence: int) -> Tagging:
        """The tags that the words of a sentence may have."""
        for t, word in enumerate(words):
            if word not in self.tags_of:
                near = nearest(str(word), [each for each in self.tags_of if isinstance(each, str)])
                hint = f" Did you mean {near!r}?" if near else ""
                raise InputError(
                    f"Every word must have a tag, but word {t} of sentence {sentence}, {word!r}, "
                    f"has none among {len(self.tags_of)} words.{hint}"
                )
        lists = [self.tags_of[word] for word in words]
        start = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
        tag = np.array([code for each in lists for code, _ in each], np.int64)
        return Tagging(start, tag, np.array([p for each in lists for _, p in each], np.float64))


def _check_rules(kind: str, parts: tuple[str, ...], rules: object) -> None:
    """Refuse what is no mapping from rules of so many names to positive numbers."""
    shape = f"({', '.join(parts)})"
    if not isinstance(rules, Mapping):
        raise InputError(
            f"{kind} must be a dict from {shape} to probabilities, not {type(rules).__name__}."
        )
    for rule, p in rules.items():
        kinds = (str, WordClass) if kind == "words" else (str,)
        named = isinstance(rule, tuple) and all(isinstance(each, kinds) for each in rule)
        if not named or len(rule) != len(parts):
            raise InputError(f"Each rule of {kind} must be {shape}, but there is {rule!r}.")
        if not isinstance(p, Real) or not 0 < float(p) < np.inf:
            raise InputError(
                f"Probabilities must be positive numbers, but that of {rule} is {p!r}."
            )


def _by(count: int, key: Int, one: Int, other: Int, p: Float) -> Rules:
    """Rules in the order of one of their symbols."""
    order = np.lexsort((other, one, key))
    start = np.searchsorted(key[order], np.arange(count + 1)).astype(np.int64)
    return start, one[order], other[order], p[order]


def _by_pair(count: int, left: Int, right: Int, parent: Int, p: Float) -> tuple[ByPair, Int]:
    """Rules in the order of their two children; and the number of each rule's pair."""
    both, pair = np.unique(left * count + right, return_inverse=True)
    order = np.lexsort((parent, pair))
    start = np.searchsorted(both // count, np.arange(count + 1)).astype(np.int64)
    rules = np.searchsorted(pair[order], np.arange(both.size + 1)).astype(np.int64)
    return (start, both % count, rules, parent[order], p[order]), pair.astype(np.int64)
