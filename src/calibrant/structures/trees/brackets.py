"""Read bracketed treebanks, as in the Penn Treebank."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from calibrant.errors import CalibrantWarning, FileError, InputError
from calibrant.results.wording import counted
from calibrant.structures.lines import read_lines
from calibrant.structures.trees.parse import ROOTS, BracketFault, Parse, bare_label, read_parses
from calibrant.structures.trees.treebank import Treebank

ROOT = "ROOT"
EMPTY = "-NONE-"  # the tag of traces and other words that are not in the text


def read_brackets(
    paths: str | Path | Iterable[str | Path],
    *,
    functions: bool = False,
    empty: bool = False,
    join: str | None = None,
) -> Treebank:
    """Read trees in brackets, one or more per file, each on one or more lines.

    The outermost label becomes ROOT: TOP, S1 and an empty label are replaced by ROOT; any other
    label gets a node ROOT above it. With several files, the document of a sentence is the name of
    its file, or the whole path if files in different folders have the same name.

    Parameters
    ----------
    paths
        One file or several, plain or gzipped, in UTF-8.
    functions
        Whether to keep functions and indices of phrases (default: False, so NP-SBJ-2 becomes NP).
        Tags of words are never changed.
    empty
        Whether to keep empty nodes (default: False). Otherwise -NONE- is removed, with every
        phrase that then has no words; trees without any word are left out, with a warning.
    join
        What joins the parts of a word that contains spaces (default: None, such words are
        refused).

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
        verb = "was" if without == 1 else "were"
        warnings.warn(
            f"{counted(without, 'tree')} without words {verb} left out.",
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
        raise FileError(f"{path} contains no tree in brackets.")
    return found


def _names(files: Sequence[str | Path]) -> list[str]:
    """A unique name for each file."""
    names = [
        Path(path).name.removesuffix(".gz").rpartition(".")[0] or Path(path).name for path in files
    ]
    return names if len(set(names)) == len(names) else [str(path) for path in files]


def _transformed(tree: Parse, functions: bool, empty: bool) -> Parse | None:
    """The tree without empty nodes and functions, unless kept; None if nothing is left."""
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
