"""`Tree`: the posterior of a grammar over the parses of sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.items import listed_items
from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, ParameterError, nearest
from calibrant.results.wording import counted, listed
from calibrant.structures.tempering.temperatures import Given, given_temperatures
from calibrant.structures.trees.charts import Seeds, derive, sums_of
from calibrant.structures.trees.given_tree import GoldScores, gold_scores
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.safest import safest_parse
from calibrant.structures.unknown import Entry

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Words = tuple[tuple[str, ...], ...]
Entries = tuple[tuple[Entry, ...], ...]
E = TypeVar("E")
KINDS = ("lexicon", "rules")


class SpanMarginals(NamedTuple):
    """The probabilities of the constituents of one sentence."""

    begin: Int
    end: Int  # excluded
    q: Float  # (spans, labels) the probability of each label
    any: Float  # (spans,) the probability of any label


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A distribution over the parses of each of several sentences.

    P(parse | words) ∝ the product of the probabilities of its rules. Everything is exact, by
    inside and outside sums over all parses: nothing is pruned. Make one with
    `Tree.from_grammar`, by a model such as `PCFG`, or from scores of spans with
    `Tree.from_spans`.

    Examples
    --------
    >>> import calibrant as cb
    >>> rules = {("S", "NP", "VP"): 1.0, ("VP", "V", "NP"): 0.6, ("VP", "VP", "PP"): 0.4,
    ...          ("NP", "NP", "PP"): 0.3, ("PP", "P", "NP"): 1.0}
    >>> words = {("N", "she"): 0.4, ("N", "stars"): 0.3, ("N", "eyes"): 0.3, ("V", "sees"): 1.0,
    ...          ("P", "with"): 1.0}
    >>> grammar = cb.models.Grammar(rules, {("NP", "N"): 0.7}, words, root="S")
    >>> tree = cb.Tree.from_grammar(grammar, [["she", "sees", "stars", "with", "eyes"]])
    >>> print(tree.mode[0])
    (S (NP (N she)) (VP (VP (V sees) (NP (N stars))) (PP (P with) (NP (N eyes)))))
    >>> round(tree.constituent(0, 2, 5, "NP"), 3)
    0.429
    """

    grammar: Grammar
    sentences: Words
    entries: Entries  # the words as the grammar knows them
    fallback: Grammar | None
    log_partition: Float  # the log of the sum over all parses of each sentence
    fell_back: NDArray[np.bool_]  # the sentences that only the fallback derives
    _sums: Sequence[tuple[Float, Float]]  # the marginals of labelled spans and of tags

    @classmethod
    def from_grammar(
        cls,
        grammar: Grammar,
        sentences: Sequence[Sequence[str]],
        *,
        entries: Sequence[Sequence[Entry]] | None = None,
        fallback: Grammar | None = None,
    ) -> "Tree":
        """The posterior of a grammar over the parses of sentences.

        Parameters
        ----------
        grammar
            The rules.
        sentences
            Lists of words.
        entries
            The lexicon entry of each word (default: the word itself).
        fallback
            Another grammar for the sentences that the first cannot derive. Without it they are
            refused.
        """
        words = _listed(sentences, "sentences")
        known: Entries = words if entries is None else _listed(entries, "entries")
        _check_entries(words, known)
        sums = sums_of(grammar, known, np.arange(len(words)))
        total = np.array([each[2] for each in sums])
        lost = np.isneginf(total)
        if lost.any() and fallback is not None:
            rest = np.flatnonzero(lost)
            for k, found in zip(rest.tolist(), sums_of(fallback, known, rest), strict=True):
                sums[k], total[k] = found, found[2]
        _check_parsed(words, total)
        kept = tuple((spans, tags) for spans, tags, _ in sums)
        return cls(grammar, words, known, fallback, total, lost, kept)

    @classmethod
    def from_spans(
        cls,
        charts: Sequence[object],
        sentences: Sequence[Sequence[str]],
        labels: Sequence[str],
        *,
        join: str = "::",
        rooted: bool = True,
    ) -> "Tree":
        """The posterior of a parser that scores spans, such as benepar or supar.

        P(tree) ∝ exp(Σ score of each span with its label), over all binary trees. Trees with more
        than two children are read off by leaving out spans with an empty label. Marginals of
        spans are sums over all trees, exactly as with a grammar.

        Be careful with what the scores were trained for. benepar is trained with a hinge loss:
        its best tree is meant, but no probability, and this softmax over trees need not have a
        sensible scale. The CRF parser of supar maximises a likelihood, but of binary trees: its
        `probs` also count the spans that only split longer nodes, and have no labels.

        Parameters
        ----------
        charts
            For each sentence, first word × last word (included) × labels. benepar:
            `parser.parse(examples, return_scores=True)`. supar: `s_span[..., None] +
            log_softmax(s_label)` between the words, `[:n, 1:n + 1]`.
        sentences
            Lists of words.
        labels
            The labels of the last axis. "" is no constituent, and labels that end in "|<>" are
            steps of binary trees.
        join
            What joins the labels of a chain of unary rules: "S::VP" is an S above a VP.
        rooted
            Whether the whole sentence must be a constituent.

        Examples
        --------
        >>> import numpy as np
        >>> import calibrant as cb
        >>> chart = np.zeros((3, 3, 3))
        >>> chart[0, 2, 1] = 4.0  # words 0 to 2: S
        >>> chart[1, 2, 2] = 2.0  # words 1 and 2: VP
        >>> tree = cb.Tree.from_spans([chart], ["she sees stars".split()], ["", "S", "VP"])
        >>> print(tree.mode[0])
        (S (_ she) (VP (_ sees) (_ stars)))
        >>> round(tree.constituent(0, 1, 3, "VP"), 3)
        0.596
        """
        from calibrant.structures.trees.span_scores import span_tree

        return span_tree(charts, _listed(sentences, "sentences"), labels, join, rooted)

    @classmethod
    def joined(cls, parts: Sequence["Tree"]) -> "Tree":
        """Concatenate posteriors of the same grammars."""
        if not parts:
            raise InputError("There must be at least one posterior to join.")
        if cls is Tree and type(parts[0]) is not Tree:
            return type(parts[0]).joined(parts)
        grammar, fallback = parts[0].grammar, parts[0].fallback
        if any(each.grammar is not grammar or each.fallback is not fallback for each in parts):
            raise InputError("All posteriors must have the same grammar and the same fallback.")
        return cls(
            grammar,
            tuple(words for each in parts for words in each.sentences),
            tuple(words for each in parts for words in each.entries),
            fallback,
            np.concatenate([each.log_partition for each in parts]),
            np.concatenate([each.fell_back for each in parts]),
            tuple(sums for each in parts for sums in each._sums),
        )

    def take(self, numbers: Sequence[int]) -> "Tree":
        """The posterior of some of the sentences, by their numbers."""
        chosen = [whole_number("number", k, 0, len(self) - 1) for k in numbers]
        return Tree(
            self.grammar,
            tuple(self.sentences[k] for k in chosen),
            tuple(self.entries[k] for k in chosen),
            self.fallback,
            self.log_partition[chosen],
            self.fell_back[chosen],
            tuple(self._sums[k] for k in chosen),
        )

    def tempered(self, temperatures: Given) -> "Tree":
        """The same posterior, flatter or sharper: all probabilities to the power 1 / T.

        Parameters
        ----------
        temperatures
            One temperature, or a mapping with those of the "lexicon" (words given tags) and of
            "rules". Above 1 makes it less sure. Chains of unary rules must keep finite sums.

        Examples
        --------
        >>> import calibrant as cb
        >>> rules = {("S", "N", "S"): 0.5, ("S", "S", "N"): 0.25, ("S", "N", "N"): 0.25}
        >>> grammar = cb.models.Grammar(rules, {}, {("N", "a"): 1.0}, root="S")
        >>> tree = cb.Tree.from_grammar(grammar, [["a", "a", "a"]])
        >>> round(tree.constituent(0, 1, 3), 3), round(tree.tempered(2).constituent(0, 1, 3), 3)
        (0.667, 0.586)
        """
        found = given_temperatures(temperatures, KINDS)
        words, rules = (1 / found[kind] for kind in KINDS)
        fallback = None if self.fallback is None else self.fallback.tempered(words, rules)
        return Tree.from_grammar(
            self.grammar.tempered(words, rules),
            self.sentences,
            entries=self.entries,
            fallback=fallback,
        )

    def __len__(self) -> int:
        return len(self.sentences)

    def __repr__(self) -> str:
        lost = int(self.fell_back.sum())
        more = f", {lost} by the fallback" if lost else ""
        words, labels = int(self.lengths.sum()), len(self.labels)
        return f"Tree({listed({'sentence': len(self), 'word': words, 'label': labels})}{more})"

    @property
    def lengths(self) -> Int:
        """The number of words of each sentence."""
        return np.array([len(each) for each in self.sentences], np.int64)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents, in the order of the columns of marginals."""
        more = set() if self.fallback is None else set(self.fallback.labels)
        return tuple(sorted(more.union(self.grammar.labels)))

    @cached_property
    def span_marginals(self) -> list[SpanMarginals]:
        """For each sentence, the probability of every label over every span.

        The probability that there is at least one constituent of that label exactly there. A
        label that occurs twice in a chain of unary rules counts once.
        """
        found = []
        for k, (q, _) in enumerate(self._sums):
            begin, last = np.triu_indices(len(self.sentences[k]))
            shown = self.grammar_of(k).labels
            wide = q[:, :-1]
            if shown != self.labels:
                wide = np.zeros((q.shape[0], len(self.labels)))
                wide[:, [self.labels.index(label) for label in shown]] = q[:, :-1]
            found.append(SpanMarginals(begin, last + 1, wide, q[:, -1]))
        return found

    def constituent(self, sentence: int, begin: int, end: int, label: str | None = None) -> float:
        """The probability that words `begin` to `end` (excluded) are a constituent."""
        sentence = whole_number("sentence", sentence, 0, len(self) - 1)
        length = len(self.sentences[sentence])
        begin = whole_number("begin", begin, 0, length - 1)
        end = whole_number("end", end, begin + 1, length)
        marginals = self.span_marginals[sentence]
        row = begin * length - begin * (begin - 1) // 2 + end - begin - 1
        return float(marginals.any[row] if label is None else marginals.q[row, self.column(label)])

    def column(self, label: str) -> int:
        """The column of a label."""
        return column_of(label, self.labels)

    @cached_property
    def tag_marginals(self) -> list[list[dict[str, float]]]:
        """For each word of each sentence, the probabilities of its tags."""
        found = []
        for k, (_, p) in enumerate(self._sums):
            grammar = self.grammar_of(k)
            words = grammar.tagging(self.entries[k], k)
            each: list[dict[str, float]] = [{} for _ in self.sentences[k]]
            at = np.repeat(np.arange(len(each)), np.diff(words.start))
            for word, tag, share in zip(at.tolist(), words.tag.tolist(), p.tolist(), strict=True):
                name = str(grammar.shown_labels[tag])
                each[word][name] = each[word].get(name, 0.0) + share
            found.append(each)
        return found

    @cached_property
    def mode(self) -> list[Parse]:
        """The most probable parse of each sentence.

        Of ties, that with the shortest first child at each node, from the root down.
        """
        from calibrant.kernels.trees.chart import BEST

        return [each[0] for each in self._derive(BEST, lambda k: np.zeros(1, np.uint64))]

    def sample(self, count: int = 1, seed: int = 0) -> list[list[Parse]]:
        """For each sentence, `count` parses drawn from the posterior."""
        from calibrant.kernels.trees.chart import SUM

        count, seed = whole_number("count", count, 1), whole_number("seed", seed, 0)

        def seeds(k: int) -> NDArray[np.uint64]:
            generator = np.random.default_rng([seed, k])
            return generator.integers(0, 2**64, count, np.uint64)

        return self._derive(SUM, seeds)

    def minimum_risk(self, cost: float = 0.5) -> list[Parse]:
        """For each sentence, the tree with the best expected accuracy of constituents.

        A correct constituent gains 1 and a wrong one costs `cost`. The tree maximises the expected
        sum over all sets of nested spans (Goodman 1996, without a cost). Labels with a probability
        below cost / (1 + cost) are never used, so a larger cost gives fewer constituents.

        References
        ----------
        J. Goodman (1996). Parsing Algorithms and Metrics. https://aclanthology.org/P96-1024
        """
        cost = real_number("cost", cost)
        if not cost > 0:
            raise ParameterError(
                f"cost must be positive, but it is {cost!r}: otherwise every label would be taken."
            )
        found = []
        for k, marginals in enumerate(self.span_marginals):
            tags = [max(each, key=lambda tag: each[tag]) for each in self.tag_marginals[k]]
            leaves = [Parse(tag, (), w) for tag, w in zip(tags, self.sentences[k], strict=True)]
            found.append(safest_parse(marginals.q, self.labels, leaves, self._root(k), float(cost)))
        return found

    def probability(self, sentence: int, tree: Parse) -> float:
        """The probability that a sentence has exactly this parse, tags included.

        The root may be left out.
        """
        k = whole_number("sentence", sentence, 0, len(self) - 1)
        if not isinstance(tree, Parse):
            raise InputError(f"tree must be a Parse, not {type(tree).__name__}.")
        if tree.words != self.sentences[k]:
            raise InputError(
                f"The tree must have the words of sentence {k}, {' '.join(self.sentences[k])!r}, "
                f"but it has {' '.join(tree.words)!r}."
            )
        log = self.scores_of(k, tree, self.grammar_of(k)).log
        return float(np.exp(log - self.log_partition[k]))

    def scores_of(self, sentence: int, tree: Parse, grammar: Grammar) -> GoldScores:
        """The log-probabilities of a tree under a grammar; the root may be left out."""
        root = self._root(sentence)
        whole = tree if tree.label == root else Parse(root, (tree,))
        return gold_scores(grammar, whole, self.entries[sentence])

    def grammar_of(self, sentence: int) -> Grammar:
        """The grammar that derives a sentence: the fallback if the first does not."""
        if self.fallback is not None and self.fell_back[sentence]:
            return self.fallback
        return self.grammar

    def _root(self, sentence: int) -> str:
        grammar = self.grammar_of(sentence)
        return grammar.shown(grammar.root) or grammar.root

    def _derive(self, mode: int, seeds: Seeds) -> list[list[Parse]]:
        return derive(self.grammar_of, self.entries, self.sentences, mode, seeds)


def _listed(sentences: Sequence[Sequence[E]], name: str) -> tuple[tuple[E, ...], ...]:
    """Check lists of words; refuse text that is not split into words."""
    given = [sentences] if isinstance(sentences, str) else sentences
    return tuple(
        tuple(listed_items(each, f"{name}[{k}]", "words"))
        for k, each in enumerate(listed_items(given, name, "lists of words"))
    )


def _check_entries(words: Words, known: Entries) -> None:
    """Refuse sentences without words, and entries that do not match the words."""
    if not words:
        raise InputError("There must be at least one sentence.")
    if len(known) != len(words):
        raise InputError(
            f"entries must have a list for each of the {len(words)} sentences, but it has "
            f"{len(known)}."
        )
    for k, (each, its) in enumerate(zip(words, known, strict=True)):
        if not each or len(each) != len(its):
            raise InputError(
                "Every sentence must have words, and an entry for each word, but sentence "
                f"{k} has {counted(len(each), 'word')} and "
                f"{counted(len(its), 'entry', 'entries')}."
            )


def _check_parsed(words: Words, total: Float) -> None:
    """Refuse sentences without a parse."""
    refused = np.flatnonzero(np.isneginf(total))
    if refused.size:
        raise InputError(
            "The grammar must derive every sentence, but it has no parse for sentence "
            f"{refused[0]}, {' '.join(words[refused[0]])[:60]!r} ({refused.size} of {len(words)} "
            f"sentences {'has' if refused.size == 1 else 'have'} none). Pass a fallback, or leave "
            "them out."
        )


def column_of(label: str, labels: Sequence[str]) -> int:
    """The index of a label among the labels of a grammar."""
    if label in labels:
        return labels.index(label)
    near = nearest(str(label), labels)
    hint = f"Did you mean {near!r}?" if near else f"They are {', '.join(labels[:8])}."
    raise InputError(f"There is no label {label!r} among {len(labels)}. {hint}")
