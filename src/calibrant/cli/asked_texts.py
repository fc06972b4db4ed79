"""The text that each question is about, with its place in characters: `calibrant ask --text`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calibrant.cli.answers import gathered
from calibrant.errors import UnsupportedError, option

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from calibrant.cli.answers import Believed
    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.query import Query

    Int = NDArray[np.int64]
BETWEEN = " … "  # two sentences that do not follow each other


class Sentences(NamedTuple):
    """Sentences as texts, and where each of their words is."""

    texts: "NDArray[np.object_]"
    first: "Int"  # the number of the first word of each sentence, among all words
    begin: "Int"  # of every word, in characters of its sentence
    length: "Int"  # of every word

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]]) -> "Sentences":
        """Words joined by blanks."""
        import numpy as np

        texts = np.array([" ".join(words) for words in sentences], object)
        length = np.array([len(word) for words in sentences for word in words], np.int64)
        sizes = np.array([len(words) for words in sentences], np.int64)
        first = np.cumsum(sizes) - sizes
        before = np.cumsum(length + 1) - length - 1
        start = before[np.minimum(first, before.size - 1)] if before.size else first
        return cls(texts, first, before - np.repeat(start, sizes), length)

    def place(self, sentence: "Int", begin: "Int", end: "Int") -> "tuple[Int, Int]":
        """The characters of words begin, ..., end − 1 of sentences."""
        first, last = self.first[sentence] + begin, self.first[sentence] + end - 1
        return self.begin[first], self.begin[last] + self.length[last]


def text_columns(query: "Query", believed: "Believed") -> dict[str, Any]:
    """The columns text, begin and end of every pair; begin2 and end2 of pairs of mentions.

    A tree also has the column `parse`, the most probable parse of the sentence.
    """
    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.trees.tree import Tree

    keys = query.keys(believed.posterior)
    if not keys:
        raise UnsupportedError(f"Answers by sampling have no texts: leave {option('text')} out.")
    if isinstance(believed.gold, Documents):
        return _of_mentions(keys, believed.gold)
    sentences = Sentences.of(believed.gold.words)
    begin, end = sentences.place(keys["sentence"], keys["begin"], keys["end"])
    found = {"text": gathered(sentences.texts, keys["sentence"]), "begin": begin, "end": end}
    if isinstance(believed.posterior, Tree):
        parses = [str(each) for each in believed.posterior.mode]
        found["parse"] = gathered(parses, keys["sentence"])
    return found


def _of_mentions(keys: dict[str, Any], gold: "Documents") -> dict[str, Any]:
    """The sentence of a mention; of two mentions, both sentences, the earlier first."""
    import numpy as np

    sentences = Sentences.of([words for each in gold for words in each.words])
    many = np.array([len(each.words) for each in gold])
    start = np.repeat(np.cumsum(many) - many, [len(each.mentions) for each in gold])
    mentions = np.array([m[:3] for each in gold for m in each.mentions], np.int64).reshape(-1, 3)
    sentence = mentions[:, 0] + start
    begin, end = sentences.place(sentence, mentions[:, 1], mentions[:, 2])
    sizes = [len(each.mentions) for each in gold]
    offset = (np.cumsum(sizes) - sizes)[keys["document"]]
    one, *others = (offset + keys[name] for name in keys if name != "document")
    if not others:
        return {
            "text": gathered(sentences.texts, sentence[one]),
            "begin": begin[one],
            "end": end[one],
        }
    (other,) = others
    both = np.sort(np.column_stack([sentence[one], sentence[other]]), axis=1)
    early, late = both.T
    texts, moved = _joined(sentences, early, late)
    places: dict[str, Any] = {}
    for mark, each in (("", one), ("2", other)):
        shift = np.where(sentence[each] == early, 0, moved)
        places |= {f"begin{mark}": begin[each] + shift, f"end{mark}": end[each] + shift}
    return {"text": texts, **places}


def _joined(sentences: Sentences, early: "Int", late: "Int") -> "tuple[polars.Series, Int]":
    """The text of two sentences, which may be one; and by how much the second is moved."""
    import numpy as np

    distinct, at = np.unique(np.column_stack([early, late]), axis=0, return_inverse=True)
    texts, moved = [], []
    for first, second in distinct.tolist():
        start = sentences.texts[first]
        if first != second:
            start += " " if second == first + 1 else BETWEEN
        moved.append(len(start) if first != second else 0)
        texts.append(start + sentences.texts[second] if first != second else start)
    at = at.reshape(-1)
    return gathered(texts, at), np.array(moved, np.int64)[at]
