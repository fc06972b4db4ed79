"""The systems of the study of coreference: two mention rankers and a rule."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from calibrant.kernels.threads import workers
from calibrant.structures.coreference.accuracy import CoreferenceScore, Share, score_clusters
from calibrant.structures.coreference.documents import Documents
from calibrant.structures.coreference.links import Links
from calibrant.structures.coreference.models.head_match import match_all
from calibrant.structures.coreference.models.ranker import FittedMentionRanker, MentionRanker
from calibrant.structures.coreference.models.training import prepare
from calibrant.structures.coreference.noun_phrases import mention_recall
from calibrant.structures.named.coreference import locate_documents
from calibrant.structures.named.ontogum_litbank import (
    FOLDS,
    litbank_fold,
    read_litbank,
    read_ontogum,
)
from calibrant.structures.named.parts import PARTS
from calibrant.studies.coreference.plan import RULE
from calibrant.studies.progress import Progress

Clusters = Sequence[Sequence[Sequence[int]]]


@dataclass(frozen=True, eq=False)
class Resolved:
    """The posteriors of the systems on held-out documents of a corpus, and their accuracy."""

    name: str
    found: Documents  # with the mentions that queries cover
    links: Mapping[str, Links]
    scores: Mapping[str, CoreferenceScore]  # by system
    recall: Share | None = None  # of mentions, if they come from trees

    def only(self, names: Collection[str]) -> "Resolved":
        """Some of the systems, and the rule."""
        return replace(
            self,
            links={name: each for name, each in self.links.items() if name in names},
            scores={name: each for name, each in self.scores.items() if name in (*names, RULE)},
        )


def _resolved(
    name: str, gold: Documents, found: Documents, links: Mapping[str, Links], singletons: bool
) -> Resolved:
    """Score the systems and the rule against the gold entities."""
    clusters: dict[str, Clusters] = {system: each.mode for system, each in links.items()}
    clusters[RULE] = match_all(found)
    scores = {}
    for system, its in clusters.items():
        placed = [document.places(each) for document, each in zip(found, its, strict=True)]
        scores[system] = score_clusters(gold.spans, placed, singletons=singletons)
    recall = None if found is gold else mention_recall(list(gold), list(found))
    return Resolved(name, found, links, scores, recall)


def resolve_ontogum(rankers: Mapping[str, MentionRanker], progress: Progress) -> list[Resolved]:
    """Train on OntoGUM and query test alone, and dev and test together.

    Dev determines the number of passes, so only test is entirely unseen. Together they have twice
    as many documents.
    """
    folder = locate_documents("ontogum")
    both = {part: read_ontogum(folder, part) for part in PARTS}
    links: dict[str, dict[str, Links]] = {"dev": {}, "test": {}}
    begin = time.perf_counter()
    fitted = _fit_all(rankers, both["train"][1], both["dev"][1])
    for name, model in progress.track(fitted, len(rankers), "OntoGUM"):
        for part, its in links.items():
            its[name] = model.posteriors(both[part][1])
    test = _resolved("OntoGUM", *both["test"], links["test"], singletons=False)
    gold, found = (
        Documents((*one, *other), "ontogum dev and test")
        for one, other in zip(both["dev"], both["test"], strict=True)
    )
    pooled = {name: Links.joined([its[name] for its in links.values()]) for name in rankers}
    every = _resolved("OntoGUM with dev", gold, found, pooled, singletons=False)
    for each in (test, every):
        for name in rankers:
            progress.say(f"{each.name}, {name}: {each.scores[name]}")
    progress.say(f"OntoGUM: {time.perf_counter() - begin:.1f} s")
    return [test, every]


def _fit_all(
    rankers: Mapping[str, MentionRanker], train: Documents, dev: Documents
) -> Iterator[tuple[str, FittedMentionRanker]]:
    """Fit all rankers on the same documents, in parallel on all cores."""
    common = {ranker.common for ranker in rankers.values()}
    prepared = {each: prepare(train, dev, each) for each in common}
    with ThreadPoolExecutor(workers()) as pool:
        fitted = pool.map(
            lambda ranker: ranker.fit_prepared(prepared[ranker.common]), rankers.values()
        )
        yield from zip(rankers, fitted, strict=True)


def resolve_litbank(rankers: Mapping[str, MentionRanker], progress: Progress) -> list[Resolved]:
    """Train on each of LitBank's ten folds, and pool the held-out documents."""
    folder = locate_documents("litbank")
    documents = read_litbank(folder)
    held: list[Documents] = []
    pooled: dict[str, list[Links]] = {name: [] for name in rankers}
    begin = time.perf_counter()
    for fold in progress.track(range(FOLDS), FOLDS, "LitBank"):
        parts = litbank_fold(folder, documents, fold)
        held.append(parts["test"])
        for name, model in _fit_all(rankers, parts["train"], parts["dev"]):
            pooled[name].append(model.posteriors(parts["test"]))
    found = Documents(tuple(each for fold in held for each in fold), "litbank, ten folds")
    links = {name: Links.joined(each) for name, each in pooled.items()}
    resolved = _resolved("LitBank", found, found, links, singletons=True)
    for name in rankers:
        progress.say(f"LitBank, {name}: {resolved.scores[name]}")
    progress.say(f"LitBank: {time.perf_counter() - begin:.1f} s")
    return [resolved]
