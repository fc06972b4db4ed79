"""Parsing: time beside NLTK's ViterbiParser, and how it grows with the length of sentences.

python benchmarks/trees.py          everything (about three minutes)
python benchmarks/trees.py nltk     inside and outside sums beside NLTK's best parse
python benchmarks/trees.py lengths  seconds for sentences of 10 to 40 words

The grammar is read off the first training trees of GUM: set CALIBRANT_DATA to a folder that has
it. Both sides have the same rules, words and sentences. NLTK finds the best parse only; calibrant
finds the probability of every labelled span. Compilation is not counted. Times are those of the
processor, summed over threads, so that other work on the machine does not count.
"""

import unshadow  # noqa: F401, I001

import argparse
import time
from dataclasses import replace

import numpy as np
from nltk.grammar import PCFG as Rules
from nltk.grammar import Nonterminal, ProbabilisticProduction
from nltk.parse import ViterbiParser

from calibrant.structures.trees.treebank import Treebank
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.trees.models.pcfg import PCFG
from calibrant.structures.trees.tree import Tree

TRAIN, COUNT = 300, 4  # trees of the small grammar; sentences that NLTK parses


def nltk_grammar(grammar, entries):
    """The same rules, with words that occur in these sentences."""
    seen = {entry for each in entries for entry in each}
    made = [
        ProbabilisticProduction(Nonterminal(a), [Nonterminal(b), Nonterminal(c)], prob=p)
        for (a, b, c), p in grammar.binary.items()
    ]
    made += [
        ProbabilisticProduction(Nonterminal(a), [Nonterminal(b)], prob=p)
        for (a, b), p in grammar.unary.items()
    ]
    made += [
        ProbabilisticProduction(Nonterminal(tag), [word], prob=p)
        for (tag, word), p in grammar.words.items()
        if word in seen
    ]
    start, rules = Nonterminal(grammar.root), object.__new__(Rules)
    super(Rules, rules).__init__(start, made)  # words left out, so sums are not 1
    return rules


def with_plain_words(grammar):
    """The same grammar whose classes of words are strings, as NLTK needs them."""
    words = {(tag, str(word)): p for (tag, word), p in grammar.words.items()}
    return replace(grammar, words=words)


def timed(work, repeats=1):
    """The least processor time of several."""
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        result = work()
        times.append(time.process_time() - begin)
    return min(times), result


def beside_nltk():
    """Time for the same sentences, and that the best parses are equally probable."""
    train, test = load_treebank("gum", "train"), load_treebank("gum", "test")
    model = PCFG(horizontal=1, vertical=1).fit(Treebank(train.trees[:TRAIN]))
    words = [each for each in test.words if 10 <= len(each) <= 15]
    whole = model.posteriors(words)
    keep = [k for k in range(len(words)) if not whole.fell_back[k]][:COUNT]
    entries = [[str(entry) for entry in whole.entries[k]] for k in keep]
    grammar = with_plain_words(model.grammar)
    rules = nltk_grammar(grammar, entries)
    print(f"{grammar}; {len(keep)} sentences of 10 to 15 words")
    parser = ViterbiParser(rules, max_time=None)
    theirs, best = timed(lambda: [next(iter(parser.parse(list(each)))) for each in entries])

    def ours():
        return Tree.from_grammar(grammar, entries).span_marginals

    mine, _ = timed(ours, repeats=5)
    tree = Tree.from_grammar(grammar, entries)
    log_best = [np.log(tree.probability(k, tree.mode[k])) for k in range(len(keep))]
    for k, found in enumerate(best):
        assert np.isclose(log_best[k] + tree.log_partition[k], np.log(found.prob()), atol=1e-6)
    mode, _ = timed(lambda: Tree.from_grammar(grammar, entries).mode, repeats=5)
    print(f"NLTK, best parse only           {theirs:8.2f} s")
    print(f"calibrant, all span marginals   {mine:8.4f} s   {theirs / mine:6.0f} times faster")
    print(f"calibrant, best parse           {mode:8.4f} s   {theirs / mode:6.0f} times faster")
    return theirs / mine


def lengths():
    """Inside and outside sums of one sentence at a time, and the power that fits."""
    train, test = load_treebank("gum", "train"), load_treebank("gum", "test")
    model = PCFG().fit(train)
    print(f"{model.grammar}")
    sizes, seconds = np.arange(10, 41, 5), []
    for size in sizes:
        words = [each for each in test.words if len(each) == size][:4]
        took, _ = timed(lambda words=words: model.posteriors(words).span_marginals, repeats=3)
        seconds.append(took / len(words))
        print(f"{size:3d} words   {1000 * seconds[-1]:8.1f} ms a sentence")
    power = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    print(f"time grows as length to the power {power:.2f}")


if __name__ == "__main__":
    parts = {"nltk": beside_nltk, "lengths": lengths}
    parser = argparse.ArgumentParser(description="Time parsing.")
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[*parts, []],
        metavar="PART",
        help=f"{', '.join(parts)} (default: all)",
    )
    for name in parser.parse_args().parts or parts:
        parts[name]()
