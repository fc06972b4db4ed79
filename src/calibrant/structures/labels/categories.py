"""Scores of categories, as mappings from names to numbers: one is true, or several may be."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.items import described, listed_items
from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.structures.gold import label_groups

Float = NDArray[np.float64]


class Scores(NamedTuple):
    """A row per text, and the names of the columns."""

    matrix: Float
    names: list[str]


def category_scores(cats: Sequence[Mapping[str, float]]) -> Scores:
    """Put the scores of all texts in one matrix; all must have the same categories."""
    texts = listed_items(cats, "cats", "mappings from categories to scores, one for each text")
    if not texts:
        raise InputError("There must be at least one text, but cats is empty.")
    for k, each in enumerate(texts):
        if not isinstance(each, Mapping):
            raise InputError(
                f"cats must hold a mapping from categories to scores for each text, but cats[{k}] "
                f"is {type(each).__name__}."
            )
        if set(each) != set(texts[0]):
            other = sorted(set(each) ^ set(texts[0]), key=str)[0]
            raise InputError(
                f"All texts must have the same categories, but cats[0] and cats[{k}] differ in "
                f"{other!r}."
            )
    names = list(texts[0])
    if not names:
        raise InputError("There must be at least one category, but cats[0] has none.")
    rows = [
        [_score(each[name], f"cats[{k}][{name!r}]") for name in names]
        for k, each in enumerate(texts)
    ]
    return Scores(np.array(rows, np.float64), names)


def _score(value: Any, name: str) -> float:  # noqa: ANN401 - numbers, or tensors of one number
    given = value.item() if getattr(value, "ndim", None) == 0 else value
    if not isinstance(given, Real) or isinstance(given, bool):
        raise InputError(f"{name} must be a number, but it is {described(given)}.")
    return float(given)


def category_pairs(
    cats: Sequence[Mapping[str, float]],
    gold: Sequence[Collection[str] | Mapping[str, float]],
    *,
    group: object = None,
) -> Pairs:
    """Is this category true of the text? One question per text and category.

    For categories that do not exclude each other, such as `doc.cats` of spaCy's
    `textcat_multilabel`. The answers about one text depend on each other, so each text is a group.

    Parameters
    ----------
    cats
        The scores of the categories of each text, in [0, 1].
    gold
        For each text, the categories that are true; or a mapping from categories to 0 and 1.
    group
        Larger groups, one label for each text (default: the text itself).

    Examples
    --------
    >>> from calibrant.outputs import category_pairs
    >>> category_pairs([{"sport": 0.7, "money": 0.9}, {"sport": 0.1, "money": 0.4}],
    ...                gold=[{"sport", "money"}, {}])
    Pairs(4 pairs in 2 groups: 50 % positive, mean q 0.525)
    """
    scores = category_scores(cats)
    given = listed_items(gold, "gold", "sets of categories, one for each text")
    texts = len(scores.matrix)
    if len(given) != texts:
        raise InputError(f"gold must have an entry for each text: {texts}, not {len(given)}.")
    true = [_true(each, k, scores.names) for k, each in enumerate(given)]
    y = [[name in each for name in scores.names] for each in true]
    units = np.repeat(label_groups(texts, group, "text"), len(scores.names))
    return Pairs(np.array(y).ravel(), scores.matrix.ravel(), group=units)


def _true(given: Any, index: int, names: Sequence[str]) -> set[str]:  # noqa: ANN401
    """The categories that are true of one text."""
    if isinstance(given, str):
        raise InputError(f"gold[{index}] must be a set of categories, not the text {given!r}.")
    if isinstance(given, Mapping):
        for name, value in given.items():
            if not (isinstance(value, Real | np.bool_) and value in (0, 1)):
                raise InputError(
                    f"gold[{index}] must map categories to 0 or 1, but it maps {name!r} to "
                    f"{described(value)}."
                )
        true = {name for name, value in given.items() if value}
    else:
        what = "categories, or a mapping from categories to 0 and 1"
        chosen = listed_items(given, f"gold[{index}]", what)
        odd = [each for each in chosen if not isinstance(each, Hashable)]
        if odd:
            raise InputError(f"gold[{index}] must hold categories, but it has {described(odd[0])}.")
        true = set(chosen)
    unknown = sorted(true - set(names), key=str)
    if unknown:
        raise InputError(
            f"gold[{index}] has the category {unknown[0]!r}, which the model does not score."
        )
    return true
