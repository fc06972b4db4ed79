"""Coreference metrics: MUC, B³, CEAFe and their mean, the CoNLL score."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from calibrant.errors import InputError

Clusters = Sequence[frozenset[Hashable]]


class Share(NamedTuple):
    """Recall and precision as counts, which can be added over documents."""

    recall_part: float
    recall_whole: float
    precision_part: float
    precision_whole: float

    @property
    def recall(self) -> float:
        """The share of the gold that was found."""
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        """The share of the findings that is correct."""
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


@dataclass(frozen=True)
class CoreferenceScore:
    """MUC, B³ and CEAFe of several documents, with recall and precision of mentions."""

    muc: Share
    b_cubed: Share
    ceaf_e: Share
    mentions: Share

    @property
    def conll(self) -> float:
        """The mean of the F1 of MUC, B³ and CEAFe."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf_e.f1) / 3

    def __str__(self) -> str:
        parts = {"MUC": self.muc, "B³": self.b_cubed, "CEAFe": self.ceaf_e}
        each = ", ".join(f"{name} {100 * share.f1:.2f}" for name, share in parts.items())
        return f"CoNLL {100 * self.conll:.2f} ({each})"


def score_clusters(
    gold: Iterable[Iterable[Iterable[Hashable]]],
    found: Iterable[Iterable[Iterable[Hashable]]],
    *,
    singletons: bool = True,
) -> CoreferenceScore:
    """Score the clusters of every document like the reference scorer of CoNLL.

    Parameters
    ----------
    gold, found
        The entities of each document, each a list of mentions. Mentions are the same if they
        compare equal, as `MentionSpan`s do.
    singletons
        Whether entities of one mention count (default: True). Leave them out if the corpus does
        not mark them.

    Examples
    --------
    >>> print(score_clusters([[["a", "b", "c"], ["d"]]], [[["a", "b"], ["c", "d"]]]))
    CoNLL 64.64 (MUC 50.00, B³ 70.59, CEAFe 73.33)

    References
    ----------
    S. Pradhan et al. (2014). Scoring coreference partitions of predicted mentions. ACL.
    """
    golden, founded = list(gold), list(found)
    if len(golden) != len(founded):
        raise InputError(
            f"gold and found must have the same documents, but they have {len(golden)} and "
            f"{len(founded)}."
        )
    totals = np.zeros((4, 4))  # four measures with four counts each
    for k, (true, other) in enumerate(zip(golden, founded, strict=True)):
        key = _sets(true, singletons, f"gold, document {k}")
        response = _sets(other, singletons, f"found, document {k}")
        totals += _counts(key, response)
    return CoreferenceScore(*(Share(*map(float, row)) for row in totals))


def _counts(key: Clusters, response: Clusters) -> list[tuple[float, ...]]:
    """The counts of one document: of MUC, B³, CEAFe and mentions."""
    true, found = _homes(key), _homes(response)
    best = _ceaf_e(key, response)
    both = len(true.keys() & found.keys())
    return [
        (*_links(key, found), *_links(response, true)),
        (*_b_cubed(key, found), *_b_cubed(response, true)),
        (best, len(key), best, len(response)),
        (both, len(true), both, len(found)),
    ]


def _sets(clusters: Iterable[Iterable[Hashable]], singletons: bool, where: str) -> Clusters:
    try:
        given = [each if isinstance(each, str) else frozenset(each) for each in clusters]
    except TypeError:
        given = [""]
    found = [each for each in given if not isinstance(each, str)]
    if len(found) < len(given):  # the lists are nested one level too few or too many
        raise InputError(
            "Each entity must be a list of mentions, as in [[['a', 'b'], ['c']]] for one document "
            f"of two entities, but {where}, has an entity that is not."
        )
    many = sum(map(len, found))
    if many > len(frozenset().union(*found)):
        raise InputError(
            f"Each mention must belong to one entity, but {where}, has a mention in two."
        )
    return [each for each in found if len(each) > (0 if singletons else 1)]


def _homes(clusters: Clusters) -> dict[Hashable, int]:
    return {mention: k for k, cluster in enumerate(clusters) for mention in cluster}


def _parts(cluster: frozenset[Hashable], home: dict[Hashable, int]) -> list[int]:
    """The sizes of the parts into which the other clustering divides this cluster."""
    sizes: dict[int, int] = {}
    for mention in cluster:
        if mention in home:
            sizes[home[mention]] = sizes.get(home[mention], 0) + 1
    return list(sizes.values())


def _links(clusters: Clusters, home: dict[Hashable, int]) -> tuple[int, int]:
    """Count the links within clusters: those shared with the other clustering, and all."""
    kept = sum(size - 1 for cluster in clusters for size in _parts(cluster, home))
    return kept, sum(len(cluster) - 1 for cluster in clusters)


def _b_cubed(clusters: Clusters, home: dict[Hashable, int]) -> tuple[float, int]:
    """Sum over mentions the share of its cluster that its cluster in the other one contains."""
    kept = sum(size**2 / len(cluster) for cluster in clusters for size in _parts(cluster, home))
    return kept, sum(map(len, clusters))


def _ceaf_e(key: Clusters, response: Clusters) -> float:
    """The largest sum of 2|K ∩ R| / (|K| + |R|) over pairs of a true and a found cluster."""
    from scipy.optimize import linear_sum_assignment

    if not key or not response:
        return 0.0
    alike = np.zeros((len(key), len(response)))
    home = _homes(response)
    for k, cluster in enumerate(key):
        for mention in cluster:
            if mention in home:
                alike[k, home[mention]] += 1
    sizes = np.add.outer([len(each) for each in key], [len(each) for each in response])
    alike = 2 * alike / sizes
    return float(alike[linear_sum_assignment(-alike)].sum())
