"""Scores of categories, as mappings from names to numbers: one is true, or several may be."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.checks import arrays
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
    if not len(cats):
        raise InputError("There must be at least one text, but cats is empty.")
    for k, each in enumerate(cats):
        if not isinstance(each, Mapping):
            raise InputError(
                f"cats must hold a mapping from categories to scores for each text, but cats[{k}] "
                f"is {type(each).__name__}."
            )
        if set(each) != set(cats[0]):
            other = sorted(set(each) ^ set(cats[0]))[0]
            raise InputError(
                f"All texts must have the same categories, but cats[0] and cats[{k}] differ in "
                f"{other!r}."
            )
    names = list(cats[0])
    return Scores(np.array([[each[name] for name in names] for each in cats], np.float64), names)


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
    if len(gold) != len(cats):
        raise InputError(f"gold must have an entry for each text: {len(cats)}, not {len(gold)}.")
    y = [
        [name in _true(each, k, scores.names) for name in scores.names]
        for k, each in enumerate(gold)
    ]
    units = np.repeat(label_groups(len(cats), group, "texts"), len(scores.names))
    return Pairs(np.array(y).ravel(), scores.matrix.ravel(), group=units)


def _true(
    given: Collection[str] | Mapping[str, float], index: int, names: Sequence[str]
) -> set[str]:
    """The categories that are true of one text."""
    if isinstance(given, str):
        raise InputError(f"gold[{index}] must be a set of categories, not the text {given!r}.")
    if isinstance(given, Mapping):
        values = arrays.as_array(list(given.values()), f"gold[{index}]")
        if not np.isin(values, (0, 1)).all():
            raise InputError(f"gold[{index}] must map categories to 0 or 1, but it is {given!r}.")
    true = {name for name in given if not isinstance(given, Mapping) or given[name]}
    unknown = sorted(true - set(names))
    if unknown:
        raise InputError(
            f"gold[{index}] has the category {unknown[0]!r}, which the model does not score."
        )
    return true
