"""Check that several models answer the same questions, row by row or by key."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.arrays import sum_by
from calibrant.errors import InputError, ParameterError, UnsupportedError, on_command_line, option
from calibrant.pairs.pairs import Pairs
from calibrant.results.wording import counted

Float = NDArray[np.float64]
ROUNDING = 1e-9  # rounding error of a sum over the splits of one pair (at most 6)


def same_questions(
    given: Mapping[Any, object], key: Sequence[NDArray[Any]] | None, own_answers: bool = False
) -> dict[str, Pairs]:
    """Return the pairs of all models, aligned by row or by key; refuse different questions.

    With `own_answers`, each model is asked whether its own answer is right, so y may differ.
    """
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
            arrays = counted(len(key), "array")
            raise ParameterError(f"There are {len(models)} models but {arrays} of keys.")
        models = join(models, key)
    if own_answers:
        _refuse_without_rows(models)
    check_same_questions(models, own_answers)
    return models


def _refuse_without_rows(models: Mapping[str, Pairs]) -> None:
    """Refuse pairs whose rows are not one answer each: nothing tells which belong together."""
    for name, pairs in models.items():
        if pairs.held is not None:
            raise UnsupportedError(
                f"{name} comes from draws, which must not choose the answer they are asked about: "
                f"leave {option('own_answers')} out, and ask all models about the same answers."
            )
        if pairs.moments is not None:
            raise UnsupportedError(
                f"{name} is compressed, so its rows cannot be matched with other answers: pass "
                "the original pairs."
            )


def check_same_questions(models: Mapping[str, Pairs], own_answers: bool = False) -> None:
    """Check that all models answer the same questions, row by row; own answers may differ in y."""
    (first, one), *rest = models.items()
    fields = ("group", "weight") if own_answers else ("y", "group", "weight")
    for name, other in rest:
        if one.held is not None or other.held is not None:
            _check_drawn(first, one, name, other)
            _check_same_groups(first, one, name, other, "sort them in the same order")
            continue
        if one.moments is not None or other.moments is not None:
            _check_compressed(first, one, name, other)
            _check_same_groups(first, one, name, other, "compare models on the same data")
            continue
        if len(one) != len(other):
            raise InputError(
                f"{first} has {counted(len(one), 'row')} and {name} has {len(other)}: they "
                f"must answer the same questions, row by row, or be joined by {_key()}."
            )
        for field in fields:
            _check_same_field(field, first, one, name, other)


def _check_same_field(field: str, first: str, one: Pairs, name: str, other: Pairs) -> None:
    """Check that a column is the same in both models, or missing from both."""
    mine, theirs = getattr(one, field), getattr(other, field)
    if (mine is None) != (theirs is None):
        has, lacks = (first, name) if theirs is None else (name, first)
        raise InputError(f"{has} has a {field}, but {lacks} has none.")
    if mine is None or np.array_equal(mine, theirs):
        return
    where = int(np.argmax(np.asarray(mine) != np.asarray(theirs)))
    raise InputError(
        f"{first} and {name} answer different questions: {field}[{where}] is "
        f"{mine[where].item()!r} in {first} and {theirs[where].item()!r} in {name}. "
        f"Sort them in the same order, or join them by {_key()}.{_own() if field == 'y' else ''}"
    )


def _own() -> str:
    """Advice for models that are asked about different answers to the same questions."""
    use = "add" if on_command_line() else "pass"
    spelled = option("own_answers", "True")
    return f" If each model is asked whether its own answer is right, {use} {spelled}."


def _key() -> str:
    return option("key", "COLUMN") if on_command_line() else "a key"


def _check_drawn(first: str, one: Pairs, name: str, other: Pairs) -> None:
    """Check that both models come from draws."""
    if one.held is None or other.held is None:
        drawn, plain = (first, name) if other.held is None else (name, first)
        raise InputError(
            f"Both models must come from draws, but {drawn} comes from draws, {plain} does not."
        )


def _check_compressed(first: str, one: Pairs, name: str, other: Pairs) -> None:
    """Check that compressed pairs have groups, which alone tell what belongs together."""
    if one.group is None or other.group is None:
        raise UnsupportedError(
            "Compressed pairs without groups cannot be compared, because their rows cannot be "
            f"matched: give both models a {option('group')} that identifies the question or "
            "its document, or pass the original pairs."
        )
    if one.folds != other.folds:
        raise InputError(
            f"{first} has {_folding(one)} and {name} has {_folding(other)}: fold both alike, as "
            "compress(folds=256) does."
        )


def _folding(pairs: Pairs) -> str:
    return "groups as given" if pairs.folds is None else f"{pairs.folds} folds of groups"


def _check_same_groups(first: str, one: Pairs, name: str, other: Pairs, advice: str) -> None:
    """Compare the contents of groups, where rows cannot be compared one by one."""
    assert one.group is not None and other.group is not None
    labels, others = np.unique(one.group), np.unique(other.group)
    if not np.array_equal(labels, others):
        raise InputError(f"{first} and {name} must have the same groups, but they differ.")
    same = np.isclose(_group_sums(one), _group_sums(other), rtol=ROUNDING, atol=ROUNDING)
    wrong = ~same.all(axis=0)
    if wrong.any():
        where = labels[np.argmax(wrong)]
        raise InputError(
            f"{first} and {name} answer different questions in group {where.item()!r}: {advice}."
        )


def _group_sums(pairs: Pairs) -> Float:
    """Weight and positive weight of each group."""
    assert pairs.codes is not None
    weight = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    return np.array([sum_by(pairs.codes, each) for each in (weight, weight * pairs.y)])


def join(models: Mapping[str, Pairs], keys: Sequence[NDArray[Any]]) -> dict[str, Pairs]:
    """Put the rows of all models in the order of the first one's keys."""
    if any(pairs.held is not None for pairs in models.values()):
        raise UnsupportedError(
            "Pairs from draws cannot be joined by a key: sort them in the same order."
        )
    first_name = next(iter(models))
    first = np.asarray(keys[0])
    joined = {}
    for (name, pairs), given in zip(models.items(), keys, strict=True):
        key = np.asarray(given)
        _check_unique(name, pairs, key)
        order = np.argsort(key, kind="stable")
        at = np.minimum(np.searchsorted(key[order], first), key.size - 1)
        missing = first[key[order][at] != first]
        if missing.size:
            raise InputError(_only_in(missing[0], first_name, name))
        if key.size != first.size:
            raise InputError(_only_in(np.setdiff1d(key, first)[0], name, first_name))
        joined[name] = pairs.take(order[at])
    return joined


def _check_unique(name: str, pairs: Pairs, key: NDArray[Any]) -> None:
    """Check that each row has a key and that no key occurs twice."""
    if key.shape != (len(pairs),):
        raise InputError(f"{name} has {len(pairs)} rows but {counted(key.size, 'key')}.")
    values, count = np.unique(key, return_counts=True)
    if (count > 1).any():
        twice = np.argmax(count > 1)
        raise InputError(
            f"The key {_plain(values[twice])!r} occurs {count[twice]} times in {name}."
        )


def _only_in(key: object, has: str, lacks: str) -> str:
    return f"The key {_plain(key)!r} is in {has} but not in {lacks}."


def _plain(key: object) -> object:
    """A key as Python writes it; arrays of objects hold such values themselves."""
    return key.item() if isinstance(key, np.generic) else key
