"""All tag sequences of a short sentence, one by one: the oracle of every sum over them."""

from itertools import pairwise, product

import numpy as np

from calibrant.structures.sequences.chain import Chain


def random_chain(lengths, tags, seed=0, scale=1.0, forbidden=()):
    """A chain with normal scores; `forbidden` are pairs of tags that may not be neighbours."""
    rng = np.random.default_rng([seed, len(tags), *lengths])
    count = len(tags)
    unary = [rng.normal(size=(n, count)) * scale for n in lengths]
    move, first, last = (rng.normal(size=shape) * scale for shape in ((count, count), count, count))
    for one, other in forbidden:
        move[tags.index(one), tags.index(other)] = -np.inf
    return Chain.from_scores(unary, move, first=first, last=last, tags=tags)


def all_sequences(chain, index):
    """Every sequence of a sentence, in the order of tags, with its probability."""
    score = chain.score[chain.start[index] : chain.start[index + 1]]
    length, count = score.shape
    paths = np.array(list(product(range(count), repeat=length)), int).reshape(count**length, length)
    if length == 0:
        return paths, np.ones(1)
    value = chain.first[paths[:, 0]] + chain.last[paths[:, -1]]
    for t in range(length):
        value += score[t, paths[:, t]]
    for before, after in pairwise(range(length)):
        value += chain.move[paths[:, before], paths[:, after]]
    p = np.exp(value - value.max())
    return paths, p / p.sum()


def named(chain, path):
    return [chain.tags[code] for code in path]
