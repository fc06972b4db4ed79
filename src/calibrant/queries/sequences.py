"""Questions about the tags of sentences."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant import arrays
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.posteriors import Chain
from calibrant.queries.query import Query

Tags = Sequence[Sequence[str]]


@dataclass(frozen=True, repr=False)
class TagIs(Query):
    """Is the tag of this word that one? One question per word; sentences are groups.

    A gold tag that the model does not know is not the tag asked about: the answer is no.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> from calibrant.posteriors import Chain
    >>> from calibrant.queries import TagIs
    >>> chain = Chain.from_scores([np.log([[0.9, 0.1], [0.4, 0.6]])], np.zeros((2, 2)), tags="DN")
    >>> cb.ask(chain, [["D", "N"]], TagIs("N"))
    Pairs(2 pairs in 1 group: 50 % positive, mean q 0.35)
    """

    about: ClassVar[type] = Chain
    tag: str

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair per word."""
        code = posterior.code(self.tag)
        tags = np.concatenate([np.array(each, object) for each in gold_tags(posterior, gold)])
        q = np.ascontiguousarray(posterior.marginals[:, code]).clip(0.0, 1.0)
        return Pairs(tags == self.tag, q, group=_of_words(posterior, group))


@dataclass(frozen=True, repr=False)
class TagPair(Query):
    """Are the tags of two neighbours these? One question per pair of neighbours, exactly.

    The probability is that of both together, which is not the product of two marginals.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cb
    >>> from calibrant.posteriors import Chain
    >>> from calibrant.queries import TagPair
    >>> chain = Chain.from_scores([np.log([[0.9, 0.1], [0.4, 0.6]])], np.zeros((2, 2)), tags="DN")
    >>> cb.ask(chain, [["D", "N"]], TagPair("D", "N"))
    Pairs(1 pair in 1 group: 100 % positive, mean q 0.54)
    """

    about: ClassVar[type] = Chain
    first: str
    second: str

    def pairs(self, posterior: Chain, gold: object, group: object = None) -> Pairs:
        """One pair for every two neighbours."""
        q = posterior.pair_marginals(self.first, self.second)
        if q.size == 0:
            raise InputError("No sentence has two words, so there are no neighbours.")
        wanted = (self.first, self.second)
        tags = gold_tags(posterior, gold)
        y = [pair == wanted for each in tags for pair in itertools.pairwise(each)]
        within = np.ones(posterior.score.shape[0], bool)
        within[posterior.start[:-1][posterior.lengths > 0]] = False  # first words follow nothing
        return Pairs(np.array(y), q.clip(0.0, 1.0), group=_of_words(posterior, group)[within])


def gold_tags(posterior: Chain, gold: object) -> Tags:
    """The tags of every sentence, of a corpus or a list, as many as the posterior has."""
    tags: Any = getattr(gold, "tags", gold)
    if isinstance(tags, str) or len(tags) != len(posterior):
        found = "a string" if isinstance(tags, str) else f"{len(tags)} sentences"
        raise InputError(f"The posterior has {len(posterior)} sentences, but gold has {found}.")
    for k, (each, length) in enumerate(zip(tags, posterior.lengths, strict=True)):
        if len(each) != length:
            raise InputError(f"Sentence {k} has {length} words, but its gold has {len(each)} tags.")
    return tags  # type: ignore[no-any-return]


def _of_words(posterior: Chain, group: object) -> NDArray[Any]:
    """The group of every word: its sentence, or the document of its sentence."""
    labels = np.arange(len(posterior)) if group is None else arrays.labels(group, "group")
    if labels.size != len(posterior):
        raise InputError(
            f"group must have one label for each of the {len(posterior)} sentences, but it has "
            f"{labels.size}."
        )
    return np.repeat(labels, posterior.lengths)
