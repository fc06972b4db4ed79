"""Read the probabilities of classes from columns of a table."""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from calibrant.errors import FileError, InputError, nearest, option
from calibrant.tables.checking import Column
from calibrant.tables.columns import GUESSES
from calibrant.tables.files import Layout, Note
from calibrant.tables.matrices.table import (
    ClassColumns,
    ClassTable,
    UnlabelledClasses,
    listed,
    summed,
)
from calibrant.tables.predictions import beside

if TYPE_CHECKING:
    import polars


def classes_from_table(layout: Layout, wanted: ClassColumns, note: Note) -> ClassTable:
    """Read the columns of classes, the true class and groups."""
    file, names = layout.source.name, layout.names()
    chosen = _class_columns(file, names, wanted.classes)
    gold = _gold_column(file, names, chosen, wanted.gold)
    group = _group_column(file, names, wanted.group)
    if gold in chosen:
        raise FileError(f"{file}: column {gold!r} cannot be both a class and the true class.")
    if gold == group:
        raise FileError(f"{file}: column {gold!r} cannot be both the true class and the group.")
    others = {"gold": gold} | ({} if group is None else {"group": group})
    frame = layout.frame([*chosen, *others.values()])
    if frame.height == 0:
        raise FileError(f"{file} has column names but no rows.")

    def column(name: str, role: str) -> Column:
        return Column(frame[name], role, name, file, layout.place)

    parts = [column(name, "probability").checked().to_numpy() for name in chosen]
    matrix = summed(np.column_stack(parts).astype(np.float64), file, layout.place, note)
    found = {role: column(name, role) for role, name in others.items()}
    labels = _as_names(found["gold"].checked())
    _refuse_strangers(found["gold"], labels, tuple(chosen.values()))
    told = ", ".join(f"{role}={name}" for role, name in others.items())
    note(f"{file}: {len(chosen)} classes ({listed(list(chosen.values()))}), {told}")
    units = None if group is None else found["group"].checked().to_numpy()
    return ClassTable(matrix, tuple(chosen.values()), labels.to_numpy(), units)


def unlabelled_from_table(layout: Layout, patterns: Sequence[str], note: Note) -> UnlabelledClasses:
    """Read the columns of classes, beside all others; the true class is not needed."""
    file, names = layout.source.name, layout.names()
    chosen = _class_columns(file, names, patterns)
    frame = beside(layout, names)
    if frame.height == 0:
        raise FileError(f"{file} has column names but no rows.")
    read = layout.frame(list(chosen))
    parts = [
        Column(read[name], "probability", name, file, layout.place).checked().to_numpy()
        for name in chosen
    ]
    matrix = summed(np.column_stack(parts).astype(np.float64), file, layout.place, note)
    note(f"{file}: {len(chosen)} classes ({listed(list(chosen.values()))})")
    return UnlabelledClasses(frame, chosen, matrix)


def _class_columns(file: str, names: list[str], patterns: Sequence[str]) -> dict[str, str]:
    """The class of each column; a pattern with one * names classes by what it stands for."""
    if not patterns:
        raise InputError(
            f"{file}: name the columns of probabilities, such as {option('columns', 'prob_*')}. "
            f"Its columns are: {listed(names)}."
        )
    chosen: dict[str, str] = {}
    for pattern in patterns:
        there = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
        if not there:
            raise FileError(f"{file} has no column {pattern!r}. Its columns are: {listed(names)}.")
        for name in there:
            if names.count(name) > 1:
                raise FileError(f"{file} has more than one column {name!r}: rename one of them.")
            chosen.setdefault(name, _class_of(name, pattern))
    if len(chosen) < 2:
        raise FileError(f"{file}: there must be at least two classes, but only {there[0]!r} fits.")
    twice = [each for each in chosen.values() if list(chosen.values()).count(each) > 1]
    if twice:
        raise FileError(f"{file}: two columns are named for the class {twice[0]!r}.")
    return chosen


def _class_of(name: str, pattern: str) -> str:
    """What the * of a pattern stands for, or the name of the column."""
    if pattern == name or pattern.count("*") != 1 or any(each in pattern for each in "?["):
        return name
    before, after = pattern.split("*")
    return name[len(before) : len(name) - len(after)] or name


def _gold_column(file: str, names: list[str], taken: Collection[str], given: str | None) -> str:
    if given is not None:
        if given not in names:
            raise FileError(f"{file} has no column {given!r}. Its columns are: {listed(names)}.")
        return given
    free = set(names) - set(taken)
    guessed = [name for tier in GUESSES["y"] for name in tier if name in free]
    if len(guessed) != 1:
        raise InputError(
            f"{file}: cannot tell which column holds the true class. Name it with "
            f"{option('gold', 'COLUMN')}. Its columns are: {listed(names)}."
        )
    return guessed[0]


def _group_column(file: str, names: list[str], given: str | bool | None) -> str | None:
    if given is False:
        return None
    if isinstance(given, str):
        if given not in names:
            raise FileError(f"{file} has no column {given!r}. Its columns are: {listed(names)}.")
        return given
    guessed = [name for tier in GUESSES["group"] for name in tier if name in names]
    return guessed[0] if guessed else None


def _as_names(series: "polars.Series") -> "polars.Series":
    """Labels as text, because names of columns are text."""
    import polars

    return series.cast(polars.String)


def _refuse_strangers(column: Column, labels: "polars.Series", classes: tuple[str, ...]) -> None:
    """Refuse true labels that are not classes."""
    strange = ~labels.is_in(list(classes))
    near = nearest(labels.filter(strange)[0], classes) if strange.any() else None
    hint = "" if near is None else f" The nearest is {near!r}."
    column.refuse(strange, f"gold must be one of the classes {listed(classes)}", hint)
