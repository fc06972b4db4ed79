"""Find mentions in trees: noun phrases and pronouns, the largest per head."""

from collections.abc import Iterator, Sequence

from calibrant.structures.coreference.accuracy import Share
from calibrant.structures.coreference.documents import Document, Mention
from calibrant.structures.trees.heads import Heads
from calibrant.structures.trees.parse import Parse, bare_label

PRONOUNS = {"PRP", "PRP$"}  # tags of personal and possessive pronouns


def find_mentions(trees: Sequence[Parse]) -> list[Mention]:
    """Find noun phrases and pronouns; of those that share a head, only the largest.

    A smaller phrase is kept if a comma or a conjunction follows it, because it is then part of a
    coordination. Trees must not have empty nodes.

    Examples
    --------
    >>> import calibrant as cb
    >>> tree = "(S (NP (NP (DT the) (NN head)) (PP (IN of) (NP (PRP it)))) (VP (VBZ is)))"
    >>> find_mentions([cb.corpora.Parse.from_text(tree)])
    [Mention(sentence=0, begin=0, end=4, head=1), Mention(sentence=0, begin=3, end=4, head=3)]
    """
    return [mention for k, tree in enumerate(trees) for mention in _of_sentence(k, tree)]


def _of_sentence(number: int, tree: Parse) -> list[Mention]:
    tags = tree.tags
    kept: dict[int, set[Mention]] = {}  # by head
    for mention in sorted(_candidates(number, tree), key=lambda each: each.order):
        others = kept.setdefault(mention.head, set())
        follows = tags[mention.end] if mention.end < len(tags) else ""
        if not others or follows in (",", "CC"):
            others.add(mention)
    return sorted((each for found in kept.values() for each in found), key=lambda each: each.order)


def _candidates(number: int, tree: Parse) -> Iterator[Mention]:
    for node, begin, head in Heads(tree).nodes:
        phrase = node.word is None and bare_label(node.label) == "NP"
        if phrase or (node.word is not None and node.label in PRONOUNS):
            yield Mention(number, begin, begin + node.size, head)


def mention_recall(gold: Sequence[Document], found: Sequence[Document]) -> Share:
    """Recall and precision of the mentions of documents."""
    true = [{each.span for each in document.mentions} for document in gold]
    other = [{each.span for each in document.mentions} for document in found]
    both = sum(len(a & b) for a, b in zip(true, other, strict=True))
    return Share(both, sum(map(len, true)), both, sum(map(len, other)))
