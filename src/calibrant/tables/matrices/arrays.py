"""Read the probabilities of classes from the arrays of an .npz file."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.files import file_name, read_bytes
from calibrant.errors import FileError, InputError, option
from calibrant.tables.checking import LOGITS, ROUNDED
from calibrant.tables.files import Note
from calibrant.tables.matrices.table import ClassColumns, ClassTable, Float, listed, summed
from calibrant.tables.showing import shown

PROBABILITIES, TRUTHS, CLASSES = ("probabilities", "q"), ("gold", "y"), ("labels", "classes")


def classes_from_arrays(path: str | Path, wanted: ClassColumns, note: Note) -> ClassTable:
    """Read the matrix, the names of its columns, the true classes and groups."""
    file = file_name(path)
    if wanted.classes:
        raise InputError(
            f"{file} holds arrays, not columns: leave {option('columns')} out, and name the "
            "classes in an array `labels`."
        )
    arrays = _arrays(file, read_bytes(path))
    matrix = _checked_matrix(file, _pick(file, arrays, PROBABILITIES))
    count, width = matrix.shape
    named = next((arrays[name] for name in CLASSES if name in arrays), None)
    classes = tuple(range(width)) if named is None else tuple(named.tolist())
    if len(classes) != width:
        raise FileError(f"{file}: there are {width} columns, but {len(classes)} labels.")
    if len(set(classes)) < width:
        raise FileError(f"{file}: labels must differ, but some are equal.")
    truth = (wanted.gold,) if wanted.gold else TRUTHS
    gold = _items(file, _pick(file, arrays, truth), count, truth[0])
    _refuse_strange_items(file, gold, classes)
    group = _group_array(file, arrays, wanted.group, count)
    note(f"{file}: {count} items, {width} classes ({listed(classes)})")
    matrix = summed(matrix, file, _row, note)
    return ClassTable(matrix, classes, gold, group)


def _row(index: int) -> str:
    return f"row {index + 1}"


def _arrays(file: str, data: bytes) -> Mapping[str, NDArray[Any]]:
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if not isinstance(loaded, np.ndarray):
            with loaded:
                return dict(loaded)
    except (BadZipFile, EOFError, OSError) as error:
        raise FileError(f"{file} is not an .npz file, or is damaged: {error}.") from error
    except ValueError as error:
        raise FileError(
            f"{file} must hold arrays of numbers or strings, but it cannot be read: {error}"
        ) from error
    raise FileError(f"{file} is one array: save it with numpy.savez.")


def _pick(file: str, arrays: Mapping[str, NDArray[Any]], names: Sequence[str]) -> NDArray[Any]:
    for name in names:
        if name in arrays:
            return arrays[name]
    wanted = " or ".join(map(repr, names))
    raise FileError(f"{file} has no array {wanted}. Its arrays are: {listed(list(arrays))}.")


def _checked_matrix(file: str, matrix: NDArray[Any]) -> Float:
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu" or 0 in matrix.shape:
        raise FileError(
            f"{file}: probabilities must be a matrix of numbers with a row per item and a column "
            f"per class, but the array has shape {matrix.shape} and type {matrix.dtype}."
        )
    if matrix.shape[1] < 2:
        raise FileError(f"{file}: there must be at least two classes, but there is one column.")
    numbers = matrix.astype(np.float64)
    bad = ~((numbers >= -ROUNDED) & (numbers <= 1 + ROUNDED))
    if bad.any():
        row, column = (int(each) for each in np.argwhere(bad)[0])
        many = int(bad.any(axis=1).sum())
        others = f" ({many} of {len(bad)} rows are bad)" if many > 1 else ""
        raise FileError(
            f"{file}, {_row(row)}, column {column}: a probability must be a number in [0, 1], but "
            f"it is {matrix[row, column].item()!r}{others}. {LOGITS}"
        )
    return numbers


def _items(file: str, values: NDArray[Any], count: int, name: str) -> NDArray[Any]:
    """Labels of items, checked."""
    if values.shape != (count,):
        raise FileError(
            f"{file}: {name} must have one label for each of {count} rows, but its shape is "
            f"{values.shape}."
        )
    if values.dtype.kind == "f" and (values == np.rint(values)).all():
        return values.astype(np.int64)
    if values.dtype.kind not in "iubU":
        raise FileError(
            f"{file}: {name} must hold whole numbers or strings, but it holds {values.dtype}."
        )
    return values


def _refuse_strange_items(file: str, gold: NDArray[Any], classes: tuple[Any, ...]) -> None:
    known = set(classes)
    bad = np.array([each not in known for each in gold.tolist()])
    if bad.any():
        row, many = int(np.argmax(bad)), int(bad.sum())
        others = f" ({many} of {bad.size} rows are bad)" if many > 1 else ""
        raise FileError(
            f"{file}, {_row(row)}: gold must be one of the classes {listed(classes)}, but it is "
            f"{shown(gold[row].item())}{others}."
        )


def _group_array(
    file: str, arrays: Mapping[str, NDArray[Any]], given: str | bool | None, count: int
) -> NDArray[Any] | None:
    if given is False or (not isinstance(given, str) and "group" not in arrays):
        return None
    name = given if isinstance(given, str) else "group"
    return _items(file, _pick(file, arrays, (name,)), count, name)
