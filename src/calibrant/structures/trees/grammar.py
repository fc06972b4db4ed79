"""`Grammar`: rules with probabilities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calibrant.errors import InputError, nearest
from calibrant.results.wording import listed
from calibrant.structures.trees.parse import ROOTS
from calibrant.structures.trees.rules import Coded, Ready, Tagging, check_rules, ready_rules
from calibrant.structures.trees.unary import Chains, close_chains
from calibrant.structures.unknown import Entry

PARTS = {
    "binary": ("parent", "left", "right"),
    "unary": ("parent", "child"),
    "words": ("tag", "word"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Grammar:
    """A probabilistic grammar: binary rules, unary rules, and tags with words.

    Tags have words and no rules. Symbols that begin with "@" are intermediate steps of binary
    rules and are hidden in trees. `names` maps other symbols to labels, so that "NP^S" is shown as
    NP. Probabilities need not sum to 1, but chains of unary rules must have finite sums.

    Parameters
    ----------
    binary
        The probability of each rule (parent, left, right).
    unary
        The probability of each rule (parent, child); both are labels or tags.
    words
        The probability of each (tag, word), or of a tag with a class of rare words.
    root
        The symbol at the top of every tree.
    names
        The label of each symbol that is shown with another name; None hides a symbol.

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
            check_rules(kind, parts, getattr(self, kind))
        for name, label in (self.names or {}).items():
            if not isinstance(label, str | None):
                raise InputError(f"The label of {name!r} must be a string or None, not {label!r}.")
        parents = {rule[0] for rule in (*self.binary, *self.unary)}
        both = sorted(self.tags & parents)
        if both:
            raise InputError(
                f"A tag must have words and no rules, but {both[0]!r} has both ({len(both)} of "
                f"{len(self.tags)} tags)."
            )
        hidden = [pair for pair in self.unary if None in map(self.shown, pair)]
        if hidden:
            raise InputError(f"Unary rules must not have hidden symbols, but {hidden[0]} has one.")
        if self.root not in parents:
            raise InputError(f"The root must have rules, but {self.root!r} has none.")
        lost = [name for name in (self.root, *sorted(self.tags)) if self.shown(name) is None]
        if lost:
            raise InputError(f"The root and tags must be shown in trees, but {lost[0]!r} is not.")
        _ = self.chains  # refuses cycles with an infinite sum

    def __repr__(self) -> str:
        sizes = {
            "symbol": len(self.symbols),
            "label": len(self.labels),
            "binary rule": len(self.binary),
            "unary rule": len(self.unary),
        }
        return f"Grammar({listed(sizes)})"

    def tempered(self, words: float, rules: float) -> "Grammar":
        """The same grammar, with the probabilities of words and of rules to these powers."""
        return Grammar(
            {rule: p**rules for rule, p in self.binary.items()},
            {rule: p**rules for rule, p in self.unary.items()},
            {pair: p**words for pair, p in self.words.items()},
            self.root,
            self.names,
        )

    @cached_property
    def tags(self) -> frozenset[str]:
        """The symbols of words."""
        return frozenset(tag for tag, _ in self.words)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """All symbols, sorted."""
        found = {name for rule in (*self.binary, *self.unary) for name in rule}
        return tuple(sorted(found | self.tags))

    @cached_property
    def code(self) -> dict[str, int]:
        """The number of each symbol."""
        return {name: k for k, name in enumerate(self.symbols)}

    def shown(self, symbol: str) -> str | None:
        """The label of a symbol in a tree; None if it is hidden."""
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
        unary = Coded.of(self.unary, self.code, width=2)
        parent, child = unary.symbols.T
        return close_chains(len(self.code), parent, child, unary.p)

    @cached_property
    def ready(self) -> Ready:
        """The rules as arrays."""
        where = {label: k for k, label in enumerate(self.labels)}
        group = [
            -1 if name in self.tags or label is None else where.get(label, -1)
            for name, label in zip(self.symbols, self.shown_labels, strict=True)
        ]
        return ready_rules(
            binary=Coded.of(self.binary, self.code, width=3),
            unary=Coded.of(self.unary, self.code, width=2),
            count=len(self.symbols),
            group=np.array(group, np.int64),
            chains=self.chains,
        )

    @cached_property
    def parents_of(self) -> dict[tuple[int, ...], list[tuple[int, float]]]:
        """The parents of every child or pair of children, with the probability of the rule."""
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
        """The possible tags of the words of a sentence."""
        for t, word in enumerate(words):
            if word not in self.tags_of:
                near = nearest(str(word), [each for each in self.tags_of if isinstance(each, str)])
                hint = f" Did you mean {near!r}?" if near else ""
                raise InputError(
                    f"Every word must have a tag, but word {t} of sentence {sentence}, {word!r}, "
                    f"is not among the {len(self.tags_of)} words of the grammar.{hint}"
                )
        lists = [self.tags_of[word] for word in words]
        start = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
        tag = np.array([code for each in lists for code, _ in each], np.int64)
        return Tagging(start, tag, np.array([p for each in lists for _, p in each], np.float64))
