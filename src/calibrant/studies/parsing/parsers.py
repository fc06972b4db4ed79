"""Fit the grammars of the study of parsing, and query them on a treebank."""

import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from calibrant.pairs import Pairs
from calibrant.structures.exact_match import SpanF1
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.models.pcfg import AT_ONCE, PCFG
from calibrant.structures.trees.parse import ROOTS, Parse
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.parsing.plan import ParsingPlan
from calibrant.studies.progress import Progress
from calibrant.verbs import ask


@dataclass(frozen=True, eq=False)
class Parsed:
    """The posterior of one grammar on the test sentences of one treebank."""

    test: Treebank
    tree: Tree
    mode: list[Parse]
    f1: SpanF1  # of the most probable parses
    safest: SpanF1  # of the minimum-risk trees
    pairs: Pairs  # about constituents with any label

    def asked(self, label: str) -> Pairs | None:
        """The answers about a label; None if no span reaches the floor."""
        query = HasConstituent(label)
        if label not in self.tree.labels or query.where(self.tree).q.size == 0:
            return None
        return ask(self.tree, self.test, query)


@dataclass(frozen=True, eq=False)
class Parsers:
    """One treebank, and all grammars on the same test sentences."""

    corpus: str
    taken: str  # description of the sentences used
    test: Treebank
    models: dict[str, Parsed]

    @property
    def true(self) -> int:
        """The number of gold spans, with any label."""
        return sum(
            len({span[:2] for span in tree.spans if span.type not in ROOTS})
            for tree in self.test.trees
        )

    def common_labels(self, count: int) -> list[tuple[str, int]]:
        """The most frequent labels known to the last grammar, with their counts."""
        *_, last = self.models.values()
        seen = Counter(span.type for tree in self.test.trees for span in tree.spans)
        known = [(label, many) for label, many in seen.most_common() if label in last.tree.labels]
        return known[:count]


def parse_corpus(plan: ParsingPlan, corpus: str, progress: Progress) -> Parsers:
    """Fit the grammars on a treebank and parse its test sentences."""
    train, whole = plan.load(corpus, "train"), plan.load(corpus, "test")
    test = whole.up_to(plan.longest)
    every = plan.corpora[corpus]
    chosen = test.take(range(0, len(test), every))
    rest = "" if every == 1 else f", every {every}th of {len(test)}"
    taken = (
        f"{len(train)} training and {len(chosen)} test sentences of at most {plan.longest} "
        f"words{rest}; there are {len(whole)} test sentences"
    )
    models = {
        name: _parse(f"{corpus}, {name}", grammar, train, chosen, progress)
        for name, grammar in plan.grammars.items()
    }
    return Parsers(corpus, taken, chosen, models)


def _parse(what: str, grammar: PCFG, train: Treebank, test: Treebank, progress: Progress) -> Parsed:
    begin = time.perf_counter()
    fitted = grammar.fit(train)
    parts: list[Tree] = []
    mode: list[Parse] = []
    safest: list[Parse] = []
    pieces = np.array_split(np.arange(len(test)), -(-len(test) // AT_ONCE))
    for piece in progress.track(pieces, len(pieces), f"Parsing {what}"):
        part = fitted.posteriors(test.take(piece.tolist()))
        mode += part.mode
        safest += part.minimum_risk()
        parts.append(part)
    tree = Tree.joined(parts)
    f1 = bracket_f1(test, mode)
    progress.say(
        f"{what}: F1 {100 * f1.f1:.2f}, {int(tree.fell_back.sum())} sentences by the fallback, "
        f"{time.perf_counter() - begin:.0f} s"
    )
    pairs = ask(tree, test, HasConstituent())
    return Parsed(test, tree, mode, f1, bracket_f1(test, safest), pairs)
