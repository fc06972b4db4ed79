"""Compute sums and parses of many sentences with charts, on all cores."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.kernels.threads import workers
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.unknown import Entry

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Found = TypeVar("Found")
Seeds = Callable[[int], NDArray[np.uint64]]  # the seeds of each sentence


def longest_first(work: Callable[[int], Found], lengths: NDArray[Any]) -> list[Found]:
    """Run `work` for every sentence in parallel, the longest first."""
    order = np.argsort(-lengths, kind="stable").tolist()
    with ThreadPoolExecutor(workers()) as pool:
        done = dict(zip(order, pool.map(work, order), strict=True))
    return [done[k] for k in range(len(order))]


def sums_of(
    grammar: Grammar, entries: Sequence[Sequence[Entry]], chosen: Int
) -> list[tuple[Float, Float, float]]:
    """For chosen sentences: the marginals of labelled spans and of tags, and the log of the sum."""
    from calibrant.kernels.trees.chart import marginals

    ready, chains, root = grammar.ready, grammar.chains, grammar.code[grammar.root]

    def work(at: int) -> tuple[Float, Float, float]:
        k = int(chosen[at])
        found, tags, total = marginals(
            len(grammar.symbols),
            *grammar.tagging(entries[k], k),
            root,
            ready.by_pair,
            ready.pair_by_parent,
            chains.up,
            chains.down,
            ready.group,
            ready.again,
            len(grammar.labels),
        )
        return found, tags, float(total)

    return longest_first(work, np.array([len(entries[k]) for k in chosen]))


def derive(
    grammar_of: Callable[[int], Grammar],
    entries: Sequence[Sequence[Entry]],
    sentences: Sequence[Sequence[str]],
    mode: int,
    seeds: Seeds,
) -> list[list[Parse]]:
    """The best parse of every sentence, or one sampled parse per seed."""
    from calibrant.kernels.trees.derivations import derivations

    def work(k: int) -> list[Parse]:
        grammar = grammar_of(k)
        symbols, kinds, start = derivations(
            mode,
            seeds(k),
            len(grammar.symbols),
            *grammar.tagging(entries[k], k),
            grammar.code[grammar.root],
            grammar.ready.by_pair,
            grammar.chains.up,
            grammar.ready.unary,
            grammar.ready.by_parent,
        )
        parts = zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
        return [shown_tree(grammar, symbols[a:b], kinds[a:b], sentences[k]) for a, b in parts]

    return longest_first(work, np.array([len(each) for each in entries]))


def shown_tree(grammar: Grammar, symbols: Int, kinds: Int, words: Sequence[str]) -> Parse:
    """The tree of a derivation, without hidden symbols."""
    waiting = list(words)
    found: list[list[Parse]] = []
    for symbol, kind in zip(symbols[::-1].tolist(), kinds[::-1].tolist(), strict=True):
        label = grammar.shown_labels[symbol]
        if kind == 0:
            found.append([Parse(str(label), (), waiting.pop())])
            continue
        below = found.pop() if kind == 1 else [*found.pop(), *found.pop()]
        found.append(below if label is None else [Parse(label, tuple(below))])
    return found[0][0]
