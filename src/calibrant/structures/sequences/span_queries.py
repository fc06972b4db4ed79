"""Questions about spans of words: names, chunks, quotations."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, ParameterError, nearest
from calibrant.pairs import Pairs
from calibrant.structures.gold import sentence_groups
from calibrant.structures.places import Places, checked_floor
from calibrant.structures.query import Keys, Query
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.gold import gold_tags
from calibrant.structures.spans import spans, types_of

Int = NDArray[np.int64]
OTHER_PARTS = "ESLU"  # of schemes that mark the last and the only words of a span


@dataclass(frozen=True, repr=False)
class HasSpan(Query):
    """Is there a span of this type exactly here? One question per span that is likely enough.

    A span of type T begins at B-T, or at I-T that follows neither B-T nor I-T, goes on with I-T
    and ends before anything else, as conlleval reads tags; without B-T the model writes IO. The
    probability is exact, a sum over all sequences that have this span: it is not the product of
    the marginals of its tags.

    All spans that the model gives at least `floor` are asked about, however long and whatever is
    true. True spans below the floor are not: lower it to see more of them. With `floor=0` all
    n (n + 1) / 2 spans of a sentence are asked about, nearly all of them hopeless. Sentences are
    groups, or documents where the corpus has them.

    Parameters
    ----------
    type
        The type of the spans, such as "PER".
    floor
        The least probability of spans that are asked about.

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

        pair = self._columns(posterior.tags)
        floor = float(self.floor)
        move, first, last = posterior.move, posterior.first, posterior.last
        found = [
            spans_of(posterior.score[a:b], move, first, last, pair, floor)
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

    def keys(self, posterior: Chain) -> Keys:
        """The sentence, the first word and the word after the last of each pair."""
        return self.where(posterior).keys()

    def _columns(self, tags: tuple[str, ...]) -> tuple[int, int]:
        """The columns of B and I of this type; −1 where there is none."""
        others = [tag for tag in tags if tag in {f"{part}-{self.type}" for part in OTHER_PARTS}]
        if others:
            raise InputError(
                f"HasSpan reads tags B-, I- and O, but the model also has {others[0]!r}: "
                "rewrite its tags, or ask with Holds."
            )
        wanted = f"B-{self.type}", f"I-{self.type}"
        if not set(wanted) & set(tags):
            raise InputError(self._unknown(types_of(tags)))
        one, other = (tags.index(tag) if tag in tags else -1 for tag in wanted)
        return one, other

    def _unknown(self, types: Iterable[str]) -> str:
        known = list(types)
        if not known:
            return "The model has no tags B-... or I-..., so it knows no spans: ask TagIs."
        near = nearest(self.type, known)
        hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(known)}."
        return f"There are no spans of type {self.type!r} among {len(known)} types.{hint}"
