"""All ways to link a few mentions, one by one: the oracle of every sum over them."""

from itertools import product

import numpy as np

from calibrant.structures.coreference.links import Links


def random_links(lengths, seed=0, scale=1.0):
    """Links with normal scores."""
    rng = np.random.default_rng([seed, *lengths])
    return Links.from_scores([rng.normal(size=(n, n)) * scale for n in lengths])


def all_clusterings(matrix):
    """The entity of every mention (rows: vectors of antecedents), and their probabilities."""
    count = len(matrix)
    entities, chances = [], []
    for chosen in product(*(range(j + 1) for j in range(count))):
        entity = []
        for j, k in enumerate(chosen):
            entity.append(j if k == j else entity[k])
        entities.append(entity)
        chances.append(np.prod(matrix[range(count), chosen]))
    shape = (-1, count)
    return np.array(entities, int).reshape(shape), np.array(chances)
