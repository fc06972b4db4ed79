"""Named treebanks, in the folder $CALIBRANT_DATA."""

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from calibrant.errors import CalibrantWarning, FileError, UnknownName
from calibrant.results.wording import counted
from calibrant.structures.lines import read_lines
from calibrant.structures.named.parts import PARTS, read_parts
from calibrant.structures.trees.brackets import read_brackets
from calibrant.structures.trees.treebank import Treebank


@dataclass(frozen=True)
class Bank:
    """A treebank: the place of its files below $CALIBRANT_DATA, and the part of each."""

    about: str
    licence: str
    repository: str
    folder: str
    endings: tuple[str, ...]
    part_of: Callable[[Path], Mapping[str, str]]
    join: str | None = None  # joins the parts of words that contain spaces


def _by_table(folder: Path) -> Mapping[str, str]:
    """The publisher's parts, from the table splits.tsv beside the folder."""
    return read_parts(folder.parent / "splits.tsv")


def _by_lists(folder: Path) -> Mapping[str, str]:
    """The publisher's parts, from the lists ids-train.txt and so on in the folder."""
    found: dict[str, str] = {}
    for part in PARTS:
        path = folder / f"ids-{part}.txt"
        if not path.is_file():
            raise FileError(
                f"There is no file {path}. It must list the documents of part {part}, one per "
                "line; the repository of the treebank has it."
            )
        found |= {name: part for _, line in read_lines(path) for name in line.split()}
    return found


BANKS = {
    "gum": Bank(
        about="English of many genres, Penn's labels",
        licence="CC-BY-4.0 and others, by document",
        repository="amir-zeldes/gum",
        folder="gum-open/const",
        endings=(".ptb", ".ptb.gz"),
        part_of=_by_table,
    ),
    "craft": Bank(
        about="articles of biomedicine, Penn's labels",
        licence="CC-BY-3.0",
        repository="UCDenver-ccp/CRAFT",
        folder="const/craft",
        endings=(".tree", ".tree.gz"),
        part_of=_by_lists,
        join="_",
    ),
}


def load_treebank(name: str, part: str) -> Treebank:
    """Read a part of a named treebank from the folder `$CALIBRANT_DATA`.

    Treebanks consist of several hundred files, so they are not downloaded; the error for a missing
    treebank says where to put it. The parts are those of the publishers: for gum from the table
    splits.tsv beside its folder, for craft (60, 7 and 30 articles) from the lists ids-train.txt,
    ids-dev.txt and ids-test.txt in its folder.

    Parameters
    ----------
    name
        "gum" or "craft".
    part
        "train", "dev" or "test".

    Examples
    --------
    >>> load_treebank("gumm", "test")
    Traceback (most recent call last):
    ...
    calibrant.errors.UnknownName: There is no treebank 'gumm'. Did you mean gum? Known: craft, gum.
    """
    if name not in BANKS:
        raise UnknownName("treebank", str(name), BANKS)
    if part not in PARTS:
        raise UnknownName(f"part of {name}", str(part), PARTS)
    bank = BANKS[name]
    folder = Path(os.environ.get("CALIBRANT_DATA") or ".", bank.folder)
    files = _files(name, bank, folder)
    parts = bank.part_of(folder)
    chosen = [path for stem, path in files.items() if parts.get(stem) == part]
    wanted = [stem for stem, its in parts.items() if its == part]
    missing = sorted(set(wanted) - set(files))
    if chosen and missing:
        warnings.warn(
            f"{len(missing)} of {len(wanted)} documents of {name} {part} are not in {folder}, such "
            f"as {missing[0]}. They are left out.",
            CalibrantWarning,
            stacklevel=2,
        )
    if not chosen:
        raise FileError(
            f"{folder} contains no document of part {part} among {counted(len(files), 'file')}."
        )
    found = read_brackets(chosen, join=bank.join)
    return Treebank(found.trees, found.documents, f"{name} {part}")


def _files(name: str, bank: Bank, folder: Path) -> dict[str, Path]:
    """The files of all documents, by the names of the documents."""
    files = {
        _stem(path, bank): path
        for path in sorted(folder.glob("*"))
        if path.name.endswith(bank.endings)
    }
    if not files:
        raise FileError(
            f"There are no files *{bank.endings[0]} in {bank.folder} in $CALIBRANT_DATA. {name} is "
            "not downloaded, because it has one file per document: get it from "
            f"https://github.com/{bank.repository}."
        )
    return files


def _stem(path: Path, bank: Bank) -> str:
    return next(path.name.removesuffix(end) for end in bank.endings if path.name.endswith(end))
