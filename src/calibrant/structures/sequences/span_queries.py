"""Queries about spans of words: names, chunks, quotations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError, nearest
from calibrant.pairs import Pairs
from calibrant.pairs.tallies import Tallies
from calibrant.structures.gold import sentence_groups
from calibrant.structures.places import Places, checked_floor
from calibrant.structures.query import Keys, Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.counting import span_steps, tally_sentences
from calibrant.structures.sequences.gold import gold_tags
from calibrant.structures.spans import OUTSIDE, spans, split_tag, types_of

Int = NDArray[np.int64]
NO_SPANS = (
    "The model has no tags such as B-PER or I-PER, so it knows no spans: ask TagIs or PredictedTag."
)


@dataclass(frozen=True, repr=False)
class HasSpan(Query):
    """Is there a span of this type exactly here? One question per likely span.

    Tags are read as conlleval reads them, in IOB2, IOB1, IO, BIOES or BILUO: B-T and S-T begin a
    span, and so do I-T and E-T unless they follow B-T or I-T. The probability is exact: a sum
    over all tag sequences with this span, not the product of the marginals of its tags.

    The query covers all spans with a probability of at least `floor`, regardless of the gold. Gold
    spans below the floor are not included: lower the floor to include more of them. With `floor=0`
    it covers all n (n + 1) / 2 spans of a sentence, nearly all of them with tiny probabilities.
    Groups are documents if the corpus has them, and sentences otherwise.

    Parameters
    ----------
    type
        The type of the spans, such as "PER".
    floor
        Ignore spans with a lower probability.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> scores = np.log([[0.6, 0.1, 0.3], [0.1, 0.7, 0.2]])
    >>> chain = cb.Chain.from_scores([scores], np.zeros((3, 3)), tags=["B-PER", "I-PER", "O"])
    >>> cb.HasSpan("PER").where(chain).q.round(2)
    array([0.21, 0.49, 0.31])
    >>> cb.ask(chain, [["B-PER", "I-PER"]], cb.HasSpan("PER"))
    Pairs(3 pairs in 1 group: 33.3 % positive, mean q 0.337)
    """

    about = Chain
    type: str
    floor: float = 0.001

    def __post_init__(self) -> None:
        if not isinstance(self.type, str) or not self.type:
            raise ParameterError(f"type must be the name of a type, but it is {self.type!r}.")
        object.__setattr__(self, "floor", checked_floor(self.floor))

    def where(self, posterior: Chain) -> Places:
        """All spans of this type that reach the floor, with their probabilities."""
        from calibrant.kernels.sequences.spans import spans_of

        marks = span_columns(self.type, posterior.tags)
        floor = float(self.floor)
        move, first, last = posterior.move, posterior.first, posterior.last
        found = [
            spans_of(posterior.score[a:b], move, first, last, marks, floor)
            for a, b in zip(posterior.start[:-1], posterior.start[1:], strict=True)
            if a < b
        ]
        if not found:
            raise InputError("No sentence has a word, so there are no spans.")
        begin, end, q = (np.concatenate(each) for each in zip(*found, strict=True))
        sizes = [each[0].size for each in found]
        return Places(np.repeat(np.flatnonzero(posterior.lengths), sizes), begin, end, q)

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per span that reaches the floor."""
        tags = gold_tags(posterior, gold)
        places = self.where(posterior)
        true = {
            (k, begin, end)
            for k, each in enumerate(tags)
            for begin, end, type in spans(each)
            if type == self.type
        }
        groups = sentence_groups(posterior, gold, group)
        what = f"span of type {self.type!r}"
        return places.pairs(true, groups, what, self.floor)

    def tallies(
        self,
        posterior: Chain,
        gold: object = None,
        group: object = None,
        by: Mapping[str, Any] | None = None,
    ) -> Tallies:
        """The number of spans of this type in each sentence; a share is one of its words.

        All spans are counted, however unlikely: `floor` has no effect.
        """
        steps = span_steps(posterior, span_columns(self.type, posterior.tags))
        other = {tag for tag in posterior.tags if split_tag(tag) is None}  # of no span

        def number(tags: Sequence[str]) -> int:
            readable = [OUTSIDE if tag in other else tag for tag in tags]
            return sum(span.type == self.type for span in spans(readable))

        return tally_sentences(posterior, steps, number, posterior.lengths, gold, group, by)

    def keys(self, posterior: Chain) -> Keys:
        """The sentence, the first word and the word after the last of each pair."""
        return self.where(posterior).keys()


def span_columns(type: str, tags: tuple[str, ...]) -> tuple[int, int, int, int]:
    """The columns of B, I, E and S of a type; −1 for tags that the model lacks."""
    found = dict.fromkeys("BIES", -1)
    for column, tag in enumerate(tags):
        mark, its = split_tag(tag) or (OUTSIDE, "")
        if its != type:
            continue
        if found[mark] >= 0:
            raise InputError(
                f"Tags must be of one scheme, but the model has {tags[found[mark]]!r} and "
                f"{tag!r}, which mean the same."
            )
        found[mark] = column
    if set(found.values()) == {-1}:
        raise InputError(_unknown(type, types_of(tags)))
    return found["B"], found["I"], found["E"], found["S"]


def _unknown(type: str, types: Iterable[str]) -> str:
    known = list(types)
    if not known:
        return NO_SPANS
    near = nearest(type, known)
    hint = f"Did you mean {near!r}?" if near else f"It knows {', '.join(known)}."
    return f"The model knows no spans of type {type!r}. {hint}"
