"""`HMM`: a hidden Markov model of tags and words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import ParameterError, UnknownName
from calibrant.structures.given import words_of
from calibrant.structures.saving import checked_array, pack_strings, unpack_strings, write_model
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus, check_corpus
from calibrant.structures.unknown import RULES

Float = NDArray[np.float64]


@dataclass(frozen=True)
class HMM:
    """A hidden Markov model: each tag depends on the one before, each word on its tag.

    Probabilities are relative frequencies with a pseudocount, so that nothing unseen is
    impossible. Words seen at most `rare` times are replaced by a class of words, in training and
    afterwards; words never seen are too.

    Parameters
    ----------
    pseudocount
        Added to every count.
    unknown
        The class of a rare word: "shape" goes by what it looks like and by its ending, "one" has
        one class for all.
    rare
        How often a word may have been seen and still be rare.

    Examples
    --------
    >>> import calibrant as cb
    >>> words, tags = (("the", "dog"), ("the", "cat")), (("D", "N"), ("D", "N"))
    >>> model = cb.models.HMM(rare=0).fit(cb.corpora.Corpus(words, tags))
    >>> model.posteriors([["the", "cat"]]).mode
    [['D', 'N']]
    """

    pseudocount: float = 0.03
    unknown: str = "shape"
    rare: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "pseudocount", real_number("pseudocount", self.pseudocount))
        if not self.pseudocount > 0:
            raise ParameterError(f"pseudocount must be positive, but it is {self.pseudocount!r}.")
        if self.unknown not in RULES:
            raise UnknownName("rule for unknown words", str(self.unknown), tuple(RULES))
        object.__setattr__(self, "rare", whole_number("rare", self.rare, 0))

    def fit(self, train: Corpus) -> "FittedHMM":
        """Count tags, moves and words."""
        corpus = check_corpus(train, "train")
        seen = Counter(word for sentence in corpus.words for word in sentence)
        common = sorted(word for word, count in seen.items() if count > self.rare)
        classes = sorted(
            {RULES[self.unknown](w) for w, count in seen.items() if count <= self.rare}
        )
        tags = corpus.tag_set
        vocabulary = {word: k for k, word in enumerate([*common, *classes, "<other>"])}
        tag_code = {tag: k for k, tag in enumerate(tags)}
        move, first, last = _counts(corpus, tag_code)
        emit = np.zeros((len(tags), len(vocabulary)))
        for words, its in zip(corpus.words, corpus.tags, strict=True):
            for word, tag in zip(words, its, strict=True):
                emit[tag_code[tag], _code(word, vocabulary, self.unknown)] += 1
        ends = np.column_stack([move, last]) + self.pseudocount  # a tag is followed, or the last
        ends /= ends.sum(axis=1, keepdims=True)
        emit += self.pseudocount
        emit /= emit.sum(axis=1, keepdims=True)
        first += self.pseudocount
        logs = [np.log(each) for each in (emit, ends[:, :-1], first / first.sum(), ends[:, -1])]
        return FittedHMM(self, tags, vocabulary, *logs)


@dataclass(frozen=True, eq=False, repr=False)
class FittedHMM:
    """A hidden Markov model with its probabilities, as logarithms."""

    settings: HMM
    tags: tuple[str, ...]
    vocabulary: dict[str, int]
    emit: Float  # (tags, words)
    move: Float
    first: Float
    last: Float

    def __repr__(self) -> str:
        return f"FittedHMM({len(self.tags)} tags, {len(self.vocabulary)} words and classes)"

    @property
    def count(self) -> int:
        """How many probabilities there are."""
        return sum(each.size for each in (self.emit, self.move, self.first, self.last))

    def posteriors(self, sentences: Corpus | Sequence[Sequence[str]]) -> Chain:
        """What the model believes about the tags of these sentences."""
        words = words_of(sentences)
        rule = self.settings.unknown
        codes = [[_code(word, self.vocabulary, rule) for word in sentence] for sentence in words]
        unary = [self.emit[:, each].T for each in codes]
        return Chain.from_scores(unary, self.move, first=self.first, last=self.last, tags=self.tags)

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder of npz and json; `load_model` reads it back."""
        facts = {"settings": asdict(self.settings), "tags": self.tags}
        arrays = {name: getattr(self, name) for name in ("emit", "move", "first", "last")}
        return write_model(
            folder, "HMM", facts, arrays | pack_strings("words", list(self.vocabulary))
        )

    @classmethod
    def of_saved(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "FittedHMM":
        """From what `save` wrote."""
        vocabulary = {word: k for k, word in enumerate(unpack_strings("words", arrays))}
        tags = tuple(facts["tags"])
        count = len(tags)
        shapes = {
            "emit": (count, len(vocabulary)),
            "move": (count, count),
            "first": (count,),
            "last": (count,),
        }
        logs = (checked_array(arrays, name, shape) for name, shape in shapes.items())
        return cls(HMM(**facts["settings"]), tags, vocabulary, *logs)


def _code(word: str, vocabulary: dict[str, int], rule: str) -> int:
    if word in vocabulary:
        return vocabulary[word]
    return vocabulary.get(RULES[rule](word), vocabulary["<other>"])


def _counts(corpus: Corpus, code: dict[str, int]) -> tuple[Float, Float, Float]:
    """Moves, first tags and last tags."""
    count = len(code)
    move, first, last = np.zeros((count, count)), np.zeros(count), np.zeros(count)
    for sentence in corpus.tags:
        if not sentence:
            continue
        codes = [code[tag] for tag in sentence]
        first[codes[0]] += 1
        last[codes[-1]] += 1
        np.add.at(move, (codes[:-1], codes[1:]), 1)
    return move, first, last
