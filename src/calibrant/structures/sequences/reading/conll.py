"""Read corpora with one word per line and annotations in columns."""

import warnings
from pathlib import Path

from calibrant.checks.parameters import whole_number
from calibrant.errors import CalibrantWarning, FileError, ParameterError, option
from calibrant.structures.lines import read_blocks
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.faults import Place, find_fault, scheme_named
from calibrant.structures.sequences.reading.rows import Rows, document_begun, to_corpus
from calibrant.structures.sequences.reading.schemes import repair_scheme
from calibrant.structures.sequences.reading.word_columns import read_rows


def read_conll(
    path: str | Path,
    *,
    word: int = 0,
    tag: int = -1,
    scheme: str | None = None,
    repair: bool = False,
    blank: str | None = None,
) -> Corpus:
    '''Read one word per line, in columns separated by tabs or spaces; empty lines end sentences.

    Lines `# ...` before the first word of a sentence are comments; `# newdoc` begins a document.
    `#` is a word if a tab follows it, or if the line has as many space-separated columns as the
    words below. Lines `-DOCSTART-` and `#begin document` also begin a document; they and
    `#end document` are not words. Sentences before the first mark form a separate document.

    Parameters
    ----------
    path
        The file, plain or gzipped, in UTF-8.
    word, tag
        The columns, counted from 0; negative ones from the right.
    scheme
        Check that tags encode spans in this scheme: "IOB2" (or "BIO"), "IOB1", "IO", "BIOES" or
        "BILUO". None accepts any tags.
    repair
        With "IOB2": turn each I- that does not continue a span into B-, and warn.
    blank
        The word to use if the column of words is empty; None refuses such lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "names.conll")
    ...     _ = path.write_text("""Ada B-PER
    ... is O
    ... in O
    ... Paris B-LOC""")
    ...     corpus = read_conll(path, scheme="IOB2")
    >>> corpus
    Corpus(names.conll: 1 sentence, 4 words, 3 tags)
    >>> corpus.tags
    (('B-PER', 'O', 'O', 'B-LOC'),)
    '''
    columns = whole_number("word", word, -100, 100), whole_number("tag", tag, -100, 100)
    if columns[0] == columns[1]:
        raise ParameterError(
            f"{option('word')} and {option('tag')} must be different columns, but both are {word}."
        )
    _check_options(scheme, repair, blank)
    blocks = [
        Rows(document_begun(block), read_rows(path, block, columns, blank))
        for block in read_blocks(path)
    ]
    corpus = to_corpus(path, blocks)
    lines = [[row.line for row in each.rows] for each in blocks if each.rows]
    return corpus if scheme is None else _in_scheme(path, corpus, lines, scheme, repair)


def _check_options(scheme: str | None, repair: bool, blank: str | None) -> None:
    if scheme is not None:
        scheme_named(scheme)
    if repair and (scheme is None or scheme_named(scheme) != "IOB2"):
        wanted = option("scheme", '"IOB2"')
        raise ParameterError(
            f"{option('repair', 'True')} needs {wanted}, but {option('scheme')} is {scheme!r}."
        )
    if blank is not None and not (isinstance(blank, str) and blank):
        raise ParameterError(f'blank must be a word such as "_", but it is {blank!r}.')


def _in_scheme(
    path: str | Path, corpus: Corpus, lines: list[list[int]], scheme: str, repair: bool
) -> Corpus:
    def where(place: Place) -> str:
        return f"line {lines[place.sentence][place.word]}"

    fault = find_fault(corpus.tags, scheme)
    if fault is None:
        return corpus
    if not (repair and fault.mendable):
        raise FileError(f"{path}, {where(fault.places[0])}: {fault.text} {fault.remedy}")
    mended, repairs = repair_scheme(corpus)
    warnings.warn(f"{path}: {repairs.describe(where)}", CalibrantWarning, stacklevel=3)
    return mended
