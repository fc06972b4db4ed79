"""The gold trees of sentences."""

from collections.abc import Sequence
from typing import Any

from calibrant.errors import InputError
from calibrant.results.wording import counted
from calibrant.structures.gold import gold_items, refuse_missing
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


def gold_trees(posterior: Tree, gold: object) -> Sequence[Parse]:
    """The gold tree of every sentence, from a treebank or a list; its words must match."""
    trees = _checked(posterior, gold)
    refuse_missing(trees, "sentence", "a Parse")
    return trees


def known_trees(posterior: Tree, gold: object) -> Sequence[Parse | None]:
    """The gold tree of every sentence; None for sentences without gold, or if there is none."""
    return [None] * len(posterior) if gold is None else _checked(posterior, gold)


def _checked(posterior: Tree, gold: object) -> Sequence[Any]:
    trees = gold_items(gold, "trees", "a treebank or a list with a Parse for each sentence")
    if len(trees) != len(posterior):
        raise InputError(
            f"The posterior has {counted(len(posterior), 'sentence')}, but gold has "
            f"{counted(len(trees), 'tree')}."
        )
    for k, (tree, words) in enumerate(zip(trees, posterior.sentences, strict=True)):
        if tree is None:
            continue
        if not isinstance(tree, Parse):
            raise InputError(
                f"gold must contain Parse objects, but gold[{k}] is {type(tree).__name__}. Make "
                "one with Parse.from_text."
            )
        if tree.words != words:
            raise InputError(
                f"Sentence {k} is {' '.join(words)[:60]!r}, but its gold tree has the words "
                f"{' '.join(tree.words)[:60]!r}."
            )
    return trees
