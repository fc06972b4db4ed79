"""`MentionRanker`: a log-linear model of the antecedents of mentions."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import InputError, ParameterError
from calibrant.results.progress import bar
from calibrant.structures.coreference.documents import Document, Documents
from calibrant.structures.coreference.links import Links
from calibrant.structures.coreference.models.features import (
    KINDS,
    Vocabulary,
    encode_mentions,
    gold_numbers,
)
from calibrant.structures.coreference.models.training import (
    Pass,
    Prepared,
    Rates,
    Task,
    Weights,
    checked_documents,
    choices_of,
    likelihood_of,
    prepare,
)
from calibrant.structures.coreference.tempering import LinksLikelihood
from calibrant.structures.saving import (
    Arrays,
    checked_array,
    pack_strings,
    unpack_strings,
    write_model,
)
from calibrant.structures.tempering.recalibrated import RecalibratedModel
from calibrant.structures.tempering.temperatures import Temperatures

FAITHFUL = (0.0, 0.0, 0.0)  # losses for plain likelihood training
DURRETT_KLEIN = (0.1, 3.0, 1.0)  # the losses of their section 3.2


@dataclass(frozen=True)
class MentionRanker:
    """A log-linear model of antecedents, with surface features.

    P(mention i continues j) ∝ exp(Σ weights of their features), over all earlier mentions and "i
    is new". Training minimises Σ −log Σ P(gold antecedents) + l2 · Σ weight² + l1 · Σ |weight| by
    AdaGrad, one document at a time. The features of a mention are its kind (proper name, nominal,
    or which pronoun), length, head, and first, last, preceding and following word. Those of a pair
    are the distance in mentions and in sentences, whether strings and heads match, and, if
    speakers are known, whether the speaker is the same. Each feature has one weight by
    itself and one for every pair of kinds.

    Parameters
    ----------
    l2, l1
        The strengths of L2 and L1 regularisation.
    losses
        What training adds to the scores of wrong choices: of linking a mention that is new, of
        calling a mention new that is not, of a wrong antecedent. None, the default, is faithful to
        probabilities; Durrett and Klein's (0.1, 3, 1) improves the CoNLL score and distorts
        probabilities.
    passes
        The number of passes over all documents. With dev documents, the weights of the best pass
        are kept.
    rate
        The size of AdaGrad's steps.
    common
        How often a word must occur in training to be a feature. Rarer words are replaced by their
        part of speech, or by their shape if the corpus has no tags.
    seed
        Seed of the order of documents. The same seed gives the same weights.

    Examples
    --------
    >>> from calibrant.corpora import Document, Documents, Mention
    >>> words = (("Ada", "laughed"), ("She", "knew", "Bob"))
    >>> mentions = (Mention(0, 0, 1, 0), Mention(1, 0, 1, 0), Mention(1, 2, 3, 2))
    >>> documents = Documents((Document("x", words, mentions, ((0, 1),)),) * 9)
    >>> model = MentionRanker().fit(documents)
    >>> model.posteriors(documents).mode[0]
    [[0, 1], [2]]

    References
    ----------
    G. Durrett and D. Klein (2013). Easy victories and uphill battles in coreference resolution.
    EMNLP.
    """

    l2: float = 3.0
    l1: float = 0.0
    losses: tuple[float, float, float] | None = None
    passes: int = 20
    rate: float = 0.3
    common: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("l2", "l1", "rate"):
            object.__setattr__(self, name, real_number(name, getattr(self, name)))
            if getattr(self, name) < 0 or (name == "rate" and self.rate == 0):
                what = "be positive" if name == "rate" else "not be negative"
                raise ParameterError(f"{name} must {what}, but it is {getattr(self, name)!r}.")
        if self.losses is not None:
            listed = isinstance(self.losses, Iterable)
            given = tuple(real_number("losses", each) for each in self.losses) if listed else ()
            if len(given) != 3 or min(given) < 0:
                raise ParameterError(
                    "losses must be three numbers of at least 0 (for linking a new mention, for "
                    "calling an old mention new, for a wrong antecedent), but it is "
                    f"{self.losses!r}."
                )
            object.__setattr__(self, "losses", given)
        for name, least in (("passes", 1), ("common", 1), ("seed", 0)):
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least))

    @property
    def rates(self) -> Rates:
        """The settings that training uses."""
        return Rates(self.l2, self.l1, self.rate, self.losses or FAITHFUL, self.seed)

    def fit(
        self, train: Documents, *, dev: Documents | None = None, progress: bool = False
    ) -> "FittedMentionRanker":
        """Find the weights.

        Parameters
        ----------
        train
            Documents with mentions and entities.
        dev
            Held-out documents. The pass with the best likelihood on them, losses included, is
            kept.
        progress
            Whether to show a bar on the standard error stream.
        """
        return self.fit_prepared(prepare(train, dev, self.common), progress=progress)

    def fit_prepared(self, prepared: Prepared, *, progress: bool = False) -> "FittedMentionRanker":
        """Find the weights on prepared documents, which several rankers can share."""
        task = Task(self.rates, *prepared.train)
        judge = None if prepared.dev is None else Task(self.rates, *prepared.dev)
        weights = Weights.zeros(prepared.vocabulary)
        squares, best = weights.copy(), weights
        history: list[Pass] = []
        with bar(progress, self.passes, "Training") as tell:
            for number in range(1, self.passes + 1):
                lost = task.descend(weights, squares, number)
                on_dev = None if judge is None else judge.likelihood(weights)
                told = [each.on_dev for each in history if each.on_dev is not None]
                if on_dev is None or not told or on_dev > max(told):
                    best = weights.copy()
                history.append(Pass(number, lost, on_dev))
                tell(number, str(history[-1]))
        return FittedMentionRanker(self, prepared.vocabulary, best, tuple(history))


@dataclass(frozen=True, eq=False, repr=False)
class FittedMentionRanker(RecalibratedModel):
    """A mention ranker with its weights.

    Attributes
    ----------
    settings
        The settings it was fitted with.
    vocabulary
        The numbers of its features.
    weights
        The weights of features and of pairs of mentions.
    history
        The likelihood after each pass.
    temperatures
        What the log-probabilities of choices are divided by in posteriors.
    """

    likelihood: ClassVar[type[LinksLikelihood]] = LinksLikelihood
    settings: MentionRanker
    vocabulary: Vocabulary
    weights: Weights
    history: tuple[Pass, ...] = ()
    temperatures: Temperatures = Temperatures.none

    def __repr__(self) -> str:
        return f"FittedMentionRanker({len(self.vocabulary.narrow)} features, {self.count} weights)"

    @property
    def count(self) -> int:
        """The number of weights."""
        return sum(each.size for each in self.weights)

    def posteriors(self, documents: Documents | Sequence[Document]) -> Links:
        """The posterior over the entities of the mentions of these documents."""
        given = list(documents) if isinstance(documents, Iterable) else [None]
        if not all(isinstance(each, Document) for each in given):
            what = type(documents).__name__
            raise InputError(f"documents must be Documents or a list of Document, not {what}.")
        encoded = encode_mentions(given, self.vocabulary)
        scores = [each for *_, each in choices_of(encoded, self.weights)]
        if not scores:
            raise InputError("There must be at least one document.")
        links = Links.from_rows(np.diff(encoded.start), np.concatenate(scores))
        return links.tempered(self.temperatures) if self.temperatures else links

    def log_likelihood(self, documents: Documents) -> float:
        """The mean log P(a gold antecedent, or new if there is none), without losses.

        Temperatures are not applied.
        """
        given = checked_documents(documents, "documents")
        encoded = encode_mentions(given, self.vocabulary)
        return likelihood_of(encoded, gold_numbers(given), self.weights, np.array(FAITHFUL))

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder of npz and json; `load_model` reads it back."""
        facts = {
            "settings": asdict(self.settings),
            "kinds": list(KINDS),
            "history": [list(each) for each in self.history],
            **self.tempered_facts(),
        }
        arrays: Arrays = {
            **self.weights._asdict(),
            **pack_strings("words", sorted(self.vocabulary.words)),
            **pack_strings("narrow_names", list(self.vocabulary.narrow)),
            **pack_strings("wide_names", list(self.vocabulary.wide)),
        }
        return write_model(folder, "MentionRanker", facts, arrays)

    @classmethod
    def of_saved(cls, facts: dict[str, Any], arrays: Arrays) -> "FittedMentionRanker":
        """Restore a model from the contents of a saved folder."""
        if tuple(facts["kinds"]) != KINDS:
            raise ValueError("it has other kinds of mentions")
        settings = {**facts["settings"]}
        settings["losses"] = settings["losses"] and tuple(settings["losses"])
        names = [unpack_strings(name, arrays) for name in ("narrow_names", "wide_names")]
        narrow, wide = ({name: k for k, name in enumerate(each)} for each in names)
        vocabulary = Vocabulary(frozenset(unpack_strings("words", arrays)), narrow, wide)
        empty = Weights.zeros(vocabulary)
        weights = Weights(
            *(checked_array(arrays, name, each.shape) for name, each in empty._asdict().items())
        )
        history = tuple(Pass(*each) for each in facts["history"])
        temperatures = cls.saved_temperatures(facts)
        return cls(MentionRanker(**settings), vocabulary, weights, history, temperatures)
