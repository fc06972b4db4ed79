"""Grammars of the study of parsing, fitted and asked about the sentences of a treebank."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibrant.pairs import Pairs
from calibrant.structures.exact_match import SpanF1
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.models.pcfg import AT_ONCE, PCFG
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.progress import Say, Track
from calibrant.verbs import ask

PLAIN, MARKOV = "plain", "markovised"
GRAMMARS = {PLAIN: PCFG(horizontal=None, vertical=1), MARKOV: PCFG()}
LONGEST = 40
EVERY = 5  # which test sentences of craft are taken unless all are asked for


@dataclass(frozen=True, eq=False)
class Parsed:
    """What one grammar believes about the test sentences of one treebank."""

    corpus: str
    model: str
    test: Treebank
    tree: Tree
    mode: list[Parse]
    f1: SpanF1  # of the most probable parses
    safest: SpanF1  # of the trees of least risk
    pairs: Pairs  # of constituents of any label


@dataclass(frozen=True, eq=False)
class Parsers:
    """One treebank, and all grammars on the same test sentences."""

    corpus: str
    taken: str  # which sentences, in words
    test: Treebank
    models: dict[str, Parsed]


def parse_corpus(
    corpus: str, full: bool, load: Callable[[str, str], Treebank], track: Track, say: Say
) -> Parsers:
    """Fit the grammars on a treebank and parse its test sentences of at most 40 words."""
    train, whole = load(corpus, "train"), load(corpus, "test")
    test = whole.up_to(LONGEST)
    every = 1 if full or corpus != "craft" else EVERY
    chosen = test.take(range(0, len(test), every))
    rest = "" if every == 1 else f", every {every}th of {len(test)}"
    taken = (
        f"{len(train)} training and {len(chosen)} test sentences of at most {LONGEST} words{rest}; "
        f"there are {len(whole)} test sentences"
    )
    models = {name: _parse(corpus, name, train, chosen, track, say) for name in GRAMMARS}
    return Parsers(corpus, taken, chosen, models)


def _parse(
    corpus: str, model: str, train: Treebank, test: Treebank, track: Track, say: Say
) -> Parsed:
    begin = time.perf_counter()
    fitted = GRAMMARS[model].fit(train)
    parts: list[Tree] = []
    mode: list[Parse] = []
    safest: list[Parse] = []
    pieces = np.array_split(np.arange(len(test)), -(-len(test) // AT_ONCE))
    for piece in track(pieces, len(pieces), f"Parsing {corpus}, {model}"):
        part = fitted.posteriors(test.take(piece.tolist()))
        mode += part.mode
        safest += part.minimum_risk()
        parts.append(part)
    tree = Tree.joined(parts)
    f1 = bracket_f1(test, mode)
    say(
        f"{corpus}, {model}: F1 {100 * f1.f1:.2f}, {int(tree.fell_back.sum())} sentences by the "
        f"fallback, {time.perf_counter() - begin:.0f} s"
    )
    pairs = ask(tree, test, HasConstituent())
    return Parsed(corpus, model, test, tree, mode, f1, bracket_f1(test, safest), pairs)
