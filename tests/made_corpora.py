"""Small corpora of made words, for the tests of models."""

import numpy as np

from calibrant.structures.sequences.reading.corpus import Corpus

ROOTS = {
    "D": ["the", "a", "Every"],
    "N": ["dog", "NASA", "x-ray", "😀"],
    "V": ["runs", "ran", "\xa0"],
}
AFTER = {"D": [0.05, 0.8, 0.15], "N": [0.2, 0.2, 0.6], "V": [0.6, 0.3, 0.1]}


def made(count=30, seed=0, longest=6, empty=True):
    """Sentences of a three-tag grammar; words are now and then of another tag."""
    rng = np.random.default_rng([seed, 77])
    tags = list(ROOTS)
    words, gold = [], []
    for _ in range(count):
        its, tag = [], str(rng.choice(tags))
        for _ in range(int(rng.integers(1, longest + 1))):
            its.append(tag)
            tag = str(rng.choice(tags, p=AFTER[tag]))
        kinds = [tag if rng.random() < 0.85 else str(rng.choice(tags)) for tag in its]
        words.append(tuple(str(rng.choice(ROOTS[kind])) for kind in kinds))
        gold.append(tuple(its))
    if empty:
        words, gold = [*words[:2], (), *words[2:]], [*gold[:2], (), *gold[2:]]
    return Corpus(tuple(words), tuple(gold))


def large(words, seed=0):
    """A corpus of about as many words, as varied as text: most words occur once or twice."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgkq"))
    kinds = ["".join(rng.choice(letters, int(rng.integers(2, 11)))) for _ in range(words // 8)]
    drawn = rng.zipf(1.25, words) - 1
    drawn = np.where(drawn < len(kinds), drawn, rng.integers(0, len(kinds), words))
    usual = rng.integers(0, 25, len(kinds))[drawn]
    codes = np.where(rng.random(words) < 0.8, usual, rng.integers(0, 25, words))
    ends = np.cumsum(rng.integers(5, 30, words // 17))
    places = [part for part in np.split(np.arange(words), ends[ends < words]) if part.size]
    return Corpus(
        tuple(tuple(kinds[drawn[t]] for t in each) for each in places),
        tuple(tuple(f"T{codes[t]}" for t in each) for each in places),
    )
