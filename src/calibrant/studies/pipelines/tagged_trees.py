"""Parse sentences with a tagger's beliefs: best tags, lists of tags, or all tags in one chart."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.models.pcfg import FittedPCFG
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.safest import safest_parse
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.pipelines.plan import PipelinesPlan
from calibrant.studies.progress import Progress

Float = NDArray[np.float64]
Tags = tuple[str, ...]
WORDS, GOLD, ALL = "the parser's own words", "gold tags", "all tags in one chart"
BEST, DRAWN = "best {} tag sequences", "{} sampled tag sequences"
COST = 0.5  # of a wrong constituent, against the gain of a correct one


class Weighted(NamedTuple):
    """Tag sequences of a sentence with weights that sum to 1, and the seconds to find them."""

    weights: Mapping[Tags, float]
    seconds: float


@dataclass(eq=False)
class Answered:
    """What one pipeline says of all sentences."""

    q: list[Float] = field(default_factory=list)  # spans × labels of each sentence
    trees: list[Parse] = field(default_factory=list)
    seconds: float = 0.0
    parses: int = 0


def tag_grammar(grammar: Grammar) -> Grammar:
    """The same rules, with the names of tags as words."""
    shown = {tag: grammar.shown(tag) or tag for tag in grammar.tags}
    words = dict.fromkeys(sorted(shown.items()), 1.0)
    return Grammar(grammar.binary, grammar.unary, words, grammar.root, grammar.names)


def evidence_grammar(
    grammar: Grammar, evidence: Sequence[Sequence[Mapping[str, float]]]
) -> Grammar:
    """The same rules, with one word for each place, whose tags have the given evidence."""
    symbols: dict[str, list[str]] = {}
    for tag in sorted(grammar.tags):
        symbols.setdefault(grammar.shown(tag) or tag, []).append(tag)
    words = {
        (symbol, f"{k}:{t}"): share
        for k, sentence in enumerate(evidence)
        for t, tags in enumerate(sentence)
        for name, share in tags.items()
        for symbol in symbols.get(name, ())
    }
    return Grammar(grammar.binary, grammar.unary, words, grammar.root, grammar.names)


def scaled_evidence(chain: Chain, train: Corpus, faint: float) -> list[list[dict[str, float]]]:
    """P(tag | sentence) / P(tag) at each word, for tags that are not too unlikely.

    By Bayes' rule it is P(sentence | tag) times a number that is the same for all tags.
    """
    seen = dict.fromkeys(chain.tags, 0)
    for tags in train.tags:
        for tag in tags:
            seen[tag] += 1
    rows = [
        {
            tag: float(p) * train.tokens / seen[tag]
            for tag, p in zip(chain.tags, row, strict=True)
            if p >= faint
        }
        for row in chain.marginals
    ]
    return [rows[a:b] for a, b in zip(chain.start[:-1], chain.start[1:], strict=True)]


class Parsers(NamedTuple):
    """The grammar of tags with its fallback, and that of all tags with its own."""

    fitted: FittedPCFG
    hard: tuple[Grammar, Grammar]
    soft: tuple[Grammar, Grammar]


def run_pipelines(
    plan: PipelinesPlan,
    fitted: FittedPCFG,
    chain: Chain,
    train: Corpus,
    test: Treebank,
    progress: Progress,
) -> dict[str, Answered]:
    """The answers of every pipeline, by its name."""
    evidence = scaled_evidence(chain, train, plan.faint)
    both = fitted.grammar, fitted.fallback
    hard, soft = (
        (tag_grammar(both[0]), tag_grammar(both[1])),
        tuple(evidence_grammar(each, evidence) for each in both),
    )
    parsers = Parsers(fitted, hard, (soft[0], soft[1]))
    listed, drawn = _lists(plan, chain)
    _ = [list(_one(plan, parsers, test, 0, {}, {}))]  # compiles, and sorts rules once
    found: dict[str, Answered] = {}
    for k in progress.track(range(len(test)), len(test), "Parsing with tags"):
        for name, (q, seconds, parses) in _one(plan, parsers, test, k, listed[k], drawn[k]):
            each = found.setdefault(name, Answered())
            each.q.append(q)
            each.trees.append(_safest(fitted, q, test.words[k], chain.mode[k]))
            each.seconds += seconds
            each.parses += parses
    return found


Said = tuple[Float, float, int]


def _one(
    plan: PipelinesPlan,
    parsers: Parsers,
    test: Treebank,
    k: int,
    listed: Mapping[int, Weighted],
    drawn: Mapping[int, Weighted],
) -> Iterator[tuple[str, Said]]:
    """The answers of every pipeline about one sentence."""
    fitted, words = parsers.fitted, test.words[k]
    begin = time.perf_counter()
    own = fitted.posteriors([words])
    yield WORDS, (_marginals(fitted, own), time.perf_counter() - begin, 1)
    known: dict[Tags, tuple[Float, float]] = {}

    def parsed(tags: Tags) -> tuple[Float, float]:
        if tags not in known:
            begin = time.perf_counter()
            tree = _parse(parsers.hard, words, tags)
            known[tags] = _marginals(fitted, tree), time.perf_counter() - begin
        return known[tags]

    gold, seconds = parsed(test.tags[k])
    yield GOLD, (gold, seconds, 1)
    begin = time.perf_counter()
    tree = _parse(parsers.soft, words, [f"{k}:{t}" for t in range(len(words))])
    yield ALL, (_marginals(fitted, tree), time.perf_counter() - begin, 1)
    for form, lists in ((BEST, listed), (DRAWN, drawn)):
        for many, each in lists.items():
            parts = [(weight, *parsed(tags)) for tags, weight in each.weights.items()]
            mixed = np.sum([weight * q for weight, q, _ in parts], axis=0)
            spent = each.seconds + sum(seconds for *_, seconds in parts)
            yield form.format(many), (mixed, spent, len(parts))


def _lists(
    plan: PipelinesPlan, chain: Chain
) -> tuple[list[dict[int, Weighted]], list[dict[int, Weighted]]]:
    """The best sequences and samples of each sentence, by their number."""
    listed: list[dict[int, Weighted]] = [{} for _ in range(len(chain))]
    drawn: list[dict[int, Weighted]] = [{} for _ in range(len(chain))]
    for many in plan.few:
        begin = time.perf_counter()
        best = chain.kbest(many)
        between = time.perf_counter()
        samples = chain.sample(many, seed=1)
        ends = time.perf_counter()
        spent = (between - begin) / len(chain), (ends - between) / len(chain)
        for k in range(len(chain)):
            total = sum(p for _, p in best[k])
            listed[k][many] = Weighted({tuple(tags): p / total for tags, p in best[k]}, spent[0])
            seen: dict[Tags, float] = {}
            for tags in samples[k]:
                seen[tuple(tags)] = seen.get(tuple(tags), 0.0) + 1 / many
            drawn[k][many] = Weighted(seen, spent[1])
    return listed, drawn


def _parse(grammars: tuple[Grammar, Grammar], words: Sequence[str], entries: Sequence[str]) -> Tree:
    return Tree.from_grammar(grammars[0], [words], entries=[entries], fallback=grammars[1])


def _marginals(fitted: FittedPCFG, tree: Tree) -> Float:
    """Spans × labels, in the order of the labels of the fitted grammar."""
    marginals = tree.span_marginals[0]
    return marginals.q[:, [tree.column(label) for label in fitted.labels]]


def _safest(fitted: FittedPCFG, q: Float, words: Sequence[str], tags: Sequence[str]) -> Parse:
    leaves = [Parse(tag, (), word) for tag, word in zip(tags, words, strict=True)]
    grammar = fitted.grammar
    return safest_parse(q, fitted.labels, leaves, grammar.shown(grammar.root) or "ROOT", COST)
