"""Queries about the predictions of a tagger: its tags, its spans and its whole sequences."""

import itertools
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError
from calibrant.pairs import Pairs
from calibrant.structures.gold import sentence_groups
from calibrant.structures.places import TypedPlaces
from calibrant.structures.query import Keys, Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.gold import gold_tags
from calibrant.structures.sequences.span_queries import NO_SPANS, span_columns
from calibrant.structures.sequences.tag_queries import word_keys
from calibrant.structures.spans import OUTSIDE, Span, spans, split_tag, types_of
from calibrant.structures.ties import without_noise

Float = NDArray[np.float64]
Int = NDArray[np.int64]
WAYS = ("word", "sequence")


@dataclass(frozen=True, repr=False)
class PredictedTag(Query):
    """Is the predicted tag of this word correct? One question per word.

    The confidence of a tagger: q is the exact probability of its answer, and y is whether the
    answer is the gold tag. If the model does not know the gold tag, the answer is wrong. Groups
    are documents if the corpus has them, and sentences otherwise.

    Parameters
    ----------
    by
        "word" (the default) predicts for each word the tag with the largest marginal probability.
        By the model's own probabilities no other choice gets more words right, and q is the
        largest probability of any tag of the word, as in `TopLabel`. "sequence" takes the tags of
        the most probable sequence, `Chain.mode`; use it if this is the output that you act on.

    Notes
    -----
    Ties go to the tag that the model lists first. By word, probabilities that agree in twelve
    digits are tied, so rounding errors decide nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = [np.log([[0.9, 0.1], [0.4, 0.6]])]
    >>> chain = cb.Chain.from_scores(scores, np.zeros((2, 2)), tags=["D", "N"])
    >>> cb.ask(chain, [["D", "D"]], cb.PredictedTag())
    Pairs(2 pairs in 1 group: 50 % positive, mean q 0.75)
    """

    about: ClassVar[type] = Chain
    by: str = "word"

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise ParameterError(f'by must be "word" or "sequence", but it is {self.by!r}.')

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per word."""
        tags = itertools.chain.from_iterable(gold_tags(posterior, gold))
        codes = self._codes(posterior)
        _check_words(posterior)
        y = [posterior.tags[code] == tag for code, tag in zip(codes.tolist(), tags, strict=True)]
        q = posterior.marginals[np.arange(codes.size), codes].clip(0.0, 1.0)
        groups = sentence_groups(posterior, gold, group)
        return Pairs(np.array(y), q, group=np.repeat(groups, posterior.lengths))

    def keys(self, posterior: Chain) -> Keys:
        """The sentence, the word and the predicted tag of each pair."""
        tags = np.asarray(posterior.tags)[self._codes(posterior)]
        return {**word_keys(posterior, 1), "tag": tags}

    def _codes(self, posterior: Chain) -> Int:
        """The column of the predicted tag of every word."""
        if self.by == "sequence":
            return posterior.mode_codes
        return np.asarray(without_noise(posterior.marginals).argmax(axis=1), np.int64)


@dataclass(frozen=True, repr=False)
class PredictedSpan(Query):
    """Is this predicted span correct? One question per span of the best sequence.

    The predictions are the spans of the most probable sequence, `Chain.mode`, read as in `HasSpan`.
    A span is correct if the gold has a span with the same first word, last word and type. q is the
    exact probability of this, a sum over all tag sequences, equal to that of `HasSpan` at the same
    place. Gold spans that were not predicted are not asked about. Groups are documents if the
    corpus has them, and sentences otherwise.

    Parameters
    ----------
    type
        Only spans of this type, such as "PER" (default: None, spans of all types).

    Notes
    -----
    Tags of the model that do not encode spans count as O. Of tied sequences, `Chain.mode` takes
    that of the tags that the model lists first.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = np.log([[0.6, 0.1, 0.3], [0.1, 0.7, 0.2]])
    >>> chain = cb.Chain.from_scores([scores], np.zeros((3, 3)), tags=["B-PER", "I-PER", "O"])
    >>> chain.mode
    [['B-PER', 'I-PER']]
    >>> cb.ask(chain, [["B-PER", "O"]], cb.PredictedSpan())
    Pairs(1 pair in 1 group: 0 % positive, mean q 0.49)
    """

    about = Chain
    type: str | None = None

    def __post_init__(self) -> None:
        if self.type is not None and (not isinstance(self.type, str) or not self.type):
            raise ParameterError(
                f"type must be the name of a type or None, but it is {self.type!r}."
            )

    def where(self, posterior: Chain) -> TypedPlaces:
        """The spans of the best sequences, with their probabilities."""
        types = types_of(posterior.tags) if self.type is None else (self.type,)
        if not types:
            raise InputError(NO_SPANS)
        marks = {type: span_columns(type, posterior.tags) for type in types}
        found = [
            (k, span)
            for k, tags in enumerate(posterior.mode)
            for span in spans([tag if split_tag(tag) else OUTSIDE for tag in tags])
            if span.type in marks
        ]
        return TypedPlaces.of(found, _chances(posterior, found, marks))

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per predicted span."""
        tags = gold_tags(posterior, gold)
        places = self.where(posterior)
        true = {(k, span) for k, each in enumerate(tags) for span in spans(each)}
        what = "span" if self.type is None else f"span of type {self.type!r}"
        nothing = (
            f"No most probable sequence has a {what}, so there is nothing to ask about. HasSpan "
            "asks about every likely span."
        )
        return places.pairs(true, sentence_groups(posterior, gold, group), nothing)

    def keys(self, posterior: Chain) -> Keys:
        """The sentence, the first word, the word after the last, and the type of each pair."""
        return self.where(posterior).keys()


@dataclass(frozen=True, repr=False)
class PredictedSequence(Query):
    """Is the predicted sequence correct as a whole? One question per sentence.

    The prediction is the most probable sequence, `Chain.mode`, and q is its exact probability. It
    is correct if every tag is. Sentences without words are left out. Groups are documents if the
    corpus has them, and sentences otherwise. Of tied sequences, `Chain.mode` takes that of the
    tags that the model lists first.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = [np.log([[0.9, 0.1], [0.4, 0.6]])]
    >>> chain = cb.Chain.from_scores(scores, np.zeros((2, 2)), tags=["D", "N"])
    >>> cb.ask(chain, [["D", "N"]], cb.PredictedSequence())
    Pairs(1 pair in 1 group: 100 % positive, mean q 0.54)
    """

    about: ClassVar[type] = Chain

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per sentence that has words."""
        tags = gold_tags(posterior, gold)
        _check_words(posterior)
        asked = np.flatnonzero(posterior.lengths)
        y = np.array([posterior.mode[k] == list(tags[k]) for k in asked.tolist()])
        groups = sentence_groups(posterior, gold, group)
        return Pairs(y, posterior.mode_probabilities[asked], group=groups[asked])

    def keys(self, posterior: Chain) -> Keys:
        """The sentence of each pair, its first word and the word after its last."""
        asked = np.flatnonzero(posterior.lengths)
        end = posterior.lengths[asked]
        return {"sentence": asked, "begin": np.zeros_like(end), "end": end}


def _check_words(posterior: Chain) -> None:
    if not posterior.lengths.any():
        raise InputError("No sentence has a word, so there is nothing to ask about.")


def _chances(
    posterior: Chain, found: list[tuple[int, Span]], marks: dict[str, tuple[int, int, int, int]]
) -> Float:
    """The exact probability of each span."""
    from calibrant.kernels.sequences.spans import given_spans

    q = np.empty(len(found))
    together: dict[tuple[int, str], list[int]] = {}  # the spans of a type in a sentence
    for at, (k, span) in enumerate(found):
        together.setdefault((k, span.type), []).append(at)
    ends = posterior.move, posterior.first, posterior.last
    for (k, type), rows in together.items():
        score = posterior.score[posterior.start[k] : posterior.start[k + 1]]
        begin = np.array([found[at][1].begin for at in rows], np.int64)
        end = np.array([found[at][1].end for at in rows], np.int64)
        share = np.empty(len(rows))
        given_spans(score, *ends, marks[type], begin, end, share)
        q[rows] = share
    return q
