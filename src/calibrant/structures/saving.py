"""Models as folders: `model.json` says what they are, `weights.npz` holds their numbers."""

import itertools
import json
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.files import check_writable, replacing
from calibrant.errors import FileError
from calibrant.version import __version__

FORMAT = 1  # raised whenever older programs could not read what newer ones write
TEXT, NUMBERS = "model.json", "weights.npz"
Arrays = dict[str, NDArray[Any]]


def write_model(folder: str | Path, kind: str, facts: dict[str, Any], arrays: Arrays) -> Path:
    """Write a model, whole or not at all; an older model of that name is replaced."""
    refuse_folder(folder)
    place = Path(folder).resolve()  # what a link points to is replaced, not the link
    place.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        about = {"format": FORMAT, "kind": kind, "calibrant": __version__, **facts}
        text = json.dumps(about, ensure_ascii=False, indent=1)
        (made / TEXT).write_text(text + "\n", encoding="utf-8")
        np.savez_compressed(made / NUMBERS, **arrays)  # type: ignore[arg-type]
        made.chmod(0o755)
        _swap(made, place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Path(folder)


def _swap(made: Path, place: Path) -> None:
    """Put a folder in its place; what was there goes only when the new one stands."""
    old = made.with_name(made.name + ".old")
    if place.exists():
        place.rename(old)
    try:
        made.rename(place)
    except BaseException:
        if old.exists():
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def refuse_folder(folder: str | Path) -> None:
    """Refuse a name that a model cannot be saved under, before long work is done for it."""
    folder = Path(folder)
    if folder.is_dir():
        others = sorted(each.name for each in folder.iterdir() if each.name not in (TEXT, NUMBERS))
        if others:
            raise FileError(
                f"{folder} must be a new folder or that of a model alone, but it has other things "
                f"in it: {', '.join(others[:3])}{', ...' if len(others) > 3 else ''}."
            )
        place = folder.resolve()
        check_writable(place.parent / f".{place.name}.new")
        return
    if folder.exists():
        raise FileError(f"{folder} is a file, but a model is saved as a folder.")
    check_writable(folder)


def read_model(folder: str | Path) -> tuple[str, dict[str, Any], Arrays]:
    """The kind, the facts and the arrays of a saved model."""
    folder = Path(folder)
    if not (folder / TEXT).is_file():
        what = "is not a model's folder" if folder.exists() else "does not exist"
        raise FileError(f"{folder} {what}: a saved model is a folder with {TEXT} in it.")
    try:
        about = json.loads((folder / TEXT).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileError(f"{folder / TEXT} is damaged: {error}.") from error
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise FileError(f"{folder / TEXT} does not tell its format, so it is not a saved model.")
    if about["format"] > FORMAT:
        raise FileError(
            f"{folder} has format {about['format']}, written by calibrant "
            f"{about.get('calibrant', '?')}; this is calibrant {__version__}, which reads formats "
            f"up to {FORMAT}. Upgrade calibrant."
        )
    return str(about.get("kind")), about, read_arrays(folder / NUMBERS)


def read_arrays(path: Path) -> Arrays:
    """All arrays of an npz file."""
    try:
        with zipfile.ZipFile(path) as archive, np.load(path, allow_pickle=False) as file:
            broken = archive.testzip()
            if broken is not None:
                raise FileError(f"{path} is damaged: the checksum of {broken} is wrong.")
            return {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise FileError(f"There is no file {path}.") from error
    except FileError:
        raise
    except Exception as error:  # the readers of zip files raise many kinds
        raise FileError(f"{path} is damaged: {error}.") from error


def checked_array(
    arrays: Arrays, name: str, shape: tuple[int, ...], kind: type[np.generic] = np.float64
) -> NDArray[Any]:
    """An array that has this shape and kind, and is finite."""
    array = arrays[name]
    if array.shape != shape or array.dtype != kind:
        raise ValueError(
            f"{name} must be {np.dtype(kind)} of shape {shape}, but it is {array.dtype} of shape "
            f"{array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has values that are not finite")
    return np.ascontiguousarray(array)


def write_arrays(path: str | Path, arrays: Arrays) -> None:
    """Write arrays to an npz file, whole or not at all."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def pack_strings(name: str, strings: Sequence[str]) -> Arrays:
    """Strings as two arrays: their letters, and where each ends."""
    coded = [each.encode("utf-8", "surrogatepass") for each in strings]
    return {
        f"{name}_letters": np.frombuffer(b"".join(coded), np.uint8),
        f"{name}_ends": np.cumsum([len(each) for each in coded], dtype=np.int64),
    }


def unpack_strings(name: str, arrays: Arrays) -> list[str]:
    """What `pack_strings` packed."""
    letters, ends = arrays[f"{name}_letters"].tobytes(), arrays[f"{name}_ends"].tolist()
    bounds = [0, *ends]
    if bounds != sorted(bounds) or bounds[-1] != len(letters):
        raise ValueError(f"{name} do not end where they should")
    found = [letters[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(bounds)]
    if len(set(found)) < len(found):
        raise ValueError(f"{name} occur twice")
    return found
