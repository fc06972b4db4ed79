"""Train the models of the study, and tell what each believes of dev and of test."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from calibrant.structures.coreference.documents import Documents
from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.coreference.queries import NewEntity, SameEntity, Singleton
from calibrant.structures.likelihoods import Temperable, usual_queries
from calibrant.structures.named.coreference import locate_documents
from calibrant.structures.named.ontogum_litbank import litbank_fold, read_litbank, read_ontogum
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.query import Query
from calibrant.structures.sequences.models.crf import CRF
from calibrant.structures.trees.queries import HasConstituent
from calibrant.structures.trees.treebank import Treebank
from calibrant.studies.progress import Progress
from calibrant.studies.recalibration.plan import RecalibrationPlan
from calibrant.studies.tagging.taggers import Parts


@dataclass(frozen=True, eq=False)
class Held:
    """What a model believes of dev and of test, and what is true."""

    dev: Temperable
    dev_gold: Any
    test: Temperable
    test_gold: Any


@dataclass(frozen=True, eq=False)
class Case:
    """A model on a corpus, with the queries to ask; several parts are folds of the corpus."""

    corpus: str
    model: str
    parts: tuple[Held, ...]
    queries: tuple[Query, ...]

    @property
    def name(self) -> str:
        """The corpus and the model."""
        return f"{self.corpus}, {self.model}"


def cases_of(plan: RecalibrationPlan, progress: Progress) -> Iterator[Case]:
    """Train each model, one after another."""
    for name, words in plan.tagged.items():
        yield from _tagged(plan, name, words, progress)
    for name, step in plan.treebanks.items():
        yield from _parsed(plan, name, step, progress)
    if plan.ontogum:
        yield from _ontogum(plan, progress)
    if plan.litbank:
        yield from _litbank(plan, progress)


def _tagged(plan: RecalibrationPlan, name: str, words: str, progress: Progress) -> Iterator[Case]:
    parts = Parts.of(name)
    for model, settings in plan.taggers.items():
        if name in plan.slow.get(model, ()):
            continue
        progress.say(f"{words}: training {model}")
        fitted: Any = (
            settings.fit(parts.train, dev=parts.dev)
            if isinstance(settings, CRF)
            else settings.fit(parts.train)
        )
        dev, test = fitted.posteriors(parts.dev), fitted.posteriors(parts.test)
        yield Case(words, model, (Held(dev, parts.dev, test, parts.test),), usual_queries(test))


def _parsed(plan: RecalibrationPlan, name: str, step: int, progress: Progress) -> Iterator[Case]:
    train = load_treebank(name, "train")
    dev, test = (_some(load_treebank(name, part), plan.longest, step) for part in ("dev", "test"))
    for model, settings in plan.grammars.items():
        progress.say(f"{name}: parsing {len(dev)} and {len(test)} sentences, {model}")
        fitted = settings.fit(train)
        held = Held(fitted.posteriors(dev), dev, fitted.posteriors(test), test)
        queries = (HasConstituent(), *map(HasConstituent, plan.labels))
        yield Case(name.upper(), model, (held,), queries)


def _some(trees: Treebank, longest: int, step: int) -> Treebank:
    short = trees.up_to(longest)
    return short.take(range(0, len(short), step))


def _ontogum(plan: RecalibrationPlan, progress: Progress) -> Iterator[Case]:
    folder = locate_documents("ontogum")
    parts = {part: read_ontogum(folder, part)[1] for part in ("train", "dev", "test")}
    for model, settings in plan.rankers.items():
        progress.say(f"OntoGUM: training {model}")
        yield Case("OntoGUM", model, (_resolved(settings, parts),), _about_mentions())


def _litbank(plan: RecalibrationPlan, progress: Progress) -> Iterator[Case]:
    folder = locate_documents("litbank")
    documents = read_litbank(folder)
    folds = [litbank_fold(folder, documents, fold) for fold in range(plan.litbank)]
    for model, settings in plan.rankers.items():
        progress.say(f"LitBank: training {model} on {plan.litbank} folds")
        parts = tuple(_resolved(settings, fold) for fold in folds)
        yield Case("LitBank", model, parts, _about_mentions())


def _resolved(settings: MentionRanker, parts: dict[str, Documents]) -> Held:
    fitted = settings.fit(parts["train"], dev=parts["dev"])
    dev, test = (fitted.posteriors(parts[part]) for part in ("dev", "test"))
    return Held(dev, parts["dev"], test, parts["test"])


def _about_mentions() -> tuple[Query, ...]:
    return (SameEntity(), NewEntity(), Singleton())
