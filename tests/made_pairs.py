"""Pairs that many tests share, and the steps of the thesis written out plainly."""

import numpy as np


def set_a():
    """Hand-checkable, no ties, 4 bins."""
    return np.array([0, 0, 1, 0, 1, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9])


def set_b():
    """Heavy ties, including exact 0 (119) and exact 1 (136)."""
    rng = np.random.default_rng(20261115)
    q = np.round(rng.beta(0.5, 0.5, 1000), 1)
    return (rng.random(1000) < 0.8 * q + 0.1).astype(np.int64), q


def set_c():
    """Continuous, skewed, miscalibrated."""
    rng = np.random.default_rng(7)
    q = rng.beta(0.3, 0.3, 5000)
    return (rng.random(5000) < q**1.3).astype(np.int64), q


def set_d():
    """Four classes, too sure of themselves."""
    rng = np.random.default_rng(11)
    q = rng.dirichlet([0.6] * 4, 600)
    true = q**0.7
    true /= true.sum(axis=1, keepdims=True)
    return q, (true.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1).clip(0, 3)


def thesis_steps(y, q, size):
    """Steps 1 to 5 of the thesis for distinct q: n, positives and Σq of each bin."""
    order = np.argsort(q)
    label = np.arange(q.size) // size
    if q.size % size and label[-1] > 0:
        label[label == label[-1]] -= 1
    n = np.bincount(label)
    return n, np.bincount(label, y[order]), np.bincount(label, q[order])


def thesis_mse(y, q, size):
    """The thesis's CalibMSE."""
    n, positive, total = thesis_steps(y, q, size)
    return float(np.sum(n * (total / n - positive / n) ** 2) / q.size)


def walk_ties(y, q, size, weight=None):
    """The tie rule, row by row: the oracle of all adaptive bins."""
    weight = np.ones(q.size) if weight is None else weight
    bins, held = [], [0.0, 0.0, 0.0]
    for value in np.unique(q):
        tied = q == value
        held[0] += weight[tied].sum()
        held[1] += (weight * y)[tied].sum()
        held[2] += value * weight[tied].sum()
        if held[0] >= size - 1e-9:
            bins.append(held)
            held = [0.0, 0.0, 0.0]
    if held[0] > 0:
        if bins:
            bins[-1] = [one + other for one, other in zip(bins[-1], held, strict=True)]
        else:
            bins.append(held)
    return np.array(bins).T


KINDS = ("skewed", "log", "mass", "rounded", "half", "tiny", "constant", "narrow", "near one")


def predictions(kind, n, seed=0):
    """Kinds of q that have broken other tools, or that our kernel treats specially."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.3, 0.3, n)
    if kind == "log":
        return 10.0 ** (-12 * rng.random(n))
    if kind == "mass":
        return np.where(rng.random(n) < 0.6, np.round(q), q)
    if kind == "rounded":
        return np.where(rng.random(n) < 0.5, np.round(q, 3), q)
    if kind == "half":
        return np.where(rng.random(n) < 0.5, 0.5, q)
    if kind == "tiny":
        return rng.random(n) * 1e-310
    if kind == "constant":
        return np.full(n, 0.3)
    if kind == "narrow":
        return 0.3 + 1e-9 * rng.random(n)
    if kind == "near one":
        return 1 - 2.0 ** -rng.integers(30, 54, n)
    return q
