"""Parse trees from a column of parse bits, as in CoNLL-2012."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from calibrant.errors import FileError
from calibrant.structures.coreference.reading.rows import shortened
from calibrant.structures.trees.parse import BracketFault, Parse, read_parses

BIT = re.compile(r"(?:\([^()*\s]+)*\*\)*")
UNTAGGED = "X"  # the tag of words in files without tags, as in Universal Dependencies
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}  # their spelling in the Penn Treebank


class Bit(NamedTuple):
    """The part of a tree on the line of a word: `(NP*` opens a phrase, `*)` closes one."""

    line: int
    tag: str
    cell: str


def read_bits(path: str | Path, document: str, bits: Sequence[Bit]) -> Parse:
    """The tree of one sentence; its words are `*`, because parse bits have no words.

    >>> bits = [Bit(1, "DT", "(S(NP*"), Bit(2, "NN", "*)"), Bit(3, "VBZ", "(VP*))")]
    >>> print(read_bits("made.conll", "made", bits))
    (S (NP (DT *) (NN *)) (VP (VBZ *)))
    """
    try:
        found = list(read_parses(_lines(bits)))
    except BracketFault as fault:
        raise _fault(path, document, fault.line, fault.text) from fault
    if len(found) != 1:
        what = f"a sentence must have one tree, but another begins here ({len(found)} in all)."
        raise _fault(path, document, found[1][0], what)
    return found[0][1]


def _lines(bits: Sequence[Bit]) -> Iterator[tuple[int, str]]:
    """Convert the bits to lines of an ordinary bracketed tree."""
    for bit in bits:
        if not BIT.fullmatch(bit.cell):
            what = (
                f"parse bits must look like (S(NP*, * or *)), but the cell is {shortened(bit.cell)}"
            )
            raise BracketFault(bit.line, f"{what}. parse=None does without them.")
        tag = "".join(BRACKETS.get(letter, letter) for letter in bit.tag) or UNTAGGED
        yield bit.line, bit.cell.replace("*", f" ({tag} *) ")


def _fault(path: str | Path, document: str, line: int, text: str) -> FileError:
    return FileError(f"{path}, line {line}, document {document!r}: {text}")
