"""The taggers of the studies: a hidden Markov model and conditional random fields."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.models.crf import CRF, FittedCRF
from calibrant.structures.sequences.models.features import Advanced, Basic
from calibrant.structures.sequences.models.hmm import HMM, FittedHMM
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.studies.progress import Progress

Models = Mapping[str, HMM | CRF]
MAIN: Models = {
    "HMM": HMM(),
    "CRF-Basic": CRF(Basic()),
    "CRF-Advanced": CRF(Advanced()),
}
ADDED: Models = {
    "HMM, one class of rare words": HMM(unknown="one"),
    **{
        f"CRF-Basic + {family}": CRF(Basic().plus(family))
        for family in Advanced().families
        if family not in Basic().families
    },
}
COMPARED = (("HMM", "CRF-Basic"), ("CRF-Basic", "CRF-Advanced"))


@dataclass(frozen=True, eq=False)
class Parts:
    """The training, dev and test sentences of a corpus."""

    train: Corpus
    dev: Corpus
    test: Corpus

    @classmethod
    def of(cls, name: str) -> "Parts":
        """Load the parts of a named corpus."""
        return cls(*(load_corpus(name, part) for part in ("train", "dev", "test")))

    def __str__(self) -> str:
        return f"{self.train}, {self.dev}, {self.test}"


@dataclass(frozen=True, eq=False)
class Tagged:
    """The posterior of one tagger on the test sentences."""

    name: str
    chain: Chain
    seconds: float  # of training
    passes: int  # of AdaGrad

    def accuracy(self, test: Corpus) -> float:
        """The percentage of words with the correct tag in the best sequence."""
        pairs = zip(self.chain.mode, test.tags, strict=True)
        right = sum(a == b for found, true in pairs for a, b in zip(found, true, strict=True))
        return 100 * right / test.tokens


def fit_all(models: Models, parts: Parts, progress: Progress) -> dict[str, Tagged]:
    """Train each model and tag the test sentences with it."""
    names: Iterable[str] = progress.track(models, len(models), "Training")
    found = {}
    for name in names:
        found[name] = tagged = _fit(name, models[name], parts)
        passes = f", {tagged.passes} passes" if tagged.passes else ""
        accuracy = f"accuracy {tagged.accuracy(parts.test):.2f} %"
        progress.say(f"{name}: {tagged.seconds:.1f} s{passes}, {accuracy}")
    return found


def _fit(name: str, model: HMM | CRF, parts: Parts) -> Tagged:
    begin = time.perf_counter()
    fitted: FittedHMM | FittedCRF
    if isinstance(model, CRF):
        fitted = model.fit(parts.train, dev=parts.dev)
    else:
        fitted = model.fit(parts.train)
    seconds = time.perf_counter() - begin
    passes = len(fitted.history) if isinstance(fitted, FittedCRF) else 0
    return Tagged(name, fitted.posteriors(parts.test), seconds, passes)
