import pytest

from calibrant.structures.trees import heads as module
from calibrant.structures.trees.heads import Heads, head_of_phrase, likely_head
from calibrant.structures.trees.parse import Parse


def test_heads_of_phrases_and_of_bare_words():
    assert likely_head(["the", "old", "man", "of", "the", "sea"]) == 2
    assert likely_head(["Lincoln", "'s", "Inn"]) == 2
    assert likely_head(["Ada", "'s"]) == 0
    assert likely_head(["who"]) == 0
    assert head_of_phrase(["DT", "JJ", "NN", "PP"]) == 2
    assert head_of_phrase(["NP", "PP"]) == 0
    assert head_of_phrase(["DT", "CD"]) == 1


def descended(node, begin):
    """The head by the definition: go down to the child that holds it, word by word."""
    while node.word is None:
        child = head_of_phrase([each.label for each in node.children])
        begin += sum(each.size for each in node.children[:child])
        node = node.children[child]
    return begin


def largest_nodes(tree, begin, end):
    """The definition: walk through all nodes and take those that fit and go on."""
    found, reached = [], begin
    for node, at in tree.nodes():
        if at == reached and at + node.size <= end:
            found.append((node, at))
            reached += node.size
    return found


TREES = [
    "(S (NP (NP (NNP Ada) (POS 's)) (NN friend)) (VP (VBD met) (NP (DT the) (NN king))) (. .))",
    "(NP (NP (NP (NX (NN a)))) (, ,) (CC and) (NP (JJ b)))",
    "(X (A a) (B b) (C c) (D d))",
    "(NN a)",
]


@pytest.mark.parametrize("text", TREES)
def test_heads_of_all_spans_are_those_of_the_definition(text):
    tree = Parse.from_text(text)
    heads = Heads(tree)
    assert [(each.node, each.begin) for each in heads.nodes] == list(tree.nodes())
    for node, begin, head in heads.nodes:
        assert head == descended(node, begin)
    for begin in range(tree.size):
        for end in range(begin + 1, tree.size + 1):
            parts = largest_nodes(tree, begin, end)
            chosen = parts[head_of_phrase([node.label for node, _ in parts])]
            assert heads.of_words(begin, end) == descended(*chosen)


def asked(tree, monkeypatch):
    """How many labels are looked at for the heads of all words and all nodes."""
    seen = []
    monkeypatch.setattr(module, "head_of_phrase", lambda labels: seen.append(len(labels)) or 0)
    heads = Heads(tree)
    for k in range(tree.size):
        heads.of_words(k, k + 1)
    return sum(seen)


def flat(size):
    return Parse("NP", tuple(Parse("NN", (), "x") for _ in range(size)))


def deep(size):
    tree = flat(2)
    for _ in range(size - 2):
        tree = Parse("NP", (tree, Parse("NN", (), "x")))
    return tree


@pytest.mark.parametrize("shape", [flat, deep])
def test_work_grows_with_the_words(shape, monkeypatch):
    """Each node's labels are looked at once, and each mention's own."""
    for size in (50, 500):
        assert asked(shape(size), monkeypatch) <= 4 * size
