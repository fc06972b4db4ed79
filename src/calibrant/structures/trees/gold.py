"""The gold trees of sentences."""

from collections.abc import Sequence

from calibrant.errors import InputError
from calibrant.results.wording import counted
from calibrant.structures.gold import gold_items
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


def gold_trees(posterior: Tree, gold: object) -> Sequence[Parse]:
    """The gold tree of every sentence, from a treebank or a list; its words must match."""
    trees = gold_items(gold, "trees", "a treebank or a list with a Parse for each sentence")
    if len(trees) != len(posterior):
        raise InputError(
            f"The posterior has {counted(len(posterior), 'sentence')}, but gold has "
            f"{counted(len(trees), 'tree')}."
        )
    for k, (tree, words) in enumerate(zip(trees, posterior.sentences, strict=True)):
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
