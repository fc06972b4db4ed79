"""Read model files of CRFsuite, without CRFsuite.

A file holds a header, a list of features (attribute or tag, tag, weight), and two databases of
names, of tags and of attributes, each with a table of positions. Every position and count is
checked before it is used, so a damaged file gives an error, not a crash or a huge allocation.
"""

import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.errors import FileError, InputError
from calibrant.structures.sequences.linear import Weights, weights_from_mappings

HEADER = struct.Struct("<4sI4s9I")
CHUNK = struct.Struct("<4sII")
DATABASE = struct.Struct("<4s5I")
RECORD = struct.Struct("<II")
BYTE_ORDER = 0x62445371
FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("tag", "<u4"), ("weight", "<f8")])
STATE, MOVE = 0, 1
TAGS = 10_000  # limit: with this many tags, the moves take 800 MB
LARGEST = 1e100  # sums of weights below this cannot overflow


class Header(NamedTuple):
    """The numbers in the file header that are needed here."""

    tags: int
    attributes: int
    features_at: int
    tags_at: int
    attributes_at: int


def crfsuite_weights(model: Any) -> Weights:  # noqa: ANN401 - a path, or a third-party class
    """The weights of a model: of a file, of sklearn-crfsuite, or of an open tagger."""
    if isinstance(model, str | os.PathLike):
        return read_model(model)
    if hasattr(model, "modelfile"):
        if model.modelfile.name is None:
            raise InputError(f"{type(model).__name__} has no model yet: fit it first.")
        return read_model(model.modelfile.name)
    if hasattr(model, "info") and hasattr(model, "labels"):
        return _weights_of_tagger(model)
    raise InputError(
        "model must be the path of a CRFsuite model, a fitted sklearn_crfsuite.CRF or a "
        f"pycrfsuite.Tagger, but it is of type {type(model).__name__}."
    )


def _weights_of_tagger(tagger: Any) -> Weights:  # noqa: ANN401
    try:
        tags, found = tagger.labels(), tagger.info()
    except (ValueError, RuntimeError) as error:
        raise InputError("The tagger has no model: open one first.") from error
    except (AssertionError, AttributeError, KeyError) as error:
        raise InputError(
            "The tagger cannot print its model, perhaps because a name holds a line break or an "
            "arrow: pass the path of the model."
        ) from error
    return weights_from_mappings(found.state_features, found.transitions, tags)


def read_model(path: str | os.PathLike[str]) -> Weights:
    """The weights in a model file."""
    try:
        with Path(path).open("rb") as file:
            if file.read(4) != b"lCRF":
                raise FileError(f"{path} is not a CRFsuite model: it does not begin with lCRF.")
            data = b"lCRF" + file.read()
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        return _weights(data)
    except Damage as error:
        raise FileError(f"{path} is a damaged CRFsuite model: {error}.") from error


class Damage(Exception):
    """A contradiction in a file."""


def _weights(data: bytes) -> Weights:
    header = _header(data)
    features = _features(data, header.features_at)
    tags = _names(data, header.tags_at, header.tags, "tags")
    names = _names(data, header.attributes_at, header.attributes, "attributes")
    of_move = features["type"] == MOVE
    states, moves = features[~of_move], features[of_move]
    _check_numbers(features["tag"], len(tags), "tag")
    _check_numbers(moves["source"], len(tags), "tag")
    _check_numbers(states["source"], len(names), "attribute")
    move = np.zeros((len(tags), len(tags)))
    move[moves["source"], moves["tag"]] = moves["weight"]
    known = {name: k for k, name in enumerate(names)}
    at, tag = (states[each].astype(np.int64) for each in ("source", "tag"))
    return Weights(known, at, tag, states["weight"].astype(np.float64), move, tuple(tags))


def _header(data: bytes) -> Header:
    _, size, kind, version, _, tags, attributes, *places = _unpack(HEADER, data, 0)
    if kind != b"FOMC":
        raise Damage(f"its kind is {kind!r}, not b'FOMC'")
    if version != 100:
        raise Damage(f"its version is {version}, not 100")
    if size > len(data):
        raise Damage(f"it has {len(data)} of {size} bytes")
    if not 0 < tags <= TAGS:
        raise Damage(f"it has {tags} tags, not between 1 and {TAGS}")
    return Header(tags, attributes, *places[:3])


def _unpack(form: struct.Struct, data: bytes, at: int) -> tuple[Any, ...]:
    if at + form.size > len(data):
        raise Damage(f"it ends at byte {len(data)}, before what is said to be at {at}")
    return form.unpack_from(data, at)


def _features(data: bytes, at: int) -> NDArray[Any]:
    """All features; only their own chunk states their number."""
    name, _, count = _unpack(CHUNK, data, at)
    begin = at + CHUNK.size
    if name != b"FEAT" or begin + count * FEATURE.itemsize > len(data):
        raise Damage(f"there are not {count} features at byte {at}")
    features = np.frombuffer(data, FEATURE, count, begin)
    if (features["type"] > MOVE).any():
        raise Damage(f"a feature is of type {features['type'].max()}, neither 0 nor 1")
    if not (np.abs(features["weight"]) < LARGEST).all():
        raise Damage(f"a weight is not below {LARGEST:g}")
    return features


def _names(data: bytes, base: int, count: int, what: str) -> list[str]:
    """The names in a database, by number."""
    kind, size, _, order, _, table = _unpack(DATABASE, data, base)
    if kind != b"CQDB" or order != BYTE_ORDER or base + size > len(data):
        raise Damage(f"there is no database of {what} at byte {base}")
    if count == 0:
        return []
    if table + 4 * count > size:
        raise Damage(f"there are not {count} {what} at byte {base}")
    places = np.frombuffer(data, "<u4", count, base + table).tolist()
    room, names = size, []
    for number, place in enumerate(places):
        name = _name(data, base + place, number, what)
        names.append(name.decode("utf-8", "surrogateescape"))  # CRFsuite accepts any bytes
        room -= len(name)
        if room < 0:
            raise Damage(f"the names of its {what} overlap")
    if len(set(names)) < count:
        raise Damage(f"two of its {what} have one name")
    return names


def _name(data: bytes, at: int, number: int, what: str) -> bytes:
    found, size = _unpack(RECORD, data, at)
    begin, end = at + RECORD.size, at + RECORD.size + size
    if found != number or size == 0 or end > len(data) or data[end - 1]:
        raise Damage(f"number {number} of its {what} has no name at byte {at}")
    return data[begin : end - 1]


def _check_numbers(numbers: NDArray[Any], count: int, what: str) -> None:
    if numbers.size and numbers.max() >= count:
        raise Damage(f"a feature has {what} {numbers.max()} of {count}")
