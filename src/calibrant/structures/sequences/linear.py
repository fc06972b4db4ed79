"""The weights of a linear-chain conditional random field, and the scores they give."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import InputError, nearest
from calibrant.structures.potentials import Potentials
from calibrant.structures.sequences.attributes import attributes_of

Float = NDArray[np.float64]
Int = NDArray[np.int64]


class Weights(NamedTuple):
    """The weights of attributes for tags, as parallel lists, and the weights of moves."""

    attributes: dict[str, int]
    at: Int  # the attribute of each weight
    tag: Int  # its tag
    weight: Float
    move: Float  # (tags, tags)
    tags: tuple[str, ...]


def crf_scores(weights: Weights, sentences: Sequence[Any]) -> Potentials:
    """Score the tags of these sentences by summing the weights of their attributes."""
    from scipy.sparse import csr_array

    rows, columns, values, lengths = _occurrences(weights.attributes, sentences)
    many = max(len(weights.attributes), 1), len(weights.tags)
    seen = csr_array((values, (rows, columns)), shape=(sum(lengths), many[0]))
    state = csr_array((weights.weight, (weights.at, weights.tag)), shape=many)
    score = (seen @ state).toarray()
    unary = np.split(score, np.cumsum(lengths)[:-1]) if lengths else []
    return Potentials(unary, weights.move, None, None, weights.tags)


def _occurrences(
    known: Mapping[str, int], sentences: Sequence[Any]
) -> tuple[list[int], list[int], list[float], list[int]]:
    """Token, number and value of each known attribute, and the lengths of the sentences."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    lengths: list[int] = []
    token = 0
    for sentence in attributes_of(sentences):
        lengths.append(len(sentence))
        for found in sentence:
            for name, value in found:
                # CRFsuite ends a name at a null character
                column = known.get(name if "\0" not in name else name.partition("\0")[0])
                if column is not None:
                    rows.append(token)
                    columns.append(column)
                    values.append(value)
            token += 1
    return rows, columns, values, lengths


def weights_from_mappings(
    states: Mapping[tuple[str, str], float],
    moves: Mapping[tuple[str, str], float],
    tags: Sequence[str] | None,
) -> Weights:
    """Check weights given as mappings; `tags` defaults to the tags that occur, sorted."""
    for name, mapping in (("states", states), ("moves", moves)):
        _check_mapping(name, mapping)
    if tags is None:
        tags = sorted({tag for _, tag in states} | {tag for pair in moves for tag in pair})
    if not tags:
        raise InputError("There must be at least one tag: name them with tags=[...].")
    code = {str(tag): k for k, tag in enumerate(tags)}
    move = np.zeros((len(tags), len(tags)))
    for (one, other), weight in moves.items():
        move[_code(one, code, "moves"), _code(other, code, "moves")] = weight
    names: dict[str, int] = {}
    at = np.array([names.setdefault(name, len(names)) for name, _ in states], np.int64)
    tag = np.array([_code(tag, code, "states") for _, tag in states], np.int64)
    values = np.array(list(states.values()), np.float64)
    return Weights(names, at, tag, values, move, tuple(map(str, tags)))


def _check_mapping(name: str, mapping: object) -> None:
    """Check that keys are pairs of strings and values numbers; -inf forbids a move."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"{name} must be a mapping, but it is of type {type(mapping).__name__}.")
    for key, weight in mapping.items():
        if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, str) for k in key)):
            pair = "(attribute, tag)" if name == "states" else "(tag, tag)"
            raise InputError(f"The keys of {name} must be pairs {pair}, but one is {key!r}.")
        if not _is_weight(weight, forbidding=name == "moves"):
            raise InputError(
                f"The weights in {name} must be finite numbers, but {name}[{key!r}] is {weight!r}."
            )


def _is_weight(value: object, forbidding: bool) -> bool:
    if not isinstance(value, int | float | np.integer | np.floating):
        return False
    return isfinite(value) or (forbidding and value == -np.inf)


def _code(tag: str, code: Mapping[str, int], name: str) -> int:
    if tag in code:
        return code[tag]
    near = nearest(tag, code)
    hint = f" Did you mean {near!r}?" if near else ""
    raise InputError(f"{name} has a tag {tag!r} that is not among the {len(code)} tags.{hint}")
