"""Queries about the constituents of sentences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.gold import sentence_groups
from calibrant.structures.places import Places, checked_floor
from calibrant.structures.query import Keys, Query
from calibrant.structures.ties import without_noise
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.parse import ROOTS
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
        if self.label is not None and (not isinstance(self.label, str) or not self.label):
            raise ParameterError(f"label must be a label or None, but it is {self.label!r}.")
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
            if (span.type not in ROOTS if self.label is None else span.type == self.label)
        }
        groups = sentence_groups(posterior, gold, group)
        what = "constituent" if self.label is None else f"constituent {self.label!r}"
        return places.pairs(true, groups, what, self.floor)

    def keys(self, posterior: Tree) -> Keys:
        """The sentence, the first word and the word after the last of each pair."""
        return self.where(posterior).keys()
