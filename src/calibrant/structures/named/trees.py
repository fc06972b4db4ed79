"""Treebanks by name, of many files each: in a folder of your own."""

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from calibrant.errors import CalibrantWarning, FileError, UnknownName
from calibrant.structures.lines import read_lines
from calibrant.structures.named.parts import PARTS, read_parts
from calibrant.structures.trees.brackets import read_brackets
from calibrant.structures.trees.treebank import Treebank


@dataclass(frozen=True)
class Bank:
    """A treebank: where its files lie below a folder of data, and which part each belongs to."""

    about: str
    licence: str
    repository: str
    folder: str
    endings: tuple[str, ...]
    part_of: Callable[[Path], Mapping[str, str]]
    join: str | None = None  # for words with spaces in them


def _by_table(folder: Path) -> Mapping[str, str]:
    """The publisher's own parts, of the table beside the folder."""
    return read_parts(folder.parent / "splits.tsv")


def _by_lists(folder: Path) -> Mapping[str, str]:
    """The publisher's own parts, of the lists ids-train.txt and so on beside the documents."""
    found: dict[str, str] = {}
    for part in PARTS:
        path = folder / f"ids-{part}.txt"
        if not path.is_file():
            raise FileError(
                f"There is no file {path}, which lists the documents of part {part}, one in each "
                "line. Take it from where the documents come from."
            )
        found |= {name: part for _, line in read_lines(path) for name in line.split()}
    return found


BANKS = {
    "gum": Bank(
        "English of many genres, Penn's labels",
        "CC-BY-4.0 and others, by document",
        "amir-zeldes/gum",
        "gum-open/const",
        (".ptb", ".ptb.gz"),
        _by_table,
    ),
    "craft": Bank(
        "articles of biomedicine, Penn's labels",
        "CC-BY-3.0",
        "UCDenver-ccp/CRAFT",
        "const/craft",
        (".tree", ".tree.gz"),
        _by_lists,
        "_",
    ),
}


def load_treebank(name: str, part: str) -> Treebank:
    """Read a part of a named treebank from the folder `$CALIBRANT_DATA`.

    Treebanks are a file for each of some hundred documents, so they are not fetched: the message
    says where to put them. Parts are those of the publishers: of gum from the table splits.tsv
    beside its folder, of craft (60, 7 and 30 articles) from the lists ids-train.txt, ids-dev.txt
    and ids-test.txt in it.

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
    files = {
        _stem(path, bank): path
        for path in sorted(folder.glob("*"))
        if path.name.endswith(bank.endings)
    }
    if not files:
        raise FileError(
            f"{name} must lie in {bank.folder} below the folder $CALIBRANT_DATA, as files "
            f"*{bank.endings[0]}, but there are none. They are not fetched, being one file per "
            f"document: take them from https://github.com/{bank.repository}."
        )
    parts = bank.part_of(folder)
    chosen = [path for stem, path in files.items() if parts.get(stem) == part]
    wanted = [stem for stem, its in parts.items() if its == part]
    missing = sorted(set(wanted) - set(files))
    if chosen and missing:
        warnings.warn(
            f"{len(missing)} of {len(wanted)} documents of {name} {part} are not in {folder}, such "
            f"as {missing[0]}; they are left out.",
            CalibrantWarning,
            stacklevel=2,
        )
    if not chosen:
        raise FileError(f"{folder} has no document of part {part} among {len(files)} files.")
    found = read_brackets(chosen, join=bank.join)
    return Treebank(found.trees, found.documents, f"{name} {part}")


def _stem(path: Path, bank: Bank) -> str:
    return next(path.name.removesuffix(end) for end in bank.endings if path.name.endswith(end))
