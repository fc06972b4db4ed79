"""`Links`: the posterior of a coreference system over the entities of documents."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.items import listed_items
from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.results.wording import listed
from calibrant.structures.coreference.matrices import (
    check_probabilities,
    refuse_normalised,
    score_matrix,
    square_matrix,
)
from calibrant.structures.tempering.temperatures import Given, given_temperatures

Float = NDArray[np.float64]
Int = NDArray[np.int32]
Clusters = list[list[int]]
KINDS = ("old", "new", "bias")
EACH = "square matrices, one for each document"


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """A distribution over the clusterings of the mentions of each of several documents.

    Each mention j independently either continues an earlier mention k < j or begins a new entity,
    with probabilities that sum to 1. Mentions that are linked, directly or through other mentions,
    form one entity. Mention-ranking models have this form. Make one with
    `Links.from_probabilities` or `Links.from_scores`.

    Examples
    --------
    >>> import calibrant as cb
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> links
    Links(1 document, 3 mentions)
    >>> links.mode
    [[[0, 1, 2]]]
    >>> links.pair_probabilities(0).round(2)  # 0.1 + 0.7 · 0.6, and 0.7 + 0.1 · 0.6
    array([[1.  , 0.6 , 0.52],
           [0.6 , 1.  , 0.76],
           [0.52, 0.76, 1.  ]])
    >>> links.expected_entities
    array([1.6])
    """

    lengths: NDArray[np.int64]  # mentions of each document
    probability: Float  # probability of each choice, by document, mention and earlier mention

    @classmethod
    def from_probabilities(cls, matrices: Sequence[object]) -> "Links":
        """From the probabilities of antecedents.

        Parameters
        ----------
        matrices
            One square matrix for each document, with a row for each mention. Row j holds the
            probabilities that mention j continues mention 0, 1, ..., j − 1 and, on the diagonal,
            that it is new. Everything above the diagonal must be 0.
        """
        documents = [
            square_matrix(each, f"matrices[{k}]", "probabilities")
            for k, each in enumerate(listed_items(matrices, "matrices", EACH))
        ]
        for k, matrix in enumerate(documents):
            check_probabilities(matrix, f"matrices[{k}]")
        return cls._of(documents)

    @classmethod
    def from_scores(cls, matrices: Sequence[object]) -> "Links":
        """From scores of antecedents: probabilities are their softmax, row by row.

        Parameters
        ----------
        matrices
            One square matrix for each document, as in `from_probabilities`. Minus infinity
            forbids a choice; everything above the diagonal is ignored. Or, as fastcoref's
            `coref_logit`, a matrix with one more column, the last, for a new entity; then
            the diagonal is ignored too.

        Examples
        --------
        >>> import calibrant as cb
        >>> cb.Links.from_scores([[[0, 0], [1, 1]]]).new_probabilities(0)
        array([1. , 0.5])
        >>> cb.Links.from_scores([[[0, 0, 0], [1, 0, 1]]]).new_probabilities(0)
        array([1. , 0.5])
        """
        documents = [
            score_matrix(each, f"matrices[{k}]")
            for k, each in enumerate(listed_items(matrices, "matrices", EACH))
        ]
        refuse_normalised(documents)
        scores = cls._of(documents)
        return cls.from_rows(scores.lengths, scores.probability)

    @classmethod
    def from_rows(cls, lengths: NDArray[np.int64], scores: Float) -> "Links":
        """From the scores of all choices, by document, mention, earlier mention; new is last."""
        from calibrant.kernels.coreference.links import normalise

        found = cls(lengths, np.empty(scores.size))
        for k, (begin, end) in enumerate(found._bounds()):
            bad = normalise(scores[begin:end], found.probability[begin:end])
            if bad >= 0:
                raise InputError(
                    f"Mention {bad} of document {k} has no choice: all its scores are -inf."
                )
        return found

    @classmethod
    def _of(cls, documents: list[Float]) -> "Links":
        if not documents:
            raise InputError("There must be at least one document.")
        rows = [matrix[np.tril_indices(len(matrix))] for matrix in documents]
        return cls(np.array([len(each) for each in documents]), np.concatenate(rows))

    @classmethod
    def joined(cls, parts: Sequence["Links"]) -> "Links":
        """Concatenate the documents of several posteriors."""
        if not parts:
            raise InputError("There must be at least one posterior to join.")
        return cls(
            np.concatenate([each.lengths for each in parts]),
            np.concatenate([each.probability for each in parts]),
        )

    def tempered(self, temperatures: Given) -> "Links":
        """The same posterior, flatter or sharper.

        Log-probabilities of choices are divided by a temperature, and normalised again. What is
        impossible stays so.

        Parameters
        ----------
        temperatures
            One temperature, or a mapping with those of "old" (earlier mentions) and "new" (a new
            entity), and a "bias" that is added to the score of a new entity. Above 1 makes it less
            sure.

        Examples
        --------
        >>> import calibrant as cb
        >>> links = cb.Links.from_probabilities([[[1, 0], [0.9, 0.1]]])
        >>> links.tempered(2).new_probabilities(0).round(2)
        array([1.  , 0.25])
        >>> links.tempered({"bias": 1.0}).new_probabilities(0).round(2)
        array([1.  , 0.23])
        """
        from calibrant.kernels.coreference.tempering import temper

        found = given_temperatures(temperatures, KINDS)
        out = np.empty_like(self.probability)
        factors = 1 / found["old"], 1 / found["new"], float(found["bias"])
        temper((self.lengths, self.probability), *factors, out)
        return Links(self.lengths, out)

    def take(self, numbers: Sequence[int]) -> "Links":
        """The posterior of some of the documents, by their numbers."""
        chosen = [whole_number("number", k, 0, len(self) - 1) for k in numbers]
        return Links(
            self.lengths[chosen],
            np.concatenate([self.probability[:0], *(self.document(k) for k in chosen)]),
        )

    def __len__(self) -> int:
        return int(self.lengths.size)

    def __repr__(self) -> str:
        sizes = {"document": len(self), "mention": int(self.lengths.sum())}
        return f"Links({listed(sizes)})"

    def document(self, index: int) -> Float:
        """The probabilities of one document, mention by mention, in one array."""
        index = whole_number("document", index, 0, len(self) - 1)
        begin, end = self._start[index : index + 2]
        return self.probability[begin:end]

    def antecedents(self, document: int) -> Float:
        """The matrix of one document, in the format of `from_probabilities`."""
        count = int(self.lengths[whole_number("document", document, 0, len(self) - 1)])
        matrix = np.zeros((count, count))
        matrix[np.tril_indices(count)] = self.document(document)
        return matrix

    @cached_property
    def choices(self) -> list[Int]:
        """The most probable choice of every mention, for each document.

        This is the earlier mention that it continues, or its own number if it is new. Ties go to
        the latest mention, so a tie between an antecedent and a new entity makes it new.
        """
        from calibrant.kernels.coreference.links import best_links

        found = []
        for links, count in self._documents():
            chosen = np.empty(count, np.int32)
            best_links(links, chosen)
            found.append(chosen)
        return found

    @cached_property
    def entities(self) -> list[Int]:
        """The entity of every mention if each takes its most probable choice.

        An entity is named by its first mention.
        """
        from calibrant.kernels.coreference.links import follow_links

        found = []
        for chosen in self.choices:
            entity = np.empty_like(chosen)
            follow_links(chosen, entity)
            found.append(entity)
        return found

    @property
    def mode(self) -> list[Clusters]:
        """For each document, the entities if every mention takes its most probable choice.

        An entity is the list of its mentions. This combination of choices is the most probable
        one, but another clustering may be more probable, because several combinations of choices
        can produce it.
        """
        return [clusters_of(entity) for entity in self.entities]

    def sample(self, count: int = 1, seed: int = 0) -> list[list[Clusters]]:
        """For each document, `count` clusterings drawn from the posterior."""
        drawn = self.sample_entities(count, seed)
        return [[clusters_of(column) for column in entity.T] for entity in drawn]

    def sample_entities(self, count: int = 1, seed: int = 0) -> Iterator[Int]:
        """Sample as matrices: the entity of each mention (rows) in each sample (columns).

        An entity is named by its first mention.
        """
        from calibrant.kernels.coreference.links import draw_entities

        count = whole_number("count", count, 1)
        generator = np.random.default_rng(whole_number("seed", seed, 0))
        for links, mentions in self._documents():
            entity = np.empty((mentions, count), np.int32)
            draw_entities(links, generator.random(entity.shape), entity)
            yield entity

    def pair_probabilities(self, document: int) -> Float:
        """The probability that two mentions belong to one entity, for all pairs of a document.

        Exact, by recursion: j belongs to the entity of i < j if the mention that j continues
        belongs to it, so P(j, i) = Σ over k < j of P(j continues k) · P(k, i), where P(i, i) is 1
        and P(k, i) for k < i is P(i, k).
        """
        same = self._below(document)
        return np.tril(same) + np.tril(same, -1).T

    def pair_rows(self, document: int) -> Float:
        """The pair probabilities, each pair once: (1, 0), (2, 0), (2, 1), (3, 0), ..."""
        same = self._below(document)
        return same[np.tril_indices(len(same), -1)]

    def _below(self, document: int) -> Float:
        """The pair probabilities as a matrix; values above the diagonal are undefined."""
        from calibrant.kernels.coreference.links import pair_probabilities

        links = self.document(document)
        same = np.empty((int(self.lengths[document]),) * 2)
        pair_probabilities(links, same)
        return same

    def new_probabilities(self, document: int) -> Float:
        """The probability that each mention is the first of its entity."""
        links = self.document(document)
        at = np.arange(self.lengths[document])
        found: Float = links[at * (at + 3) // 2]
        return found

    def singleton_probabilities(self, document: int) -> Float:
        """The probability that each mention is a singleton.

        P(j is new) · Π over k > j of (1 − P(k continues j)).
        """
        from calibrant.kernels.coreference.links import alone

        links = self.document(document)
        count = int(self.lengths[document])
        found = np.empty(count)
        alone(links, count, found)
        return found

    @property
    def expected_entities(self) -> Float:
        """The expected number of entities of each document."""
        return np.array([self.new_probabilities(k).sum() for k in range(len(self))])

    def entity_counts(self, document: int) -> Float:
        """The probabilities that a document has 0, 1, 2, ... entities.

        Exact: mentions begin entities independently, so the number of new mentions has a
        Poisson-binomial distribution.

        >>> Links.from_probabilities([[[1, 0], [0.6, 0.4]]]).entity_counts(0)
        array([0. , 0.6, 0.4])
        """
        from calibrant.kernels.calibration.counting import add_answers

        new = self.new_probabilities(document)
        found = np.zeros(new.size + 1)
        found[0] = 1.0
        add_answers(new, found, 0.0)
        return found

    def expected_sizes(self, document: int) -> Float:
        """For each mention, the expected number of mentions of its entity, itself included.

        Exact: the sum of the probabilities of all its pairs.
        """
        found: Float = self.pair_probabilities(document).sum(axis=1)
        return found

    def size_chances(self, document: int, samples: int = 1000, seed: int = 0) -> Float:
        """The probabilities that the entity of each mention (rows) has 0, 1, 2, ... mentions.

        The shares of so many samples: no exact recursion is known for whole sizes.
        """
        document = whole_number("document", document, 0, len(self) - 1)
        alone = Links(self.lengths[[document]], self.document(document))
        entity = next(alone.sample_entities(samples, seed))
        own = np.take_along_axis(sizes_of(entity), entity.astype(np.int64), axis=0)
        found = np.zeros((len(own), len(own) + 1))
        for mention, sizes in enumerate(own):
            found[mention] = np.bincount(sizes, minlength=len(own) + 1) / sizes.size
        return found

    @cached_property
    def _start(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.lengths * (self.lengths + 1) // 2)])

    def _bounds(self) -> list[tuple[int, int]]:
        return list(zip(self._start[:-1].tolist(), self._start[1:].tolist(), strict=True))

    def _documents(self) -> Iterator[tuple[Float, int]]:
        for (begin, end), count in zip(self._bounds(), self.lengths.tolist(), strict=True):
            yield self.probability[begin:end], count


def sizes_of(entity: NDArray[np.integer]) -> NDArray[np.int64]:
    """The number of mentions of each entity (rows) in each sample (columns)."""
    from calibrant.kernels.coreference.links import entity_sizes

    size = np.empty(entity.shape, np.int64)
    entity_sizes(entity, size)
    return size


def clusters_of(entity: NDArray[np.integer]) -> Clusters:
    """List the mentions of each entity, ordered by first mention."""
    found: dict[int, list[int]] = {}
    for mention, name in enumerate(entity.tolist()):
        found.setdefault(name, []).append(mention)
    return list(found.values())
