"""Queries about the constituents of sentences: likely ones, and those of the best parse."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.gold import sentence_groups
from calibrant.structures.places import Places, TypedPlaces, checked_floor
from calibrant.structures.query import Keys, Query
from calibrant.structures.ties import without_noise
from calibrant.structures.trees.counting import tally_parses
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.parse import ROOTS, Parse
from calibrant.structures.trees.tree import Tree

Int = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class HasConstituent(Query):
    """Is there a constituent with this label exactly here? One question per likely span.

    The probability is exact: a sum over all parses that contain it (inside and outside). The query
    covers all spans with a probability of at least `floor`, regardless of the gold. Gold
    constituents below the floor are not included: lower the floor to include more of them.
    Tags of words and roots called ROOT, TOP or S1 are not constituents. Groups are documents if
    the treebank has them, and sentences otherwise.

    Parameters
    ----------
    label
        The label, such as "NP" (default: None, a constituent with any label).
    floor
        Ask about spans with at least this probability (default: 0.001).

    Examples
    --------
    >>> import calibrant as cb
    >>> rules = {("S", "NP", "V"): 1.0, ("NP", "N", "N"): 0.5}
    >>> words = {("N", "dogs"): 1.0, ("V", "run"): 1.0}
    >>> grammar = cb.models.Grammar(rules, {("NP", "N"): 0.5}, words, root="S")
    >>> tree = cb.Tree.from_grammar(grammar, [["dogs", "dogs", "run"]])
    >>> gold = [cb.corpora.Parse.from_text("(S (NP (N dogs) (N dogs)) (V run))")]
    >>> cb.ask(tree, gold, cb.HasConstituent("NP"))
    Pairs(1 pair in 1 group: 100 % positive, mean q 1)
    """

    about = Tree
    label: str | None = None
    floor: float = 0.001

    def __post_init__(self) -> None:
        _check_label(self.label)
        object.__setattr__(self, "floor", checked_floor(self.floor))

    def where(self, posterior: Tree) -> Places:
        """All spans whose probability reaches the floor."""
        column = None if self.label is None else posterior.column(self.label)
        found: list[tuple[Int, Int, Int, NDArray[np.float64]]] = []
        for k, each in enumerate(posterior.span_marginals):
            q = without_noise(each.any if column is None else each.q[:, column])
            at = np.flatnonzero(q >= self.floor)
            found.append((np.full(at.size, k), each.begin[at], each.end[at], q[at]))
        return Places(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def pairs(self, posterior: Tree, gold: object, group: object = None) -> Pairs:
        """One pair per span that reaches the floor."""
        trees = gold_trees(posterior, gold)
        places = self.where(posterior)
        true = {
            (k, span.begin, span.end)
            for k, tree in enumerate(trees)
            for span in tree.spans
            if self._is_about(span.type)
        }
        groups = sentence_groups(posterior, gold, group)
        what = "constituent" if self.label is None else f"constituent {self.label!r}"
        return places.pairs(true, groups, what, self.floor)

    def tallies(
        self,
        posterior: Tree,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of such constituents in each sentence; a share is one of its words.

        All spans are counted, however unlikely: `floor` has no effect. The distribution is exact,
        or, for trees from scores of spans, that of 1000 samples.
        """
        if self.label is not None:
            posterior.column(self.label)  # refuses unknown labels

        def number(parse: Parse) -> int:
            return len({span[:2] for span in parse.spans if self._is_about(span.type)})

        return tally_parses(posterior, self.label, number, gold, group, by)

    def _is_about(self, label: str) -> bool:
        return label not in ROOTS if self.label is None else label == self.label

    def keys(self, posterior: Tree) -> Keys:
        """The sentence, the first word and the word after the last of each pair."""
        return self.where(posterior).keys()


@dataclass(frozen=True, repr=False)
class PredictedConstituent(Query):
    """Is this predicted constituent correct? One question per constituent of the best parse.

    The predictions are the labelled constituents of the most probable parse, `Tree.mode`. Tags of
    words and roots called ROOT, TOP or S1 are not constituents, and a label that occurs twice over
    the same words counts once, as in `HasConstituent`. A constituent is correct if the gold has one
    with the same words and label. q is the exact probability of this, a sum over all parses, equal
    to that of `HasConstituent` with this label at the same place. Gold constituents that were not
    predicted are not asked about. Groups are documents if the treebank has them, and sentences
    otherwise.

    Parameters
    ----------
    label
        Only constituents with this label, such as "NP" (default: None, all labels).

    Notes
    -----
    Of tied parses, `Tree.mode` takes at each node the one with the shortest first child, and then
    the rule whose children come first in alphabetical order; rules with two children come before
    rules with one. The order of rules and sentences does not matter.

    Examples
    --------
    >>> import calibrant as cb
    >>> rules = {("S", "NP", "VP"): 1.0, ("NP", "N", "N"): 0.4, ("VP", "V", "NP"): 0.5}
    >>> words = {("N", "fruit"): 0.5, ("N", "flies"): 0.5, ("V", "flies"): 1.0}
    >>> unary = {("NP", "N"): 0.6, ("VP", "V"): 0.5}
    >>> grammar = cb.models.Grammar(rules, unary, words, root="S")
    >>> tree = cb.Tree.from_grammar(grammar, [["fruit", "flies", "flies"]])
    >>> print(tree.mode[0])
    (S (NP (N fruit) (N flies)) (VP (V flies)))
    >>> gold = [cb.corpora.Parse.from_text("(S (NP (N fruit)) (VP (V flies) (NP (N flies))))")]
    >>> pairs = cb.ask(tree, gold, cb.PredictedConstituent())
    >>> pairs.q.round(3)  # S, NP and VP
    array([1.   , 0.526, 0.526])
    >>> pairs.y.tolist()
    [True, False, False]
    """

    about = Tree
    label: str | None = None

    def __post_init__(self) -> None:
        _check_label(self.label)

    def where(self, posterior: Tree) -> TypedPlaces:
        """The constituents of the best parses, parents before children, and their probabilities."""
        if self.label is not None:
            posterior.column(self.label)  # refuses unknown labels
        found = [
            (k, span)
            for k, parse in enumerate(posterior.mode)
            for span in dict.fromkeys(parse.spans)
            if (span.type not in ROOTS if self.label is None else span.type == self.label)
        ]
        q = np.array([posterior.constituent(k, *span) for k, span in found], np.float64)
        return TypedPlaces.of(found, without_noise(q))

    def pairs(self, posterior: Tree, gold: object, group: object = None) -> Pairs:
        """One pair per predicted constituent."""
        trees = gold_trees(posterior, gold)
        places = self.where(posterior)
        true = {(k, span) for k, tree in enumerate(trees) for span in tree.spans}
        what = "constituent" if self.label is None else f"constituent {self.label!r}"
        nothing = (
            f"No most probable parse has a {what}, so there is nothing to ask about. "
            "HasConstituent asks about every likely constituent."
        )
        return places.pairs(true, sentence_groups(posterior, gold, group), nothing)

    def keys(self, posterior: Tree) -> Keys:
        """The sentence, the first word, the word after the last, and the label of each pair."""
        return self.where(posterior).keys()


def _check_label(label: object) -> None:
    if label is not None and (not isinstance(label, str) or not label):
        raise ParameterError(f"label must be a label or None, but it is {label!r}.")
