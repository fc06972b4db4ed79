"""Train a mention ranker: encode documents as numbers, take one step per document."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError
from calibrant.results.wording import counted
from calibrant.structures.coreference.documents import Documents
from calibrant.structures.coreference.models.features import (
    KINDS,
    EncodedMentions,
    Vocabulary,
    documents_having,
    encode_mentions,
    gold_numbers,
    learn_vocabulary,
)

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Weights(NamedTuple):
    """The weights of features with kinds, of features alone, and of pairs of mentions."""

    wide: Float
    plain: Float
    pair: Float

    @classmethod
    def zeros(cls, vocabulary: Vocabulary) -> "Weights":
        """Start with all weights at 0."""
        from calibrant.kernels.coreference.ranking import BUCKETS

        kinds = len(KINDS)
        return cls(
            np.zeros((len(vocabulary.wide), 2 * kinds + 1)),
            np.zeros((len(vocabulary.narrow), 3)),
            np.zeros((BUCKETS, kinds, kinds + 1)),
        )

    def copy(self) -> "Weights":
        """A copy with its own memory."""
        return Weights(*(each.copy() for each in self))


class Pass(NamedTuple):
    """One pass of training: the mean log P(a gold antecedent) on train and, if given, dev.

    Losses are added to the scores, as in training.
    """

    number: int
    on_train: float
    on_dev: float | None

    def __str__(self) -> str:
        dev = "" if self.on_dev is None else f", dev {self.on_dev:.4f}"
        return f"log-likelihood {self.on_train:.4f}{dev}"


class Prepared(NamedTuple):
    """Documents encoded with one vocabulary, and the gold entities of their mentions."""

    vocabulary: Vocabulary
    train: tuple[EncodedMentions, Int]
    dev: tuple[EncodedMentions, Int] | None


def prepare(train: Documents, dev: Documents | None, common: int) -> Prepared:
    """Learn a vocabulary from the training documents, and encode train and dev with it."""
    train = checked_documents(train, "train")
    vocabulary = learn_vocabulary(train, common)

    def numbered(documents: Documents) -> tuple[EncodedMentions, Int]:
        return encode_mentions(documents, vocabulary), gold_numbers(documents)

    return Prepared(
        vocabulary,
        numbered(train),
        None if dev is None else numbered(checked_documents(dev, "dev")),
    )


class Rates(NamedTuple):
    """Training settings: regularisation, step size, and losses of wrong choices."""

    l2: float
    l1: float
    rate: float
    losses: tuple[float, float, float]
    seed: int


class Task:
    """Encoded documents, and the gradient steps on them."""

    def __init__(self, rates: Rates, encoded: EncodedMentions, gold: Int) -> None:
        self.rates, self.encoded, self.gold = rates, encoded, gold
        self.losses = np.array(rates.losses, np.float64)
        self.shares: list[Float] | None = None  # share of the regularisation of each document

    def descend(self, weights: Weights, squares: Weights, number: int) -> float:
        """Make one pass over all documents; return the mean log-likelihood during the pass."""
        from calibrant.kernels.coreference.ranking import pass_over

        encoded, rates = self.encoded, self.rates
        count = encoded.start.size - 1
        order = np.random.default_rng([rates.seed, number]).permutation(count)
        if self.shares is None:
            columns = ((encoded.features, weights.wide), (encoded.narrow, weights.plain))
            many = [documents_having(encoded, column, len(table)) for column, table in columns]
            self.shares = [1.0 / np.maximum(each, 1) for each in many]
        lost = pass_over(
            order=order,
            start=encoded.start,
            mentions=(encoded.facts, encoded.features, encoded.narrow),
            entity=self.gold,
            losses=self.losses,
            rates=(float(rates.l2), float(rates.l1), float(rates.rate)),
            shares=tuple(self.shares),
            weights=tuple(weights),
            squares=tuple(squares),
        )
        return -float(lost) / max(len(self.gold), 1)

    def likelihood(self, weights: Weights) -> float:
        """The mean log-likelihood of the gold antecedents, losses included."""
        return likelihood_of(self.encoded, self.gold, weights, self.losses)


def likelihood_of(encoded: EncodedMentions, gold: Int, weights: Weights, losses: Float) -> float:
    """The mean log P(a gold antecedent), losses added to the scores."""
    from calibrant.kernels.coreference.ranking import residuals

    total = 0.0
    for begin, end, scores in choices_of(encoded, weights):
        total -= residuals(gold[begin:end], losses, scores)
    return float(total) / max(len(gold), 1)


def choices_of(encoded: EncodedMentions, weights: Weights) -> list[tuple[int, int, Float]]:
    """For each document, the range of its mentions and the scores of all their choices."""
    from calibrant.kernels.coreference.ranking import score_choices

    found = []
    for begin, end in zip(encoded.start[:-1].tolist(), encoded.start[1:].tolist(), strict=True):
        scores = np.empty((end - begin) * (end - begin + 1) // 2)
        score_choices(
            encoded.facts[begin:end],
            encoded.features[begin:end],
            encoded.narrow[begin:end],
            *weights,
            scores,
        )
        found.append((begin, end, scores))
    return found


def checked_documents(documents: object, name: str) -> Documents:
    """Check that documents have mentions."""
    if not isinstance(documents, Documents):
        raise InputError(
            f"{name} must be Documents, not {type(documents).__name__}. Read them with "
            "read_coreference, or pass Documents((Document(...), ...))."
        )
    if not documents.mentions:
        raise InputError(
            f"{name} must have mentions, but its {counted(len(documents), 'document')} have none."
        )
    return documents
