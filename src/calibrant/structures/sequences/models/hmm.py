"""`HMM`: a hidden Markov model of tags and words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import ParameterError, UnknownName
from calibrant.structures.given import words_of
from calibrant.structures.saving import (
    checked_array,
    checked_names,
    pack_entries,
    unpack_entries,
    write_model,
)
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.reading.corpus import Corpus, check_corpus
from calibrant.structures.sequences.tempering import ChainLikelihood
from calibrant.structures.tempering.recalibrated import RecalibratedModel
from calibrant.structures.tempering.temperatures import Temperatures
from calibrant.structures.unknown import OTHER, RULES, Entry, look_up

Float = NDArray[np.float64]


@dataclass(frozen=True)
class HMM:
    """A hidden Markov model: each tag depends on the one before, each word on its tag.

    Probabilities are relative frequencies with a pseudocount, so nothing unseen is impossible.
    Words seen at most `rare` times, and unseen words, are replaced by word classes, in
    training and in prediction.

    Parameters
    ----------
    pseudocount
        Added to every count.
    unknown
        How to classify rare words: "shape" by shape and ending, "one" as a single class.
    rare
        Treat words seen at most this often as rare.

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
        code = {tag: k for k, tag in enumerate(corpus.tag_set)}
        vocabulary = self._vocabulary(corpus)
        move, first, last = _counts(corpus, code)
        emit = np.zeros((len(code), len(vocabulary)))
        for words, tags in zip(corpus.words, corpus.tags, strict=True):
            for word, tag in zip(words, tags, strict=True):
                emit[code[tag], vocabulary[look_up(word, vocabulary, self.unknown)]] += 1
        ends = np.column_stack([move, last]) + self.pseudocount  # moves, or the end
        ends /= ends.sum(axis=1, keepdims=True)
        emit += self.pseudocount
        emit /= emit.sum(axis=1, keepdims=True)
        first += self.pseudocount
        first /= first.sum()
        return FittedHMM(
            settings=self,
            tags=corpus.tag_set,
            vocabulary=vocabulary,
            emit=np.log(emit),
            move=np.log(ends[:, :-1]),
            first=np.log(first),
            last=np.log(ends[:, -1]),
        )

    def _vocabulary(self, corpus: Corpus) -> dict[Entry, int]:
        """Number every common word, every class of rare words, and the class of all others."""
        seen = Counter(word for sentence in corpus.words for word in sentence)
        common = sorted(word for word, count in seen.items() if count > self.rare)
        rule = RULES[self.unknown]
        classes = sorted({rule(word) for word, count in seen.items() if count <= self.rare})
        entries: list[Entry] = [*common, *classes, OTHER]
        return {entry: k for k, entry in enumerate(entries)}


@dataclass(frozen=True, eq=False, repr=False)
class FittedHMM(RecalibratedModel):
    """A fitted hidden Markov model; its probabilities are kept as logarithms."""

    likelihood: ClassVar[type[ChainLikelihood]] = ChainLikelihood
    settings: HMM
    tags: tuple[str, ...]
    vocabulary: dict[Entry, int]
    emit: Float  # (tags, words and classes)
    move: Float
    first: Float
    last: Float
    temperatures: Temperatures = Temperatures.none

    def __repr__(self) -> str:
        return f"FittedHMM({len(self.tags)} tags, {len(self.vocabulary)} words and classes)"

    @property
    def count(self) -> int:
        """The number of probabilities."""
        return sum(each.size for each in (self.emit, self.move, self.first, self.last))

    def posteriors(self, sentences: Corpus | Sequence[Sequence[str]]) -> Chain:
        """The posterior over the tags of these sentences."""
        unary = [self.emit[:, self._codes(words)].T for words in words_of(sentences)]
        chain = Chain.from_scores(
            unary, self.move, first=self.first, last=self.last, tags=self.tags
        )
        return chain.tempered(self.temperatures) if self.temperatures else chain

    def _codes(self, words: Sequence[str]) -> list[int]:
        known, rule = self.vocabulary, self.settings.unknown
        return [known[look_up(word, known, rule)] for word in words]

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder of npz and json; `load_model` reads it back."""
        facts = {"settings": asdict(self.settings), "tags": self.tags, **self.tempered_facts()}
        arrays = {name: getattr(self, name) for name in ("emit", "move", "first", "last")}
        return write_model(folder, "HMM", facts, arrays | pack_entries("entry", [*self.vocabulary]))

    @classmethod
    def of_saved(cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "FittedHMM":
        """Restore a model from the contents of a saved folder."""
        vocabulary = {entry: k for k, entry in enumerate(unpack_entries("entry", arrays))}
        tags = checked_names(facts, "tags")
        count = len(tags)
        if OTHER not in vocabulary:
            raise ValueError(f"there is no class {OTHER} among its entries")
        return cls(
            settings=HMM(**facts["settings"]),
            tags=tags,
            vocabulary=vocabulary,
            emit=checked_array(arrays, "emit", (count, len(vocabulary))),
            move=checked_array(arrays, "move", (count, count)),
            first=checked_array(arrays, "first", (count,)),
            last=checked_array(arrays, "last", (count,)),
            temperatures=cls.saved_temperatures(facts),
        )


def _counts(corpus: Corpus, code: dict[str, int]) -> tuple[Float, Float, Float]:
    """Count moves, first tags and last tags."""
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
