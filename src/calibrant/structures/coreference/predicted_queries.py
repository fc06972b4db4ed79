"""Queries about the predictions of a coreference system: the antecedent of each mention."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.pairs import Pairs
from calibrant.structures.coreference.gold import document_groups, gold_entities
from calibrant.structures.coreference.links import Links
from calibrant.structures.coreference.queries import check_mentions, mention_keys
from calibrant.structures.query import Keys, Query
from calibrant.structures.ties import without_noise

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class PredictedLink(Query):
    """Is the predicted antecedent of this mention correct? One question per mention.

    The prediction is the most probable choice of the mention, `Links.choices`: an earlier mention,
    or a new entity. An antecedent is correct if both mentions belong to the same gold entity. A new
    entity is correct if the mention is the first of its gold entity. Documents are groups.

    The gold says which mentions corefer, not which one continues which. So for an antecedent q is
    the exact probability that the two mentions corefer, directly or through others, as in
    `SameEntity`. It is at least the probability of the direct link. For a new entity q is that of
    `NewEntity`. The first mention of a document is always new, with q = 1.

    Notes
    -----
    Of tied choices the latest mention is taken, and a new entity before any antecedent. This
    depends on the order of mentions in the text only.

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> links.choices[0].tolist()  # 1 continues 0, and 2 continues 1
    [0, 0, 1]
    >>> pairs = cb.ask(links, [["Ada", "Ada", "Bob"]], cb.PredictedLink())
    >>> pairs.q.round(2)  # 1, 0.6, and 0.7 + 0.1 · 0.6
    array([1.  , 0.6 , 0.76])
    >>> pairs.y.tolist()
    [True, True, False]
    """

    about: ClassVar[type] = Links

    def pairs(self, posterior: Links, gold: object, group: object = None) -> Pairs:
        """One pair for each mention."""
        true = gold_entities(posterior, gold)
        check_mentions(posterior)
        y = [_right(each, chosen) for each, chosen in zip(true, posterior.choices, strict=True)]
        q = [_chances(posterior, k) for k in range(len(posterior))]
        groups = np.repeat(document_groups(posterior, group), posterior.lengths)
        return Pairs(np.concatenate(y), without_noise(np.concatenate(q)), group=groups)

    def keys(self, posterior: Links) -> Keys:
        """The document, the mention and its antecedent, which is the mention itself if new."""
        chosen = np.concatenate(posterior.choices).astype(np.int64)
        return {**mention_keys(posterior), "antecedent": chosen}


def _right(entity: Int, chosen: NDArray[np.int32]) -> Bool:
    """Whether each choice is correct; entities are numbered by their first mention."""
    at = np.arange(entity.size)
    right: Bool = np.where(chosen == at, entity == at, entity == entity[chosen])
    return right


def _chances(links: Links, document: int) -> Float:
    """The probability that each choice is correct."""
    chosen = links.choices[document]
    at = np.arange(chosen.size)
    together = links.pair_probabilities(document)[at, chosen]
    return np.where(chosen == at, links.new_probabilities(document), together)
