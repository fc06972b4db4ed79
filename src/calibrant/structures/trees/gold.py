"""The true trees of sentences."""

from collections.abc import Sequence

from calibrant.errors import InputError
from calibrant.structures.gold import gold_items
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree


def gold_trees(posterior: Tree, gold: object) -> Sequence[Parse]:
    """The tree of every sentence, of a treebank or a list, with the words that were parsed."""
    trees = gold_items(gold, "trees", "a treebank or a list of a Parse for each sentence")
    if len(trees) != len(posterior):
        raise InputError(
            f"The posterior has {len(posterior)} sentences, but gold has {len(trees)} trees."
        )
    for k, (tree, words) in enumerate(zip(trees, posterior.sentences, strict=True)):
        if not isinstance(tree, Parse):
            raise InputError(
                f"gold must hold trees, but gold[{k}] is {type(tree).__name__}: make it with "
                "Parse.from_text."
            )
        if tree.words != words:
            raise InputError(
                f"Sentence {k} is {' '.join(words)[:60]!r}, but its gold tree has the words "
                f"{' '.join(tree.words)[:60]!r}."
            )
    return trees  # type: ignore[no-any-return]
