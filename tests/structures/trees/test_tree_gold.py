import pytest

from calibrant.errors import InputError
from calibrant.structures.trees.gold import gold_trees
from calibrant.structures.trees.grammar import Grammar
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.tree import Tree
from calibrant.structures.trees.treebank import Treebank

GRAMMAR = Grammar({("S", "A", "B"): 1.0}, {}, {("A", "a"): 1.0, ("B", "b"): 1.0}, "S")
POSTERIOR = Tree.from_grammar(GRAMMAR, [["a", "b"]])
TREE = Parse.from_text("(S (A a) (B b))")


def test_lists_and_treebanks():
    assert list(gold_trees(POSTERIOR, [TREE])) == [TREE]
    assert list(gold_trees(POSTERIOR, Treebank((TREE,)))) == [TREE]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (TREE, "gold must be a treebank or a list with a Parse for each sentence, not Parse"),
        ("(S (A a) (B b))", "gold must be a treebank or a list .*, not str"),
        ({0: TREE}, "not dict"),
        (None, "not NoneType"),
        ([TREE, TREE], "posterior has 1 sentence, but gold has 2 trees"),
        (["(S (A a) (B b))"], r"must contain Parse objects, but gold\[0\] is str"),
        ([Parse.from_text("(S (A a) (B c))")], "Sentence 0 is 'a b', but .* 'a c'"),
    ],
)
def test_what_is_not_gold(gold, message):
    with pytest.raises(InputError, match=message):
        gold_trees(POSTERIOR, gold)
