"""Time of exact distributions of counts, against that of 1000 samples of whole structures.

Numbers of entities (documents of 100 to 1000 mentions), of names (sentences of 25 and 100 words,
9 tags), and of constituents (sentences of 10 and 20 words, a grammar of 200 symbols). Each line has
the medians in milliseconds, and their ratio. The numbers agree within sampling error, which is
checked.

    python benchmarks/structure_counts.py
"""

import unshadow  # noqa: F401, I001

import time
from collections.abc import Callable

import numpy as np

import calibrant as cb
from calibrant.models import Grammar
from calibrant.pairs.tallies import Tallies

SAMPLES, REPEATS = 1000, 7
TAGS = ["O", *(f"{mark}-{kind}" for kind in ("PER", "LOC", "ORG", "MISC") for mark in "BI")]


def seconds(work: Callable[[], object]) -> float:
    work()
    found = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return float(np.median(found))


def report(what: str, exact: Callable[[], Tallies], sampled: Callable[[], Tallies]) -> None:
    one, other = exact(), sampled()
    assert abs(one.expected[0] - other.expected[0]) < 5 * np.sqrt(one.variance[0] / SAMPLES) + 1e-9
    a, b = seconds(exact), seconds(sampled)
    print(f"{what:35s} exact {1e3 * a:9.3f} ms, {SAMPLES} samples {1e3 * b:9.3f} ms: {a / b:.4f}")


def entities(mentions: int) -> None:
    generator = np.random.default_rng(mentions)
    links = cb.Links.from_scores([generator.normal(size=(mentions, mentions)) * 3])
    report(
        f"entities, {mentions} mentions",
        lambda: cb.NewEntity().tallies(links),
        lambda: cb.NewEntity(samples=SAMPLES).tallies(links),
    )


def names(words: int) -> None:
    generator = np.random.default_rng(words)
    scores = generator.normal(size=(words, len(TAGS))) * 2
    chain = cb.Chain.from_scores([scores], generator.normal(size=(len(TAGS),) * 2), tags=TAGS)
    _ = chain.mode

    def number(tags: list[str]) -> int:
        return tags.count("B-PER")

    report(
        f"tags of a kind, {words} words",
        lambda: cb.TagIs("B-PER").tallies(chain),
        lambda: cb.HowMany(number, samples=SAMPLES).tallies(chain),
    )


def constituents(words: int) -> None:
    generator = np.random.default_rng(words)
    phrases, tags = [f"P{k}" for k in range(180)], [f"t{k}" for k in range(20)]
    every = [*phrases, *tags]
    binary = {
        (parent, str(generator.choice(every)), str(generator.choice(every))): float(p)
        for parent in phrases
        for p in generator.dirichlet(np.ones(20)) * 0.9
    }
    unary = {(parent, str(generator.choice(tags))): 0.1 for parent in phrases}
    lexicon = {(tag, "w"): 1.0 for tag in tags}
    tree = cb.Tree.from_grammar(Grammar(binary, unary, lexicon, root="P0"), [["w"] * words])
    _ = tree.mode

    def number(parse: cb.corpora.Parse) -> int:
        return len({span[:2] for span in parse.spans if span.type == "P1"})

    report(
        f"constituents of a label, {words} words",
        lambda: cb.HasConstituent("P1").tallies(tree),
        lambda: cb.HowMany(number, samples=SAMPLES).tallies(tree),
    )


if __name__ == "__main__":
    for size in (100, 500, 1000):
        entities(size)
    for size in (25, 100):
        names(size)
    for size in (10, 20):
        constituents(size)
