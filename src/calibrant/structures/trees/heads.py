"""Find the heads of noun phrases."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from calibrant.structures.trees.parse import Parse, bare_label

NOUNS = {"NN", "NNP", "NNPS", "NNS", "NX", "JJR"}
# words that may end a mention without being its head
ENDINGS = {"'s", "’s", "'", "’", ",", ".", ";", ":", "-", "--", ")", '"', "''", "”"}
AFTER = {  # words that follow a head
    *("of", "in", "on", "at", "from", "with", "without", "for", "to", "by", "about", "under"),
    *("over", "between", "among", "near", "behind", "before", "after", "upon", "into", "like"),
    *("as", "than", "who", "whom", "whose", "which", "that", "where", "when", "whatever"),
    *("and", "or", "but", "having", "being", "called", "named"),
    *(",", "(", ";", ":", "--", "-", "—"),
}


def head_of_phrase(labels: Sequence[str]) -> int:
    """The child that contains the head of a noun phrase, by the labels of its children.

    Similar to Collins's rules: the last noun (or comparative), else the first noun phrase, else the
    last of, in this order, pronouns, sums and adjective phrases, numbers, adjectives and
    determiners, else the last child. A genitive 's is never the head.
    """
    bare = [bare_label(label) for label in labels]
    for k in range(len(bare) - 1, -1, -1):
        if bare[k] in NOUNS:
            return k
    for k, label in enumerate(bare):
        if label == "NP":
            return k
    for wanted in ({"PRP", "WP"}, {"$", "ADJP", "PRN"}, {"CD"}, {"JJ", "JJS", "RB", "QP", "DT"}):
        for k in range(len(bare) - 1, -1, -1):
            if bare[k] in wanted:
                return k
    return len(bare) - 1


class Heads:
    """The head words of the nodes of a tree, each found once.

    Lookup time does not depend on the size of the tree, so a sentence with n mentions takes
    O(n log n).

    >>> tree = Parse.from_text("(NP (NP (DT the) (NN end)) (PP (IN of) (NP (PRP it))))")
    >>> heads = Heads(tree)
    >>> heads.of_words(0, 4), heads.of_words(1, 3)
    (1, 1)
    """

    def __init__(self, tree: Parse) -> None:
        self.nodes = _headed(tree)
        starting: list[list[Headed]] = [[] for _ in range(tree.size)]
        for each in self.nodes:  # parents come before children, so sizes fall
            starting[each.begin].append(each)
        self._starting = starting

    def of_words(self, begin: int, end: int) -> int:
        """The head of words `begin` to `end` (excluded), from the largest nodes that cover them."""
        found: list[Headed] = []
        at = begin
        while at < end:
            found.append(self._largest(at, end))
            at += found[-1].node.size
        return found[head_of_phrase([each.node.label for each in found])].head

    def _largest(self, begin: int, end: int) -> "Headed":
        """The largest node that begins at word `begin` and ends at or before `end`."""
        here = self._starting[begin]
        return here[bisect_left(here, begin - end, key=lambda each: -each.node.size)]


class Headed(NamedTuple):
    """A node, its first word and its head word."""

    node: Parse
    begin: int
    head: int


def _headed(tree: Parse) -> list[Headed]:
    """All nodes with their heads, parents before children."""
    found: list[Headed] = []
    waiting: list[int] = []  # heads of nodes whose parent is not processed yet
    for node, begin in reversed(list(tree.nodes())):
        head = begin
        if node.word is None:
            below = [waiting.pop() for _ in node.children]
            head = below[head_of_phrase([child.label for child in node.children])]
        waiting.append(head)
        found.append(Headed(node, begin, head))
    return found[::-1]


def likely_head(words: Sequence[str]) -> int:
    """Guess the head of a mention without a tree: the last word before any postmodifier.

    >>> likely_head(["the", "old", "man", "of", "the", "sea"])
    2
    """
    end = len(words)
    for k in range(1, len(words)):
        if words[k].lower() in AFTER:
            end = k
            break
    while end > 1 and words[end - 1] in ENDINGS:
        end -= 1
    return end - 1
