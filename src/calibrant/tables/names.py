"""Short names of files for tables and legends."""

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path


def file_names(paths: Sequence[str | PathLike[str]]) -> list[str]:
    """Name each file without folder and extension, or by its path if names are equal.

    >>> file_names(["old/crf.csv.gz", "hmm.parquet", "-"])
    ['crf', 'hmm', 'standard input']
    >>> file_names(["old/crf.csv", "new/crf.csv"])
    ['old/crf.csv', 'new/crf.csv']
    """
    stems = [_stem(fspath(path)) for path in paths]
    return [
        stem if stems.count(stem) == 1 else fspath(path)
        for stem, path in zip(stems, paths, strict=True)
    ]


def _stem(path: str) -> str:
    if path == "-":
        return "standard input"
    return Path(path.removesuffix(".gz")).stem
