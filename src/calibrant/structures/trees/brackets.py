"""Treebanks in brackets, as the Penn Treebank writes them."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from calibrant.errors import CalibrantWarning, FileError, InputError
from calibrant.structures.lines import read_lines
from calibrant.structures.trees.parse import ROOTS, BracketFault, Parse, bare_label, read_parses
from calibrant.structures.trees.treebank import Treebank

ROOT = "ROOT"
EMPTY = "-NONE-"


def read_brackets(
    paths: str | Path | Iterable[str | Path],
    *,
    functions: bool = False,
    empty: bool = False,
    join: str | None = None,
) -> Treebank:
    """Read trees in brackets, one or many to a file, each on one line or on several.

    The outermost label becomes ROOT: TOP, S1 and none at all are ROOT, any other label gets ROOT
    above it. The document of a sentence is the name of its file, where there are several files, or
    the whole path where files of several folders have one name.

    Parameters
    ----------
    paths
        The file, plain or gzipped, in UTF-8; or several.
    functions
        Whether to keep functions and indices of phrases: NP-SBJ-2 is NP unless they are kept.
        Tags of words are always taken as they are.
    empty
        Whether to keep empty nodes. Else -NONE- is taken out, and so is what then has no words;
        trees without any word are left out, with a warning.
    join
        What joins the parts of a word that has spaces in it; None refuses such words.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.mrg")
    ...     _ = path.write_text("( (S (NP-SBJ (PRP We)) (VP (VBP go) (NP (-NONE- *)))) )")
    ...     print(read_brackets(path).trees[0])
    (ROOT (S (NP (PRP We)) (VP (VBP go))))
    """
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    if not files:
        raise InputError("There must be at least one file of trees.")
    trees: list[Parse] = []
    documents: list[str] = []
    without = 0
    for path, document in zip(files, _names(files), strict=True):
        for tree in _trees(path, join):
            kept = _transformed(tree, functions, empty)
            if kept is None:
                without += 1
                continue
            trees.append(_rooted(kept))
            documents.append(document)
    if without:
        warnings.warn(
            f"{without} trees have no word but empty nodes; they are left out.",
            CalibrantWarning,
            stacklevel=2,
        )
    name = Path(files[0]).name if len(files) == 1 else f"{len(files)} files"
    return Treebank(tuple(trees), tuple(documents) if len(files) > 1 else None, name)


def _trees(path: str | Path, join: str | None) -> list[Parse]:
    try:
        found = [tree for _, tree in read_parses(read_lines(path), join)]
    except BracketFault as fault:
        raise FileError(f"{path}, line {fault.line}: {fault.text}") from fault
    if not found:
        raise FileError(f"{path} must have a tree in brackets, but it has none.")
    return found


def _names(files: Sequence[str | Path]) -> list[str]:
    """A name for each file, by which its sentences are told from those of others."""
    names = [
        Path(path).name.removesuffix(".gz").rpartition(".")[0] or Path(path).name for path in files
    ]
    return names if len(set(names)) == len(names) else [str(path) for path in files]


def _transformed(tree: Parse, functions: bool, empty: bool) -> Parse | None:
    """Without empty nodes and functions, where they are not wanted; None where nothing is left."""
    if tree.word is not None:
        return tree if empty or tree.label != EMPTY else None
    below = [_transformed(child, functions, empty) for child in tree.children]
    children = tuple(child for child in below if child is not None)
    if not children:
        return None
    label = tree.label if functions else bare_label(tree.label)
    return Parse(label, children)


def _rooted(tree: Parse) -> Parse:
    if tree.word is None and tree.label in ROOTS:
        return tree if tree.label == ROOT else Parse(ROOT, tree.children)
    return Parse(ROOT, (tree,))
