"""Named corpora: from $CALIBRANT_DATA, the cache, or a download."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError, ParameterError, UnknownName
from calibrant.results.tabular import Tabular
from calibrant.structures.named.catalogue import CATALOGUE, Source
from calibrant.structures.named.coreference import LIBRARIES
from calibrant.structures.named.download import cache_folder, fetch, host
from calibrant.structures.named.parts import PARTS
from calibrant.structures.named.trees import BANKS
from calibrant.structures.sequences.reading.corpus import Corpus

MANY = 4  # maximum number of parts that the table lists in full


def load_corpus(name: str, part: str) -> Corpus:
    """Read a part of a named corpus; download it once if it is not on this machine.

    See `locate_corpus` for where the file is searched.

    Parameters
    ----------
    name
        "ark", "ud-ewt", "btc" or "uner-ewt"; `named_corpora()` describes them.
    part
        "train", "dev" or "test".

    Examples
    --------
    >>> load_corpus("ark", "trian")
    Traceback (most recent call last):
    ...
    calibrant.errors.UnknownName: There is no part of ark 'trian'. Did you mean train? Known: dev,
    test, train.
    """
    return _source(name, part).read(locate_corpus(name, part))


def locate_corpus(name: str, part: str) -> Path:
    """The file of a part of a named corpus.

    A file in the folder `$CALIBRANT_DATA`, plain or gzipped, is used as it is. Otherwise the file
    comes from the cache: `$CALIBRANT_CACHE` or the cache folder of the system. If it is missing
    there or has changed, it is downloaded from GitHub or `$CALIBRANT_MIRROR`.
    """
    source = _source(name, part)
    return _own_file(source.place(part)) or _cached(source, name, part)


class Named(NamedTuple):
    """The description of a named corpus."""

    kind: str
    about: str
    parts: tuple[str, ...]
    licence: str
    repository: str


@dataclass(frozen=True, slots=True)
class NamedCorpora(Tabular):
    """All named corpora as a table; iterating gives the names."""

    sources: dict[str, Named]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sources)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Name, kind, contents, parts, licence and repository."""
        rows = [
            [name, each.kind, each.about, _shortened(each.parts), each.licence, each.repository]
            for name, each in self.sources.items()
        ]
        return ["name", "kind", "what", "parts", "licence", "repository"], rows


def _shortened(parts: tuple[str, ...]) -> str:
    """List the parts; abbreviate a long list."""
    return " ".join(parts if len(parts) <= MANY else (*parts[:MANY], "...", parts[-1]))


def named_corpora() -> NamedCorpora:
    """All named corpora, with their licences.

    `load_corpus` reads tagged sentences, `load_treebank` reads trees, and `load_documents` reads
    documents with mentions.

    >>> for name, each in named_corpora().sources.items():
    ...     print(f"{name}: {each.kind}")
    ark: tagged sentences
    ud-ewt: tagged sentences
    btc: tagged sentences
    uner-ewt: tagged sentences
    gum: trees
    craft: trees
    ontogum: documents
    litbank: documents
    """
    found = {
        name: Named(
            "tagged sentences", each.about, tuple(each.parts), each.licence, each.repository
        )
        for name, each in CATALOGUE.items()
    }
    for name, bank in BANKS.items():
        found[name] = Named("trees", bank.about, PARTS, bank.licence, bank.repository)
    for name, each in LIBRARIES.items():
        found[name] = Named("documents", each.about, each.parts, each.licence, each.repository)
    return NamedCorpora(found)


def _source(name: str, part: str) -> Source:
    if name in BANKS:
        raise ParameterError(f"{name} is a treebank: read it with load_treebank.")
    if name in LIBRARIES:
        raise ParameterError(f"{name} is a corpus of documents: read it with load_documents.")
    if name not in CATALOGUE:
        raise UnknownName("corpus", str(name), CATALOGUE)
    source = CATALOGUE[name]
    if part not in source.parts:
        raise UnknownName(f"part of {name}", str(part), source.parts)
    return source


def _own_file(place: str) -> Path | None:
    data = os.environ.get("CALIBRANT_DATA")
    if not data:
        return None
    if not Path(data).is_dir():  # a typo should not trigger a download
        raise FileError(f"CALIBRANT_DATA must name a folder, but {data} is not one.")
    files = (Path(data, place), Path(data, place + ".gz"))
    return next((each for each in files if each.is_file()), None)


def _cached(source: Source, name: str, part: str) -> Path:
    place, sha256 = source.place(part), source.parts[part].sha256
    path = cache_folder() / place
    instead = (
        f"To use your own copy, put it at {place} in a folder and set CALIBRANT_DATA to that "
        "folder."
    )
    if sha256 is None:
        raise FileError(
            f"{name} {part} cannot be downloaded, because its checksum is not known. Get it from "
            f"https://github.com/{source.repository}. {instead}"
        )
    fetch(source.address(part, host()), sha256, path, instead)
    return path
