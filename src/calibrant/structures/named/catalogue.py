"""The catalogue of named corpora: source, licence and reader of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.conllu import read_conllu
from calibrant.structures.sequences.reading.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a repository and its checksum; None if it cannot be downloaded."""

    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus whose files are in `folder` below $CALIBRANT_DATA or the cache."""

    about: str
    licence: str
    repository: str
    commit: str
    folder: str
    read: Callable[[Path], Corpus]
    parts: Mapping[str, Part]

    def place(self, part: str) -> str:
        """The path of a part below $CALIBRANT_DATA or the cache."""
        return f"{self.folder}/{PurePosixPath(self.parts[part].path).name}"

    def address(self, part: str, host: str) -> str:
        """The URL of a part."""
        return f"{host}/{self.repository}/{self.commit}/{self.parts[part].path}"


CATALOGUE: dict[str, Source] = {
    "ark": Source(
        about="tweets, 25 tags of words",
        licence="CC-BY-3.0",
        repository="brendano/ark-tweet-nlp",
        commit="72755ccd1b29",
        folder="pos/ark-twpos-v0.3",
        read=read_conll,
        parts={
            "train": Part(
                "data/twpos-data-v0.3/oct27.splits/oct27.train",
                "e55a63da62838a28b308bd1be0b5c903ac242ef208dc59838f4b39aa33b11948",
            ),
            "dev": Part(
                "data/twpos-data-v0.3/oct27.splits/oct27.dev",
                "046e9c57ed2549b4dec08a9a7bccf8ec7f742faaa7b55d840408f2dfd1356851",
            ),
            "test": Part(
                "data/twpos-data-v0.3/oct27.splits/oct27.test",
                "77f868fcd300d0acdd7bb8db28c961fcbe50d9cd0d48046e8fbec4b9f86bf814",
            ),
        },
    ),
    "ud-ewt": Source(
        about="English of the web, Penn's tags of words",
        licence="CC-BY-SA-4.0",
        repository="UniversalDependencies/UD_English-EWT",
        commit="15d613d8447b",
        folder="pos/ud-ewt",
        read=read_conllu,
        parts={
            "train": Part(
                "en_ewt-ud-train.conllu",
                "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
            ),
            "dev": Part(
                "en_ewt-ud-dev.conllu",
                "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
            ),
            "test": Part(
                "en_ewt-ud-test.conllu",
                "e266e515a0a7547657ed3d90d9ba46487d6bd251f27ad4269d4e8a427c8555cd",
            ),
        },
    ),
    "btc": Source(
        about="tweets, names in IOB2",
        licence="CC-BY-4.0",
        repository="GateNLP/broad_twitter_corpus",
        commit="0c45ef7b1924",
        folder="ner/btc",
        read=partial(read_conll, scheme="IOB2", blank="_"),  # five of its words are empty
        parts={
            "train": Part(
                "train_dev_test_conll/btc.train",
                "2117732e744d8f1692786c7ebb919c52dadd406f082b43fe1e625a51f2cadd0f",
            ),
            "dev": Part(
                "train_dev_test_conll/btc.dev",
                "9f7d33bcd195cecf9767357a5f1fe0ba879af6c55ebb68b8e846bff23c4e7fa5",
            ),
            "test": Part(
                "train_dev_test_conll/btc.test",
                "3bd2387dfc98ebc9d8b77d8b9c59826262e9beadce71ce8edde272821b9c87c8",
            ),
        },
    ),
    "uner-ewt": Source(
        about="English of the web, names in IOB2",
        licence="CC-BY-SA-4.0",
        repository="UniversalNER/UNER_English-EWT",
        commit="8ed072de2fd2",
        folder="ner/uner-ewt",
        read=partial(read_conll, word=1, tag=2, scheme="IOB2"),
        parts={
            # its checksum is unknown, so it cannot be downloaded
            "train": Part("en_ewt-ud-train.iob2", None),
            "dev": Part(
                "en_ewt-ud-dev.iob2",
                "0cafd881cf31d39897b6d588420fab8fbbe4423d271725c59921ac9dd49c0713",
            ),
            "test": Part(
                "en_ewt-ud-test.iob2",
                "821ad826d5f503ac03b4edc3fbc2174f21fbb005ec25863caf2051c434616d6e",
            ),
        },
    ),
}
