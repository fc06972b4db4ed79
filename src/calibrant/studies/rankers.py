"""The systems of the study of coreference: two mention rankers and a rule."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from calibrant.corpora.coreference_scores import CoreferenceScore, score_clusters
from calibrant.corpora.documents import Documents
from calibrant.corpora.named_documents import locate_documents
from calibrant.corpora.noun_phrases import Recall, mention_recall
from calibrant.corpora.ontogum_litbank import (
    FOLDS,
    PARTS,
    litbank_fold,
    read_litbank,
    read_ontogum,
)
from calibrant.kernels.threads import workers
from calibrant.models import FittedMentionRanker, MentionRanker
from calibrant.models.head_match import match_all
from calibrant.models.mention_ranking import DURRETT_KLEIN, prepare
from calibrant.posteriors import Links
from calibrant.studies.progress import Say, Track

RULE, FAITHFUL = "head match", "faithful"
RANKERS = {
    FAITHFUL: MentionRanker(),
    "loss-augmented": MentionRanker(losses=DURRETT_KLEIN),
}
Clusters = Sequence[Sequence[Sequence[int]]]


@dataclass(frozen=True, eq=False)
class Resolved:
    """What the systems believe about the test documents of a corpus, and how well they do."""

    name: str
    found: Documents  # with the mentions that are asked about
    links: Mapping[str, Links]
    scores: Mapping[tuple[str, str], CoreferenceScore]  # by part and system
    recall: Mapping[str, Recall]  # of mentions, by part

    def only(self, names: Collection[str]) -> "Resolved":
        """Some of the systems, and the rule."""
        return replace(
            self,
            links={name: each for name, each in self.links.items() if name in names},
            scores={key: each for key, each in self.scores.items() if key[1] in (*names, RULE)},
        )


def _scored(
    gold: Documents, found: Documents, clusters: Clusters, singletons: bool
) -> CoreferenceScore:
    placed = [document.places(each) for document, each in zip(found, clusters, strict=True)]
    return score_clusters(gold.spans, placed, singletons=singletons)


def resolve_ontogum(rankers: Mapping[str, MentionRanker], track: Track, say: Say) -> Resolved:
    """Train on OntoGUM's training documents, ask about dev and test."""
    folder = locate_documents("ontogum")
    both = {part: read_ontogum(folder, part) for part in PARTS}
    links: dict[str, Links] = {}
    scores: dict[tuple[str, str], CoreferenceScore] = {}
    begin = time.perf_counter()
    fitted = _fit_all(rankers, both["train"][1], both["dev"][1])
    for name, model in track(fitted, len(rankers), "OntoGUM"):
        for part in ("dev", "test"):
            gold, found = both[part]
            links[name] = model.posteriors(found)
            scores[part, name] = _scored(gold, found, links[name].mode, singletons=False)
        say(f"OntoGUM, {name}: test {scores['test', name]}")
    say(f"OntoGUM: {time.perf_counter() - begin:.1f} s")
    for part in ("dev", "test"):
        gold, found = both[part]
        scores[part, RULE] = _scored(gold, found, match_all(found), singletons=False)
    recall = {part: mention_recall(*(list(each) for each in both[part])) for part in PARTS}
    ordered = dict(sorted(scores.items(), key=lambda item: item[0][0]))
    return Resolved("OntoGUM", both["test"][1], links, ordered, recall)


def _fit_all(
    rankers: Mapping[str, MentionRanker], train: Documents, dev: Documents
) -> Iterator[tuple[str, FittedMentionRanker]]:
    """All rankers on the same documents, as many at once as there are cores."""
    common = {ranker.common for ranker in rankers.values()}
    prepared = {each: prepare(train, dev, each) for each in common}
    with ThreadPoolExecutor(workers()) as pool:
        fitted = pool.map(
            lambda ranker: ranker.fit_prepared(prepared[ranker.common]), rankers.values()
        )
        yield from zip(rankers, fitted, strict=True)


def resolve_litbank(rankers: Mapping[str, MentionRanker], track: Track, say: Say) -> Resolved:
    """Train on each of LitBank's ten folds, and pool what is held out."""
    folder = locate_documents("litbank")
    documents = read_litbank(folder)
    held: list[Documents] = []
    pooled: dict[str, list[Links]] = {name: [] for name in rankers}
    begin = time.perf_counter()
    for fold in track(range(FOLDS), FOLDS, "LitBank"):
        parts = litbank_fold(folder, documents, fold)
        held.append(parts["test"])
        for name, model in _fit_all(rankers, parts["train"], parts["dev"]):
            pooled[name].append(model.posteriors(parts["test"]))
    found = Documents(tuple(each for fold in held for each in fold), "litbank, ten folds")
    links = {name: _joined(each) for name, each in pooled.items()}
    clusters: dict[str, Clusters] = {name: each.mode for name, each in links.items()}
    clusters[RULE] = match_all(found)
    scores = {
        ("ten folds", name): _scored(found, found, each, singletons=True)
        for name, each in clusters.items()
    }
    for name in rankers:
        say(f"LitBank, {name}: {scores['ten folds', name]}")
    say(f"LitBank: {time.perf_counter() - begin:.1f} s")
    return Resolved("LitBank", found, links, scores, {})


def _joined(parts: Sequence[Links]) -> Links:
    """The documents of several posteriors as one."""
    return Links(
        np.concatenate([each.lengths for each in parts]),
        np.concatenate([each.probability for each in parts]),
    )
