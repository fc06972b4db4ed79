"""Named corpora of documents, in the folder $CALIBRANT_DATA."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.structures.coreference.documents import Documents
from calibrant.structures.coreference.reading.conll2012 import check_origin
from calibrant.structures.named.ontogum_litbank import (
    FOLDS,
    litbank_fold,
    read_litbank,
    read_ontogum,
)
from calibrant.structures.named.parts import PARTS


@dataclass(frozen=True)
class Library:
    """A corpus of documents: its place below $CALIBRANT_DATA, and how to read a part."""

    about: str
    licence: str
    repository: str
    folder: str
    files: str  # required contents of the folder
    parts: tuple[str, ...]
    origins: tuple[str, ...]  # origins of its mentions, the default first
    read: Callable[[Path, str, str], Documents]


def _ontogum(folder: Path, part: str, origin: str) -> Documents:
    gold, found = read_ontogum(folder, part)
    return found if origin == "trees" else gold


def _litbank(folder: Path, part: str, origin: str) -> Documents:
    documents = read_litbank(folder)
    which, _, fold = part.partition("-")
    return litbank_fold(folder, documents, int(fold))[which] if fold else documents


LIBRARIES = {
    "ontogum": Library(
        about="English of many genres, entities of two mentions or more",
        licence="CC-BY-4.0 and others, by document",
        repository="amir-zeldes/gum",
        folder="gum-open",
        files="coref-ontogum/*.conll, const/*.ptb, for speakers dep/*.conllu, and a table "
        "splits.tsv with columns doc and split",
        parts=PARTS,
        origins=("trees", "gold"),
        read=_ontogum,
    ),
    "litbank": Library(
        about="beginnings of novels, entities of people, places and things",
        licence="CC-BY-4.0",
        repository="dbamman/litbank",
        folder="coref/litbank",
        files="conll/*.conll, and tenfold/0/train.ids and so on, of dbamman/lrec2020-coref",
        parts=("all", *(f"{part}-{fold}" for fold in range(FOLDS) for part in PARTS)),
        origins=("gold",),
        read=_litbank,
    ),
}


def load_documents(name: str, part: str, *, mentions_from: str | None = None) -> Documents:
    """Read a part of a named corpus of documents from the folder `$CALIBRANT_DATA`.

    These corpora consist of several hundred files, so they are not downloaded; the error for a
    missing corpus says where to put it.

    Parameters
    ----------
    name
        "ontogum" or "litbank"; `named_corpora()` describes them.
    part
        For ontogum "train", "dev" or "test". For litbank a part of one of ten folds, "train-0",
        "dev-0", "test-0" to "test-9", or "all".
    mentions_from
        "trees" takes noun phrases and pronouns, as a system that reads new text would; each belongs
        to the entity that has exactly its words. "gold" takes the mentions of the corpus. None, the
        default, is "trees" for ontogum and "gold" for litbank, which has no trees.

    Examples
    --------
    >>> load_documents("ontogum", "tset")
    Traceback (most recent call last):
    ...
    calibrant.errors.UnknownName: There is no part of ontogum 'tset'. Did you mean test? Known: dev,
    test, train.
    """
    library = _library(name)
    if part not in library.parts:
        raise UnknownName(f"part of {name}", str(part), library.parts)
    origin = library.origins[0] if mentions_from is None else mentions_from
    check_origin(origin)
    if origin not in library.origins:
        raise ParameterError(f"mentions_from must be 'gold' for {name}, which has no {origin}.")
    return library.read(locate_documents(name), part, origin)


def _library(name: str) -> Library:
    if name not in LIBRARIES:
        raise UnknownName("corpus of documents", str(name), LIBRARIES)
    return LIBRARIES[name]


def locate_documents(name: str) -> Path:
    """The folder of a named corpus of documents, below `$CALIBRANT_DATA`."""
    library = _library(name)
    folder = Path(os.environ.get("CALIBRANT_DATA") or ".", library.folder)
    if not folder.is_dir():
        raise FileError(
            f"There is no folder {library.folder} in $CALIBRANT_DATA. It must contain "
            f"{library.files}. {name} is not downloaded, because it has one file per document: get "
            f"it from https://github.com/{library.repository}."
        )
    return folder
