"""Whether several models answer the same questions, row by row or by key."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, ParameterError, UnsupportedError
from calibrant.pairs.pairs import Pairs

Float = NDArray[np.float64]


def same_questions(
    given: Mapping[Any, object], key: Sequence[NDArray[Any]] | None
) -> dict[str, Pairs]:
    """The pairs of all models, which must answer the same questions, row by row or by key."""
    models: dict[str, Pairs] = {}
    for name, pairs in given.items():
        if not isinstance(pairs, Pairs):
            raise ParameterError(
                "Two sets of pairs were expected, or a mapping of names to pairs, but "
                f"{name} is {type(pairs).__name__}."
            )
        models[str(name)] = pairs
    if len(models) < 2:
        raise ParameterError("There must be at least two models to compare.")
    if key is not None:
        if len(key) != len(models):
            raise ParameterError(f"There are {len(models)} models and {len(key)} arrays of keys.")
        models = join(models, key)
    check_same_questions(models)
    return models


def check_same_questions(models: Mapping[str, Pairs]) -> None:
    """All models must answer the same questions, row by row."""
    (first, one), *rest = models.items()
    for name, other in rest:
        if one.held is not None or other.held is not None:
            _check_same_groups(first, one, name, other)
            continue
        if len(one) != len(other):
            raise InputError(
                f"{first} has {len(one)} rows and {name} {len(other)}: they must answer the same "
                "questions, row by row, or be joined by a key."
            )
        for field in ("y", "group", "weight"):
            mine, theirs = getattr(one, field), getattr(other, field)
            if (mine is None) != (theirs is None):
                with_it, without = (first, name) if theirs is None else (name, first)
                raise InputError(f"{with_it} has a {field} and {without} has none.")
            if mine is None or np.array_equal(mine, theirs):
                continue
            where = int(np.argmax(np.asarray(mine) != np.asarray(theirs)))
            raise InputError(
                f"{first} and {name} answer different questions: {field}[{where}] is "
                f"{mine[where].item()!r} in one and {theirs[where].item()!r} in the other. "
                "Sort them alike, or join them by a key."
            )


def _check_same_groups(first: str, one: Pairs, name: str, other: Pairs) -> None:
    """Draws make several rows of one question, so what a group holds is compared."""
    if one.held is None or other.held is None:
        raise InputError(f"One of {first} and {name} comes from draws, the other does not.")
    assert one.group is not None and other.group is not None
    labels, others = np.unique(one.group), np.unique(other.group)
    if not np.array_equal(labels, others):
        raise InputError(f"{first} and {name} have different groups: they must be the same.")
    wrong = ~np.isclose(_held_sums(one), _held_sums(other), rtol=1e-9, atol=1e-9).all(axis=0)
    if wrong.any():
        where = labels[np.argmax(wrong)]
        raise InputError(
            f"{first} and {name} answer different questions in group {where.item()!r}: sort them "
            "alike."
        )


def _held_sums(pairs: Pairs) -> Float:
    """Weight and positive weight of each group."""
    assert pairs.codes is not None and pairs.weight is not None
    return np.array([sum_by(pairs.codes, each) for each in (pairs.weight, pairs.weight * pairs.y)])


def join(models: Mapping[str, Pairs], keys: Sequence[NDArray[Any]]) -> dict[str, Pairs]:
    """Put the rows of all models in the order of the first one's keys."""
    if any(pairs.held is not None for pairs in models.values()):
        raise UnsupportedError("Pairs from draws cannot be joined by a key: sort them alike.")
    first_name = next(iter(models))
    first = np.asarray(keys[0])
    joined = {}
    for (name, pairs), key in zip(models.items(), keys, strict=True):
        key = np.asarray(key)
        if key.shape != (len(pairs),):
            raise InputError(f"{name} has {len(pairs)} rows and {key.size} keys.")
        values, count = np.unique(key, return_counts=True)
        if (count > 1).any():
            twice = values[np.argmax(count > 1)]
            raise InputError(f"The key {twice.item()!r} occurs {count.max()} times in {name}.")
        order = np.argsort(key, kind="stable")
        at = np.minimum(np.searchsorted(key[order], first), key.size - 1)
        missing = key[order][at] != first
        if missing.any() or key.size != first.size:
            lost = first[np.argmax(missing)] if missing.any() else np.setdiff1d(key, first)[0]
            has, lacks = (first_name, name) if missing.any() else (name, first_name)
            raise InputError(f"The key {lost.item()!r} is in {has} and not in {lacks}.")
        joined[name] = pairs.take(order[at])
    return joined
