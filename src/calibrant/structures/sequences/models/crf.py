"""`CRF`: a linear-chain conditional random field."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import real_number, whole_number
from calibrant.errors import ParameterError
from calibrant.results.progress import bar
from calibrant.structures.given import words_of
from calibrant.structures.saving import (
    Arrays,
    checked_array,
    checked_names,
    pack_strings,
    unpack_strings,
    write_model,
)
from calibrant.structures.sequences.accuracy import check_dev, judge_posterior
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.models.checkpoints import Checkpoint
from calibrant.structures.sequences.models.encoding import Encoded, encode, learn, observed_pairs
from calibrant.structures.sequences.models.epochs import Epoch, Judge, State
from calibrant.structures.sequences.models.features import Advanced, Custom, Features
from calibrant.structures.sequences.models.objective import Objective, Weights
from calibrant.structures.sequences.models.training import LBFGS, AdaGrad, described
from calibrant.structures.sequences.reading.corpus import Corpus, check_corpus
from calibrant.structures.sequences.tempering import ChainLikelihood
from calibrant.structures.tempering.recalibrated import RecalibratedModel
from calibrant.structures.tempering.temperatures import Temperatures

Float = NDArray[np.float64]
WAYS: dict[str, type[AdaGrad] | type[LBFGS]] = {"AdaGrad": AdaGrad, "LBFGS": LBFGS}


@dataclass(frozen=True)
class CRF:
    """A linear-chain conditional random field.

    P(tags | words) ∝ exp(Σ weights of the attributes of each word with its tag + Σ weights of
    neighbouring tags). Training minimises Σ −log P(gold tags) + l2 · Σ weight². An attribute has a
    weight for each tag that it was seen with; every pair of tags has one.

    Parameters
    ----------
    features
        The features: `Basic()`, `Advanced()`, or custom `Features(...)`.
    l2
        The strength of regularisation. Strong regularisation makes the model underconfident, weak
        regularisation overconfident. It affects calibration more than accuracy.
    training
        `AdaGrad()`, or `LBFGS()`, which converges to the minimum of the objective.
    seed
        The seed of the order of sentences. The same seed gives the same weights.

    Examples
    --------
    >>> import calibrant as cb
    >>> words = (("the", "dog"), ("a", "dog"), ("the", "run"))
    >>> corpus = cb.corpora.Corpus(words, (("D", "N"),) * 3)
    >>> model = cb.models.CRF(cb.models.Basic()).fit(corpus)
    >>> model
    FittedCRF(2 tags, 4 attributes, 8 weights)
    >>> model.posteriors([["a", "run"]]).mode
    [['D', 'N']]

    References
    ----------
    J. Lafferty, A. McCallum and F. Pereira (2001). Conditional random fields: probabilistic models
    for segmenting and labeling sequence data. ICML.
    """

    features: Features = field(default_factory=Advanced)
    l2: float = 0.1
    training: AdaGrad | LBFGS = field(default_factory=AdaGrad)
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.features, Features):
            raise ParameterError(f"features must be Features, but they are {self.features!r}.")
        object.__setattr__(self, "l2", real_number("l2", self.l2))
        if not self.l2 >= 0:
            raise ParameterError(f"l2 must not be negative, but it is {self.l2!r}.")
        if not isinstance(self.training, AdaGrad | LBFGS):
            raise ParameterError(f"training must be AdaGrad or LBFGS, not {self.training!r}.")
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0))

    def fit(
        self,
        train: Corpus,
        *,
        dev: Corpus | None = None,
        checkpoint: str | Path | None = None,
        keep_checkpoint: bool = False,
        progress: bool = False,
    ) -> "FittedCRF":
        """Find the weights.

        Parameters
        ----------
        train
            Tagged sentences.
        dev
            Held-out tagged sentences for early stopping of AdaGrad. Sentences with tags
            that `train` does not have are left out of the log-likelihood.
        checkpoint
            A file that AdaGrad writes after every pass. If it exists, training continues from
            there, with the same result as without the interruption. It is removed at the end.
        keep_checkpoint
            Do not remove the checkpoint, so that you can remove it once the model is saved.
        progress
            Show a progress bar on the standard error stream.
        """
        train = check_corpus(train, "train")
        if dev is not None:
            check_dev(check_corpus(dev, "dev"), train.tag_set)
        if checkpoint is not None and not isinstance(self.training, AdaGrad):
            raise ParameterError("A checkpoint needs AdaGrad: L-BFGS cannot continue from one.")
        vocabulary, objective = self._objective(train)

        def fitted(values: Float, history: Sequence[Epoch] = ()) -> FittedCRF:
            weights = objective.weights(values)
            return FittedCRF(self, train.tag_set, vocabulary, weights, tuple(history))

        if isinstance(self.training, LBFGS):
            with bar(progress, self.training.iterations, "L-BFGS") as tell:
                values, _ = self.training.minimise(
                    objective, self.seed, lambda n, value: tell(n, f"objective {value:.1f}")
                )
            return fitted(values)
        file = None
        if checkpoint is not None:
            file = Checkpoint(checkpoint, self.told(), objective, dev)
        judge = _judge(fitted, dev, vocabulary, self.features)
        state = self._descend(self.training, objective, judge, file, progress)
        if file and not keep_checkpoint:
            file.remove()
        return fitted(state.best, state.history)

    def _objective(self, train: Corpus) -> tuple[dict[str, int], Objective]:
        """The number of each attribute, and the objective to minimise."""
        vocabulary, encoded = learn(self.features, train.words)
        code = {tag: k for k, tag in enumerate(train.tag_set)}
        gold = np.array([code[tag] for sentence in train.tags for tag in sentence], np.int64)
        start, tag = observed_pairs(encoded, gold, len(code))
        return vocabulary, Objective(encoded, gold, len(code), start, tag, float(self.l2))

    def _descend(
        self,
        training: AdaGrad,
        objective: Objective,
        judge: Judge,
        file: Checkpoint | None,
        progress: bool,
    ) -> State:
        state = (file.read() if file else None) or training.start(objective)
        with bar(progress, training.passes, "Training") as tell:
            for epoch in state.history[-1:]:
                tell(epoch.number, epoch.on_dev)
            for epoch in training.run(objective, state, self.seed, judge):
                tell(epoch.number, epoch.on_dev)
                if file:
                    file.write(state)
        return state

    def told(self) -> dict[str, Any]:
        """All settings, to be saved."""
        return {
            "features": self.features.told(),
            "l2": self.l2,
            "training": described(self.training),
            "seed": self.seed,
        }

    @classmethod
    def of_told(cls, told: dict[str, Any], custom: Custom | None) -> "CRF":
        """Restore the settings from `told`."""
        features = {**told["features"], "custom": custom}
        training = dict(told["training"])
        way = WAYS[training.pop("name")]
        return cls(Features(**features), told["l2"], way(**training), told["seed"])


@dataclass(frozen=True, eq=False, repr=False)
class FittedCRF(RecalibratedModel):
    """A conditional random field with its weights.

    Attributes
    ----------
    settings
        The settings that it was fitted with.
    tags
        The tags that it knows.
    vocabulary
        The number of each attribute.
    weights
        The weights of attributes with tags, and of neighbouring tags (`weights.move`).
    history
        Log-likelihood and accuracy on the dev sentences after each pass of AdaGrad.
    temperatures
        What the scores of its posteriors are divided by.
    """

    likelihood: ClassVar[type[ChainLikelihood]] = ChainLikelihood
    settings: CRF
    tags: tuple[str, ...]
    vocabulary: dict[str, int]
    weights: Weights
    history: tuple[Epoch, ...] = ()
    temperatures: Temperatures = Temperatures.none

    def __repr__(self) -> str:
        sizes = f"{len(self.tags)} tags, {len(self.vocabulary)} attributes, {self.count} weights"
        return f"FittedCRF({sizes})"

    @property
    def count(self) -> int:
        """The number of weights."""
        return self.weights.weight.size + self.weights.move.size

    def posteriors(self, sentences: Corpus | Sequence[Sequence[str]]) -> Chain:
        """The posterior over the tags of these sentences."""
        return self.chain(encode(self.settings.features, words_of(sentences), self.vocabulary))

    def chain(self, encoded: Encoded) -> Chain:
        """The posterior for sentences whose attributes are already encoded."""
        ends = np.zeros(len(self.tags))
        score = self.weights.scores(encoded)
        chain = Chain(encoded.start, score, self.weights.move, ends, ends, self.tags)
        return chain.tempered(self.temperatures) if self.temperatures else chain

    def weight(self, attribute: str, tag: str) -> float:
        """The weight of an attribute, such as "suffix=ing", with a tag; 0 if it has none."""
        held, tags = self.weights, self.tags
        number = self.vocabulary.get(attribute)
        if number is None or tag not in tags:
            return 0.0
        begin, end = held.pair_start[number], held.pair_start[number + 1]
        at = np.flatnonzero(held.pair_tag[begin:end] == tags.index(tag))
        return float(held.weight[begin + at[0]]) if at.size else 0.0

    def save(self, folder: str | Path) -> Path:
        """Write the model to a folder of npz and json; `load_model` reads it back."""
        facts = {
            "settings": self.settings.told(),
            "tags": self.tags,
            "history": [list(epoch) for epoch in self.history],
            **self.tempered_facts(),
        }
        held = self.weights
        arrays: Arrays = {
            "pair_start": held.pair_start,
            "pair_tag": held.pair_tag,
            "weight": held.weight,
            "move": held.move,
            **pack_strings("attributes", list(self.vocabulary)),
        }
        return write_model(folder, "CRF", facts, arrays)

    @classmethod
    def of_saved(
        cls, facts: dict[str, Any], arrays: dict[str, NDArray[Any]], custom: Custom | None
    ) -> "FittedCRF":
        """Restore a model from the contents of a saved folder."""
        names = unpack_strings("attributes", arrays)
        tags = checked_names(facts, "tags")
        return cls(
            CRF.of_told(facts["settings"], custom),
            tags,
            {name: k for k, name in enumerate(names)},
            _saved_weights(arrays, len(names), len(tags)),
            tuple(Epoch(*each) for each in facts["history"]),
            cls.saved_temperatures(facts),
        )


def _saved_weights(arrays: Arrays, attributes: int, tags: int) -> Weights:
    """Check the weights of a file, since compiled code would read past the end of bad ones."""
    weight = checked_array(arrays, "weight", (arrays["weight"].size,))
    start = checked_array(arrays, "pair_start", (attributes + 1,), np.int64)
    tag = checked_array(arrays, "pair_tag", weight.shape, np.int32)
    if start[0] != 0 or start[-1] != tag.size or (np.diff(start) < 0).any():
        raise ValueError("pair_start does not divide the weights among the attributes")
    if tag.size and not 0 <= tag.min() <= tag.max() < tags:
        raise ValueError(f"pair_tag has tags beyond the {tags} there are")
    return Weights(start, tag, weight, checked_array(arrays, "move", (tags, tags)))


def _judge(
    fitted: Callable[[Float], FittedCRF],
    dev: Corpus | None,
    vocabulary: dict[str, int],
    features: Features,
) -> Judge:
    """A function that evaluates weights on the dev sentences; gives None without them."""
    if dev is None:
        return lambda values: None
    encoded = encode(features, dev.words, vocabulary)  # encoded once, used in every pass
    return lambda values: judge_posterior(fitted(values).chain(encoded), dev)
