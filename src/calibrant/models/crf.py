"""`CRF`: a linear-chain conditional random field."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.corpora import Corpus
from calibrant.errors import InputError, ParameterError
from calibrant.models.checkpoints import Checkpoint
from calibrant.models.encoding import encode, learn, observed_pairs
from calibrant.models.features import Advanced, Custom, Features
from calibrant.models.objective import Objective, Weights
from calibrant.models.progress import bar
from calibrant.models.saving import Arrays, pack_strings, unpack_strings, write_model
from calibrant.models.training import LBFGS, AdaGrad, Epoch, Judge, described
from calibrant.parameters import real_number, whole_number
from calibrant.posteriors import Chain

Float = NDArray[np.float64]
WAYS: dict[str, type[AdaGrad] | type[LBFGS]] = {"AdaGrad": AdaGrad, "LBFGS": LBFGS}


@dataclass(frozen=True)
class CRF:
    """A linear-chain conditional random field.

    P(tags | words) ∝ exp(Σ weights of the attributes of each word with its tag + Σ weights of
    neighbouring tags). Training makes Σ −log P(gold tags) + l2 · Σ weight² small. An attribute
    has a weight for each tag that it was seen with; every two tags have one.

    Parameters
    ----------
    features
        What it looks at: `Basic()`, `Advanced()`, or `Features(...)` of your own.
    l2
        The strength of regularisation. Much of it makes probabilities timid, little of it makes
        them extreme, so it matters to calibration more than to accuracy.
    training
        `AdaGrad()`, or `LBFGS()` to the minimum of the objective.
    seed
        Of the order of sentences. The same seed gives the same weights.

    Examples
    --------
    >>> from calibrant.corpora import Corpus
    >>> from calibrant.models import CRF, Basic
    >>> words = (("the", "dog"), ("a", "dog"), ("the", "run"))
    >>> corpus = Corpus(words, (("D", "N"),) * 3)
    >>> model = CRF(Basic()).fit(corpus)
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
        if not real_number("l2", self.l2) >= 0:
            raise ParameterError(f"l2 must not be negative, but it is {self.l2!r}.")
        if not isinstance(self.training, AdaGrad | LBFGS):
            raise ParameterError(f"training must be AdaGrad or LBFGS, not {self.training!r}.")
        whole_number("seed", self.seed, 0)

    def fit(
        self,
        train: Corpus,
        *,
        dev: Corpus | None = None,
        checkpoint: str | Path | None = None,
        progress: bool = False,
    ) -> "FittedCRF":
        """Find the weights.

        Parameters
        ----------
        train
            Tagged sentences.
        dev
            Other tagged sentences, which tell AdaGrad when to stop.
        checkpoint
            A file that AdaGrad writes after every pass. Where it exists, training goes on from
            there, and ends as it would have without the interruption. It is removed at the end.
        progress
            Whether to show a bar on the standard error stream.
        """
        if train.tokens == 0:
            raise InputError("There must be at least one word to fit a model.")
        if checkpoint is not None and not isinstance(self.training, AdaGrad):
            raise ParameterError("A checkpoint needs AdaGrad: L-BFGS cannot go on from one.")
        vocabulary, encoded = learn(self.features, train.words)
        code = {tag: k for k, tag in enumerate(train.tag_set)}
        gold = np.array([code[tag] for sentence in train.tags for tag in sentence], np.int64)
        start, tag = observed_pairs(encoded, gold, len(code))
        objective = Objective(encoded, gold, len(code), start, tag, float(self.l2))

        def fitted(values: Float, history: Sequence[Epoch] = ()) -> FittedCRF:
            weights = objective.weights(values)
            return FittedCRF(self, train.tag_set, vocabulary, weights, tuple(history))

        if isinstance(self.training, LBFGS):
            with bar(progress, self.training.iterations, "L-BFGS") as tell:
                values, _ = self.training.minimise(
                    objective, self.seed, lambda n, value: tell(n, f"objective {value:.1f}")
                )
            return fitted(values)
        file = None if checkpoint is None else Checkpoint(checkpoint, self.told(), train, dev)
        return self._descend(objective, _judge(fitted, dev), file, progress, fitted)

    def _descend(
        self, objective: Objective, judge: Judge, file: Checkpoint | None, progress: bool,
        fitted: Any,  # noqa: ANN401 - the function that makes a model of weights
    ) -> "FittedCRF":  # fmt: skip
        training = self.training
        assert isinstance(training, AdaGrad)
        state = (file.read() if file else None) or training.start(objective)
        with bar(progress, training.passes, "Training") as tell:
            for epoch in state.history[-1:]:
                tell(epoch.number, f"{epoch} (resumed)")
            for epoch in training.run(objective, state, self.seed, judge):
                tell(epoch.number, str(epoch))
                if file:
                    file.write(state)
        model: FittedCRF = fitted(state.best, state.history)
        if file:
            file.remove()
        return model

    def told(self) -> dict[str, Any]:
        """All settings, to be saved."""
        features = asdict(self.features)
        function = features.pop("custom")
        features["custom"] = None if function is None else getattr(function, "__name__", "custom")
        training = described(self.training)
        return {"features": features, "l2": self.l2, "training": training, "seed": self.seed}

    @classmethod
    def of_told(cls, told: dict[str, Any], custom: Custom | None) -> "CRF":
        """From what `told` gave."""
        features = {**told["features"], "families": tuple(told["features"]["families"])}
        features["custom"] = custom
        training = dict(told["training"])
        way = WAYS[training.pop("name")]
        return cls(Features(**features), told["l2"], way(**training), told["seed"])


@dataclass(frozen=True, eq=False, repr=False)
class FittedCRF:
    """A conditional random field with its weights.

    Attributes
    ----------
    settings
        What it was fitted with.
    tags
        Its tags.
    vocabulary
        The number of each attribute.
    weights
        The weights of attributes with tags, and of neighbouring tags (`weights.move`).
    history
        How well the dev sentences were tagged after each pass of AdaGrad.
    """

    settings: CRF
    tags: tuple[str, ...]
    vocabulary: dict[str, int]
    weights: Weights
    history: tuple[Epoch, ...] = ()

    def __repr__(self) -> str:
        count = self.weights.weight.size + self.weights.move.size
        return (
            f"FittedCRF({len(self.tags)} tags, {len(self.vocabulary)} attributes, {count} weights)"
        )

    def posteriors(self, sentences: Corpus | Sequence[Sequence[str]]) -> Chain:
        """What the model believes about the tags of these sentences."""
        words = sentences.words if isinstance(sentences, Corpus) else sentences
        encoded = encode(self.settings.features, words, self.vocabulary)
        tags = len(self.tags)
        rows, score = np.empty((encoded.bundles, tags)), np.empty((len(encoded.bundle), tags))
        self.weights.scores(encoded, rows, score)
        unary = np.split(score, encoded.start[1:-1])
        return Chain.from_scores(unary, self.weights.move, tags=self.tags)

    def weight(self, attribute: str, tag: str) -> float:
        """The weight of an attribute, such as "suffix=ing", with a tag; 0 where it has none."""
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
        """From what `save` wrote."""
        names = unpack_strings("attributes", arrays)
        held = (arrays[name] for name in ("pair_start", "pair_tag", "weight", "move"))
        return cls(
            CRF.of_told(facts["settings"], custom),
            tuple(facts["tags"]),
            {name: k for k, name in enumerate(names)},
            Weights(*held),
            tuple(Epoch(*each) for each in facts["history"]),
        )


def _judge(fitted: Any, dev: Corpus | None) -> Judge:  # noqa: ANN401
    """How well weights tag the dev sentences: log-likelihood per word, and accuracy."""
    if dev is None or dev.tokens == 0:
        return lambda values: None

    def judge(values: Float) -> tuple[float, float]:
        from calibrant.kernels.crf import gold_scores

        model: FittedCRF = fitted(values)
        chain = model.posteriors(dev)
        code = {tag: k for k, tag in enumerate(model.tags)}
        gold = np.array([code.get(tag, -1) for each in dev.tags for tag in each], np.int64)
        strange = np.unique(dev.sentence[gold < 0])  # a tag never seen has no probability at all
        known = np.setdiff1d(np.arange(len(dev)), strange)
        golden = np.zeros(len(dev))
        gold_scores(chain.start, chain.score, chain.move, gold, known, golden)
        likely = (golden - chain.log_partition)[known].sum() / max(chain.lengths[known].sum(), 1)
        right = sum(a == b for x, y in zip(chain.mode, dev.tags, strict=True)
                    for a, b in zip(x, y, strict=True))  # fmt: skip
        return float(likely), right / dev.tokens

    return judge
