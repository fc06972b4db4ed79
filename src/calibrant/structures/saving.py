"""Save models as a folder with `model.json` (settings) and `weights.npz` (arrays)."""

import hashlib
import io
import itertools
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.files import check_writable, replacing
from calibrant.checks.folders import read_folder, replacing_folder
from calibrant.errors import FileError
from calibrant.structures.tempering.temperatures import FIELD
from calibrant.structures.unknown import Entry, WordClass
from calibrant.version import __version__

FORMAT = 3  # increased whenever older versions cannot read what newer ones write
PLAIN = 2  # of models without temperatures, which older versions can read
TEXT, NUMBERS = "model.json", "weights.npz"
HASH = "weights_sha256"  # the field of model.json that binds it to its weights
WITH_CLASSES = ("HMM", "PCFG")  # in format 1 they did not distinguish words from word classes
Arrays = dict[str, NDArray[Any]]


def write_model(folder: str | Path, kind: str, facts: dict[str, Any], arrays: Arrays) -> Path:
    """Write a model atomically; an older model in the folder is replaced."""
    refuse_folder(folder)
    weights = _packed(arrays)
    about = {
        "format": FORMAT if FIELD in facts else PLAIN,
        "kind": kind,
        "calibrant": __version__,
        HASH: hashlib.sha256(weights).hexdigest(),
        **facts,
    }
    with replacing_folder(folder) as new:
        (new / TEXT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        (new / NUMBERS).write_bytes(weights)
    return Path(folder)


def _packed(arrays: Arrays) -> bytes:
    file = io.BytesIO()
    _save(np.savez_compressed, file, arrays)
    return file.getvalue()


def _save(by: Callable[..., None], file: IO[bytes], arrays: Arrays) -> None:
    by(file, **arrays)


def refuse_folder(folder: str | Path) -> None:
    """Refuse a folder that a model cannot be saved to, before any long computation."""
    folder = Path(folder)
    if folder.is_dir():
        others = sorted(each.name for each in folder.iterdir() if each.name not in (TEXT, NUMBERS))
        if others:
            raise FileError(
                f"{folder} must be a new folder or the folder of a saved model, but it contains "
                f"other files: {', '.join(others[:3])}{', ...' if len(others) > 3 else ''}."
            )
        place = folder.resolve()
        check_writable(place.parent / f".{place.name}.new")
        return
    if folder.exists():
        raise FileError(f"{folder} is a file, but a model is saved as a folder.")
    check_writable(folder)


def read_model(folder: str | Path) -> tuple[str, dict[str, Any], Arrays]:
    """Read the kind, the settings and the arrays of a saved model."""
    folder = Path(folder)
    if folder.is_file():
        raise FileError(f"{folder} is a file, but a saved model is a folder with {TEXT} in it.")
    files = read_folder(folder, (TEXT, NUMBERS))
    if TEXT not in files:
        raise FileError(f"{folder} is not a saved model: it contains no {TEXT}.")
    about = _facts(folder / TEXT, files[TEXT])
    _check_format(folder, about)
    if NUMBERS not in files:
        raise FileError(f"{folder} is not a whole model: it contains no {NUMBERS}.")
    _check_hash(folder, about, files[NUMBERS])
    return str(about.get("kind")), about, unpack_arrays(folder / NUMBERS, files[NUMBERS])


def _facts(path: Path, data: bytes) -> dict[str, Any]:
    try:
        about = json.loads(data.decode("utf-8"), parse_int=_whole)
    except RecursionError as error:
        raise FileError(f"{path} is damaged: its values are nested too deeply.") from error
    except ValueError as error:  # invalid JSON, UTF-8 or numbers
        raise FileError(f"{path} is damaged: {error}.") from error
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise FileError(f"{path} does not state its format, so this is not a saved model.")
    return about


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python parses at most 4300 digits
        raise ValueError(f"a number has {len(digits)} digits") from None


def _check_format(folder: Path, about: dict[str, Any]) -> None:
    found, kind = about["format"], about.get("kind")
    if found > FORMAT:
        raise FileError(
            f"{folder} has format {found}, written by calibrant {about.get('calibrant', '?')}; "
            f"this is calibrant {__version__}, which reads formats up to {FORMAT}. Upgrade "
            "calibrant."
        )
    if found < PLAIN and kind in WITH_CLASSES:
        raise FileError(
            f"{folder} has format {found}, in which words and classes of rare words cannot be "
            "told apart. Train the model again."
        )


def _check_hash(folder: Path, about: dict[str, Any], weights: bytes) -> None:
    """Refuse weights that belong to another model; format 1 had no hash."""
    if about["format"] >= 2 and about.get(HASH) != hashlib.sha256(weights).hexdigest():
        raise FileError(
            f"{folder / NUMBERS} is damaged or belongs to another model: its SHA-256 differs from "
            f"the one in {TEXT}."
        )


def read_arrays(path: Path) -> Arrays:
    """Read all arrays of an npz file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}.") from error
    return unpack_arrays(path, data)


def unpack_arrays(path: Path, data: bytes) -> Arrays:
    """Read all arrays from the bytes of an npz file; `path` is for messages."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            broken = archive.testzip()
        if broken is not None:
            raise FileError(f"{path} is damaged: the checksum of {broken} is wrong.")
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileError:
        raise
    except Exception as error:  # readers of zip files raise many kinds of errors
        raise FileError(f"{path} is damaged: {' '.join(str(error).split())}.") from error


def checked_array(
    arrays: Arrays, name: str, shape: tuple[int, ...], kind: type[np.generic] = np.float64
) -> NDArray[Any]:
    """Check that an array has this shape and type and is finite."""
    array = arrays[name]
    if array.shape != shape or array.dtype != kind:
        raise ValueError(
            f"{name} must be {np.dtype(kind)} of shape {shape}, but it is {array.dtype} of shape "
            f"{array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has values that are not finite")
    return np.ascontiguousarray(array)


def checked_names(facts: dict[str, Any], name: str) -> tuple[str, ...]:
    """Check a list of distinct strings."""
    found = facts[name]
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise ValueError(f"{name} must be a list of strings")
    if len(set(found)) < len(found):
        raise ValueError(f"{name} must be distinct")
    return tuple(found)


def write_arrays(path: str | Path, arrays: Arrays) -> None:
    """Write arrays to an npz file, whole or not at all."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        _save(np.savez, file, arrays)


def pack_strings(name: str, strings: Sequence[str]) -> Arrays:
    """Pack strings into two arrays: their bytes, and where each ends."""
    coded = [each.encode("utf-8", "surrogatepass") for each in strings]
    return {
        f"{name}_letters": np.frombuffer(b"".join(coded), np.uint8),
        f"{name}_ends": np.cumsum([len(each) for each in coded], dtype=np.int64),
    }


def unpack_strings(name: str, arrays: Arrays) -> list[str]:
    """Reverse `pack_strings`."""
    letters, ends = arrays[f"{name}_letters"].tobytes(), arrays[f"{name}_ends"].tolist()
    bounds = [0, *ends]
    if bounds != sorted(bounds) or bounds[-1] != len(letters):
        raise ValueError(f"{name}_ends does not divide {name}_letters")
    found = [letters[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(bounds)]
    if len(set(found)) < len(found):
        raise ValueError(f"{name} has the same string twice")
    return found


def pack_entries(name: str, entries: Sequence[Entry]) -> Arrays:
    """Pack words and word classes separately: a word may be spelled like a class."""
    words = [each for each in entries if isinstance(each, str)]
    classes = [each.name for each in entries if isinstance(each, WordClass)]
    return pack_strings(f"{name}_words", words) | pack_strings(f"{name}_classes", classes)


def unpack_entries(name: str, arrays: Arrays) -> list[Entry]:
    """Reverse `pack_entries`."""
    classes = unpack_strings(f"{name}_classes", arrays)
    return [*unpack_strings(f"{name}_words", arrays), *map(WordClass, classes)]
