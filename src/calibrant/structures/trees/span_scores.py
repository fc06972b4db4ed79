"""`SpanTree`: a distribution over trees that scores spans, without a grammar."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.items import described, listed_items
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.results.wording import each_of
from calibrant.structures.potentials import as_scores
from calibrant.structures.tempering.temperatures import ALL, Given, given_temperatures
from calibrant.structures.trees.parse import ROOTS, Parse
from calibrant.structures.trees.tree import SpanMarginals, Tree, Words

Float = NDArray[np.float64]
TAG, TOP = "_", "TOP"  # the tag of every word, and a root without a label
STEP = "|<>"  # the end of labels that only split nodes with more than two children
Split = Callable[[int, int], tuple[int, int]]  # the label of a span, and where its first part ends


class SpanTree(Tree):
    """The posterior of a parser that scores spans; made by `Tree.from_spans`."""

    charts: tuple[Float, ...]
    chains: tuple[tuple[str, ...], ...]  # the labels of each column, from top to bottom

    def __init__(
        self, sentences: Words, charts: Sequence[Float], chains: Sequence[tuple[str, ...]]
    ) -> None:
        for name, value in {
            "sentences": sentences,
            "charts": tuple(charts),
            "chains": tuple(chains),
        }.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "fell_back", np.zeros(len(sentences), bool))
        total = [each[0, -1] for each in self._inner]
        object.__setattr__(self, "log_partition", np.array(total))

    @cached_property
    def _whole(self) -> list[Float]:
        """The log of the sum over the labels of each span."""
        return [log_sum(each) for each in self.charts]

    @cached_property
    def _inner(self) -> list[Float]:
        from calibrant.kernels.trees.spans import inside

        return [inside(each) for each in self._whole]

    @classmethod
    def joined(cls, parts: Sequence[Tree]) -> "SpanTree":
        """Concatenate posteriors with the same labels."""
        known = [each for each in parts if isinstance(each, SpanTree)]
        if not known or len(known) < len(parts):
            raise InputError("All posteriors must come from Tree.from_spans.")
        if any(each.chains != known[0].chains for each in known):
            raise InputError("All posteriors must have the same labels, in the same order.")
        return cls(
            tuple(words for each in known for words in each.sentences),
            [chart for each in known for chart in each.charts],
            known[0].chains,
        )

    def take(self, numbers: Sequence[int]) -> "SpanTree":
        """The posterior of some of the sentences, by their numbers."""
        chosen = [whole_number("number", k, 0, len(self) - 1) for k in numbers]
        return SpanTree(
            tuple(self.sentences[k] for k in chosen), [self.charts[k] for k in chosen], self.chains
        )

    def tempered(self, temperatures: Given) -> "SpanTree":
        """The same posterior, flatter or sharper: all scores divided by one temperature."""
        found = given_temperatures(temperatures, ())
        charts = [chart / found[ALL] for chart in self.charts]
        return SpanTree(self.sentences, charts, self.chains)

    def allowed(self, sentence: int, tree: Parse) -> Float:
        """The scores of a sentence, −∞ where a span or label is not that of the tree."""
        wanted: dict[tuple[int, int], tuple[str, ...]] = {}
        for span in tree.spans:
            place = (span.begin, span.end - 1)
            wanted[place] = wanted.get(place, ()) + (() if span.type in ROOTS else (span.type,))
        chart, allowed = self.charts[sentence], np.full(self.charts[sentence].shape, -np.inf)
        for i in range(len(chart)):
            for j in range(i, len(chart)):
                if any(_cross((i, j), other) for other in wanted):
                    continue
                fits = [chain == wanted.get((i, j), ()) for chain in self.chains]
                allowed[i, j, fits] = chart[i, j, fits]
        return allowed

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of constituents, in the order of the columns of marginals."""
        return tuple(sorted({label for chain in self.chains for label in chain} - ROOTS))

    @cached_property
    def span_marginals(self) -> list[SpanMarginals]:
        """For each sentence, the probability of every label over every span."""
        from calibrant.kernels.trees.spans import span_logs

        holds = np.array([[label in chain for label in self.labels] for chain in self.chains])
        shown = np.array([bool(set(chain) - ROOTS) for chain in self.chains])
        found = []
        for chart, whole, inner in zip(self.charts, self._whole, self._inner, strict=True):
            begin, last = np.triu_indices(len(chart))
            logs = span_logs(whole, inner)[begin, last]
            with np.errstate(invalid="ignore"):  # a span that is impossible has no labels
                share = np.nan_to_num(np.exp(chart[begin, last] - whole[begin, last][:, None]))
            p = share * np.exp(logs)[:, None]
            found.append(
                SpanMarginals(begin, last + 1, (p @ holds).clip(0, 1), (p @ shown).clip(0, 1))
            )
        return found

    @cached_property
    def tag_marginals(self) -> list[list[dict[str, float]]]:
        """Scores of spans say nothing of tags: every word has the tag "_"."""
        return [[{TAG: 1.0} for _ in words] for words in self.sentences]

    @cached_property
    def mode(self) -> list[Parse]:
        """The tree of the best spans and labels of each sentence."""
        from calibrant.kernels.trees.spans import best_splits

        found = []
        for k, chart in enumerate(self.charts):
            cut, label = best_splits(chart.max(axis=2)), chart.argmax(axis=2)

            def split(i: int, j: int, cut: Any = cut, label: Any = label) -> tuple[int, int]:  # noqa: ANN401
                return int(label[i, j]), int(cut[i, j])

            found.append(self._tree(k, split))
        return found

    def sample(self, count: int = 1, seed: int = 0) -> list[list[Parse]]:
        """For each sentence, `count` parses drawn from the posterior."""
        count, seed = whole_number("count", count, 1), whole_number("seed", seed, 0)
        found = []
        for k, (chart, inner) in enumerate(zip(self.charts, self._inner, strict=True)):
            generator = np.random.default_rng([seed, k])

            def split(
                i: int,
                j: int,
                chart: Float = chart,
                inner: Float = inner,
                generator: np.random.Generator = generator,
            ) -> tuple[int, int]:
                label = _draw(chart[i, j], generator)
                return label, i + _draw(inner[i, i:j] + inner[i + 1 : j + 1, j], generator)

            found.append([self._tree(k, split) for _ in range(count)])
        return found

    def probability(self, sentence: int, tree: Parse) -> float:
        """The probability that a sentence has exactly these constituents; tags are ignored."""
        from calibrant.kernels.trees.spans import inside

        k = whole_number("sentence", sentence, 0, len(self) - 1)
        if not isinstance(tree, Parse):
            raise InputError(f"tree must be a Parse, not {type(tree).__name__}.")
        if tree.words != self.sentences[k]:
            raise InputError(f"The tree must have the words of sentence {k}.")
        log = inside(log_sum(self.allowed(k, tree)))[0, -1]
        return float(np.exp(log - self.log_partition[k]))

    def _root(self, sentence: int) -> str:
        return TOP

    def _tree(self, sentence: int, split: Split) -> Parse:
        """Build a tree from the top down, without the labels that only split nodes."""
        words = self.sentences[sentence]

        def build(i: int, j: int) -> list[Parse]:
            label, cut = (split(i, j)[0], i) if i == j else split(i, j)
            below = [Parse(TAG, (), words[i])] if i == j else [*build(i, cut), *build(cut + 1, j)]
            for name in reversed(self.chains[label]):
                below = [Parse(name, tuple(below))]
            return below

        top = build(0, len(words) - 1)
        return top[0] if len(top) == 1 and top[0].word is None else Parse(TOP, tuple(top))


def span_tree(
    charts: Sequence[object],
    sentences: Sequence[Sequence[str]],
    labels: Sequence[str],
    join: str,
    rooted: bool,
) -> SpanTree:
    """Check charts of spans and make a posterior of them."""
    words = tuple(tuple(each) for each in sentences)
    given = listed_items(charts, "charts", "arrays, one for each sentence")
    if not words:
        raise InputError("There must be at least one sentence, but sentences is empty.")
    if len(given) != len(words):
        raise InputError(
            f"There must be a chart for {each_of(len(words), 'sentence')}, but charts has "
            f"{len(given)}."
        )
    empty = [k for k, each in enumerate(words) if not each]
    if empty:
        raise InputError(f"Every sentence must have a word, but sentences[{empty[0]}] is empty.")
    if not isinstance(rooted, bool | np.bool_):
        raise ParameterError(f"rooted must be True or False, but it is {described(rooted)}.")
    chains = _chains(labels, join)
    found = [
        _chart(each, f"charts[{k}]", len(words[k]), len(chains)) for k, each in enumerate(given)
    ]
    hidden = np.array([not chain for chain in chains])
    for chart in found if rooted else ():
        chart[0, -1, hidden] = -np.inf
    tree = SpanTree(words, found, chains)
    lost = np.flatnonzero(np.isneginf(tree.log_partition))
    if lost.size:
        raise InputError(f"No tree is possible for sentence {lost[0]}: all have a score of -inf.")
    return tree


def _chains(labels: object, join: str) -> list[tuple[str, ...]]:
    """The labels of each column from top to bottom; none for columns without a constituent."""
    if not isinstance(join, str) or not join:
        raise ParameterError(f"join must be text such as '::', but it is {described(join)}.")
    names = listed_items(labels, "labels", "names")
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(f"labels[{k}] must be text, but it is {described(name)}.")
    if len(set(names)) < len(names):
        raise InputError("labels must differ, but one occurs more than once.")
    chains = [
        () if name == "" or name.endswith(STEP) else tuple(name.split(join)) for name in names
    ]
    for k, chain in enumerate(chains):
        if "" in chain:
            raise InputError(
                f"labels must be names joined by {join!r}, but labels[{k}] is {names[k]!r}, which "
                "has an empty name. Only '' stands for no constituent."
            )
    if not any(chains):
        raise InputError("labels must have at least one label of constituents.")
    return chains


def _chart(values: object, name: str, words: int, labels: int) -> Float:
    array = as_scores(values, name)
    if array.ndim == 2:
        raise InputError(
            f"{name} has no scores of labels (its shape is {array.shape}). Spans alone cannot tell "
            "constituents from steps of binary trees: add the log-softmax of the scores of labels, "
            "spans[..., None] + scipy.special.log_softmax(labels, axis=-1)."
        )
    if array.shape != (words, words, labels):
        raise InputError(
            f"{name} must have the shape ({words}, {words}, {labels}), first word × last word × "
            f"labels, but it has {array.shape}."
        )
    return array.copy()


def log_sum(chart: Float) -> Float:
    """The log of the sum over the labels of each span."""
    top = chart.max(axis=2)
    safe = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):  # a span that is impossible has a log of -inf
        found: Float = np.log(np.exp(chart - safe[..., None]).sum(axis=2)) + safe
    return found


def _draw(logs: Float, generator: np.random.Generator) -> int:
    """The number of one of several choices, given the logs of their weights."""
    if logs.size == 0:
        return 0
    reached = np.cumsum(np.exp(logs - logs.max()))
    return int(np.searchsorted(reached, generator.random() * reached[-1], side="right"))


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c <= b < d
