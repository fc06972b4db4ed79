"""The taggers of the studies: a hidden Markov model and conditional random fields."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.sequences.chain import Chain
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.sequences.models.features import Advanced, Basic
from calibrant.structures.sequences.models.hmm import HMM
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.studies.progress import Say, Track

MAIN: dict[str, HMM | CRF] = {
    "HMM": HMM(),
    "CRF-Basic": CRF(Basic()),
    "CRF-Advanced": CRF(Advanced()),
}
ADDED: dict[str, HMM | CRF] = {"HMM, one class of rare words": HMM(unknown="one")} | {
    f"CRF-Basic + {family}": CRF(Basic().plus(family))
    for family in Advanced().families
    if family not in Basic().families
}


@dataclass(frozen=True, eq=False)
class Parts:
    """A corpus in three parts."""

    train: Corpus
    dev: Corpus
    test: Corpus

    @classmethod
    def of(cls, name: str) -> "Parts":
        """A named corpus."""
        return cls(*(load_corpus(name, part) for part in ("train", "dev", "test")))


@dataclass(frozen=True, eq=False)
class Tagged:
    """What one tagger believes about the test sentences."""

    name: str
    chain: Chain
    seconds: float  # that training took
    passes: int  # of AdaGrad

    def accuracy(self, test: Corpus) -> float:
        """The share of words whose tag in the best sequence is right, in per cent."""
        pairs = zip(self.chain.mode, test.tags, strict=True)
        right = sum(a == b for found, true in pairs for a, b in zip(found, true, strict=True))
        return 100 * right / test.tokens


def fit_all(
    models: dict[str, HMM | CRF], parts: Parts, track: Track, say: Say
) -> dict[str, Tagged]:
    """Train each model and let it tag the test sentences."""
    found: dict[str, Tagged] = {}
    names: Iterable[str] = track(models, len(models), "Training")
    for name in names:
        begin = time.perf_counter()
        model = models[name]
        fitted = model.fit(parts.train, dev=parts.dev) if isinstance(model, CRF) else (
            model.fit(parts.train)
        )  # fmt: skip
        seconds = time.perf_counter() - begin
        passes = len(getattr(fitted, "history", ()))
        found[name] = Tagged(name, fitted.posteriors(parts.test), seconds, passes)
        done = f"{seconds:.1f} s" + (f", {passes} passes" if passes else "")
        say(f"{name}: {done}, accuracy {found[name].accuracy(parts.test):.2f} %")
    return found
