"""Heads of noun phrases: the word that says what is meant."""

from collections.abc import Sequence

from calibrant.structures.trees.parse import Parse, bare_label

NOUNS = {"NN", "NNP", "NNPS", "NNS", "NX", "JJR"}
NAMES_OF_NOTHING = {"'s", "’s", "'", "’", ",", ".", ";", ":", "-", "--", ")", '"', "''", "”"}
AFTER = {
    "of", "in", "on", "at", "from", "with", "without", "for", "to", "by", "about", "under", "over",
    "between", "among", "near", "behind", "before", "after", "upon", "into", "like", "as", "than",
    "who", "whom", "whose", "which", "that", "where", "when", "and", "or", "but", ",", "(", ";",
    ":", "--", "-", "—", "whatever", "having", "being", "called", "named",
}  # fmt: skip


def head_of_phrase(labels: Sequence[str]) -> int:
    """The child that holds the head of a noun phrase, by the labels of its children.

    Much as Collins's rules: the last noun (or comparative), else the first noun phrase, else the
    last of, in this order, pronouns, sums and adjective phrases, numbers, adjectives and
    determiners, else the last child. A genitive 's is no head.
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


def head_of_node(node: Parse, begin: int) -> int:
    """The head word of a node whose first word is `begin`."""
    while node.word is None:
        child = head_of_phrase([each.label for each in node.children])
        begin += sum(each.size for each in node.children[:child])
        node = node.children[child]
    return begin


def head_of_words(tree: Parse, begin: int, end: int) -> int:
    """The head of words `begin` to `end` (excluded), by the largest nodes that they make up.

    >>> tree = Parse.from_text("(NP (NP (DT the) (NN end)) (PP (IN of) (NP (PRP it))))")
    >>> head_of_words(tree, 0, 4), head_of_words(tree, 1, 3)
    (1, 1)
    """
    found: list[tuple[Parse, int]] = []
    reached = begin
    for node, at in tree.nodes():
        if at == reached and at + node.size <= end:
            found.append((node, at))
            reached += node.size
    return head_of_node(*found[head_of_phrase([node.label for node, _ in found])])


def likely_head(words: Sequence[str]) -> int:
    """The head of a mention whose tree is not known: the last word before what modifies it.

    >>> likely_head(["the", "old", "man", "of", "the", "sea"])
    2
    """
    end = len(words)
    for k in range(1, len(words)):
        if words[k].lower() in AFTER:
            end = k
            break
    while end > 1 and words[end - 1] in NAMES_OF_NOTHING:
        end -= 1
    return end - 1
