"""Coreference: exact probabilities of pairs beside sampled ones, and the time of training.

python benchmarks/coreference.py          everything (about a minute)
python benchmarks/coreference.py pairs    documents of 100 to 1000 mentions, best of several runs
python benchmarks/coreference.py train    mention rankers on OntoGUM and on a fold of LitBank

Both sides are compiled and use one thread. Sampling draws 1000 clusterings and counts, for every
two mentions, in how many they belong to one entity. The corpora must lie below CALIBRANT_DATA.
"""

import unshadow  # noqa: F401, I001

import argparse
import time

import numpy as np

from calibrant.structures.named.coreference import locate_documents
from calibrant.structures.named.ontogum_litbank import litbank_fold, read_litbank, read_ontogum
from calibrant.kernels.coreference.links import count_pairs, draw_entities, pair_probabilities
from calibrant.structures.coreference.models.ranker import MentionRanker
from calibrant.structures.coreference.links import Links

SAMPLES = 1000


def made_links(count, seed=0, new=4.0):
    """One document whose mentions, like real ones, are half new and prefer a few antecedents."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(count, count)) * 2.5
    scores[np.diag_indices(count)] = rng.normal(size=count) * 2 + new + np.log(count) / 2
    return Links.from_scores([scores])


def best(run, times=7):
    """The least of several times, in milliseconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        found.append(time.perf_counter() - begin)
    return 1000 * min(found)


def time_pairs():
    """Exact against sampled, by the number of mentions."""
    print("mentions  exact ms  sampled ms  (draws, counts)  ratio  rms difference")
    for count in (100, 200, 500, 1000):
        links = made_links(count).document(0)
        same, together = np.empty((count, count)), np.zeros((count, count), np.int64)
        entity = np.empty((count, SAMPLES), np.int32)

        def draw(links=links, entity=entity):
            draw_entities(links, np.random.default_rng(0).random(entity.shape), entity)

        def count_them(entity=entity, together=together):
            together[:] = 0
            count_pairs(entity, together)

        def exactly(links=links, same=same):
            pair_probabilities(links, same)

        exact, drawn, counted = best(exactly), best(draw), best(count_them)
        below = np.tril_indices(count, -1)
        gap = np.sqrt(np.mean((same[below] - together[below] / SAMPLES) ** 2))
        print(
            f"{count:8d}  {exact:8.2f}  {drawn + counted:10.2f}  ({drawn:.1f}, {counted:.1f})"
            f"  {exact / (drawn + counted):5.2f}  {gap:.4f}"
        )


def time_training():
    """Seconds that fitting and asking take."""
    folder = locate_documents("litbank")
    ontogum = [read_ontogum(locate_documents("ontogum"), part)[1] for part in ("train", "dev")]
    fold = litbank_fold(folder, read_litbank(folder), 0)
    for name, (train, dev) in {
        "OntoGUM": ontogum,
        "LitBank, fold 0": (fold["train"], fold["dev"]),
    }.items():
        MentionRanker(passes=1).fit(train)
        begin = time.perf_counter()
        model = MentionRanker().fit(train, dev=dev)
        fitted = time.perf_counter()
        model.posteriors(dev)
        done = time.perf_counter()
        print(f"{name}: {model}, {fitted - begin:.1f} s, posteriors of dev {done - fitted:.2f} s")


if __name__ == "__main__":
    parts = {"pairs": time_pairs, "train": time_training}
    parser = argparse.ArgumentParser(description="Time coreference.")
    parser.add_argument(
        "parts",
        nargs="*",
        choices=[*parts, []],
        metavar="PART",
        help=f"{', '.join(parts)} (default: all)",
    )
    for name in parser.parse_args().parts or parts:
        parts[name]()
