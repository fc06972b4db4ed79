"""Read the two open coreference corpora: OntoGUM (many genres) and LitBank (novels)."""

import re
from collections.abc import Sequence
from pathlib import Path

from calibrant.checks.parameters import whole_number
from calibrant.errors import FileError, UnknownName
from calibrant.results.wording import counted
from calibrant.structures.coreference.documents import Document, Documents, Sentences
from calibrant.structures.coreference.noun_phrases import find_mentions
from calibrant.structures.coreference.reading.conll2012 import make_document, read_coreference
from calibrant.structures.coreference.reading.mention_brackets import Bracketed, bracketed
from calibrant.structures.coreference.reading.rows import Columns, Row, read_texts
from calibrant.structures.lines import read_blocks, read_lines
from calibrant.structures.named.parts import PARTS, read_parts
from calibrant.structures.trees.brackets import read_brackets

FOLDS = 10  # as published
SPEAKER = re.compile(r"#\s*speaker\s*=\s*(.*\S)")
ESCAPED = {"-LRB-": "(", "-RRB-": ")"}  # escapes in trees, where brackets are syntax


def read_ontogum(folder: str | Path, part: str) -> tuple[Documents, Documents]:
    """Read a part of OntoGUM, with gold mentions and with mentions from its trees.

    The folder contains `splits.tsv`, columns of words and mentions in `coref-ontogum`, and trees in
    `const`, which give sentences, tags and heads. Speakers come from `dep`, if it exists. The gold
    mentions are those of entities with at least two mentions. A mention that crosses a sentence
    boundary is left out, as is the second of two mentions of the same words.
    """
    if part not in PARTS:
        raise UnknownName("part of ontogum", str(part), PARTS)
    folder = Path(folder)
    table = folder / "splits.tsv"
    names = [name for name, its in read_parts(table).items() if its == part]
    if not names:
        raise FileError(f"{table} lists no document of part {part}.")
    both = [_ontogum_document(folder, name) for name in names]
    gold, found = zip(*both, strict=True)
    return Documents(gold, f"ontogum {part}"), Documents(found, f"ontogum {part}")


def _ontogum_document(folder: Path, name: str) -> tuple[Document, Document]:
    path = folder / "coref-ontogum" / f"{name}.conll"
    trees = read_brackets(folder / "const" / f"{name}.ptb").trees
    texts = list(read_texts(path, Columns(1, -1)))
    if len(texts) != 1:
        raise FileError(f"{path} must contain one document, but it has {len(texts)}.")
    rows = [row for sentence in texts[0].sentences for row in sentence]
    words = tuple(tuple(map(_unescaped, tree.words)) for tree in trees)
    _check_words(path, rows, words)
    brackets = _within(bracketed(path, name, 0, rows), [len(each) for each in words])
    tags = tuple(tree.tags for tree in trees)
    every = iter(rows)
    lines = [[next(every).line for _ in sentence] for sentence in words]
    speakers = _speakers(folder / "dep" / f"{name}.conllu", len(words))
    document = make_document(
        path,
        name,
        words,
        brackets,
        lines=lines,
        first=True,
        tags=tags,
        trees=trees,
        speakers=speakers,
    )
    return document, document.with_mentions(find_mentions(trees))


def _speakers(path: Path, sentences: int) -> tuple[str, ...] | None:
    """The speaker of each sentence, from the comments of a CoNLL-U file, if it exists."""
    if not path.is_file():
        return None
    found = [
        next((told.group(1) for _, line in block if (told := SPEAKER.match(line))), "")
        for block in read_blocks(path)
    ]
    if len(found) != sentences:
        raise FileError(
            f"{path} has {counted(len(found), 'sentence')}, but there are "
            f"{counted(sentences, 'tree')}."
        )
    return tuple(found) if any(found) else None


def _unescaped(word: str) -> str:
    for escaped, plain in ESCAPED.items():
        word = word.replace(escaped, plain)
    return word


def _check_words(path: Path, rows: Sequence[Row], sentences: Sentences) -> None:
    words = [word for each in sentences for word in each]
    for row, word in zip(rows, words, strict=False):
        if row.word not in ("", word):  # one word is empty in the corpus but not in its tree
            raise FileError(
                f"{path}, line {row.line}: the word is {row.word!r}, but {word!r} in the tree."
            )
    if len(rows) != len(words):
        raise FileError(
            f"{path} has {counted(len(rows), 'word')}, but its trees have {len(words)}."
        )


def _within(brackets: Sequence[Bracketed], lengths: Sequence[int]) -> list[Bracketed]:
    """Assign mentions of a text to sentences; leave out those that cross sentences."""
    place = [(k, at) for k, length in enumerate(lengths) for at in range(length)]
    found = []
    for each in brackets:
        (first, begin), (last, end) = place[each.begin], place[each.end - 1]
        if first == last:
            found.append(Bracketed(first, begin, end + 1, each.entity))
    return found


def read_litbank(folder: str | Path) -> Documents:
    """Read all documents of LitBank, with gold mentions (it has no trees)."""
    paths = sorted(Path(folder, "conll").glob("*.conll*"))
    if not paths:
        raise FileError(f"{Path(folder, 'conll')} contains no files *.conll or *.conll.gz.")
    found = tuple(document for path in paths for document in read_coreference(path))
    return Documents(found, "litbank")


def litbank_fold(folder: str | Path, documents: Documents, fold: int) -> dict[str, Documents]:
    """The training, dev and test documents of one of the ten folds."""
    fold = whole_number("fold", fold, 0, FOLDS - 1)
    parts = {}
    for part in PARTS:
        path = Path(folder, "tenfold", str(fold), f"{part}.ids")
        lines = [(number, line.strip()) for number, line in read_lines(path) if line.strip()]
        if not lines:
            raise FileError(f"{path} must list documents, one per line, but it is empty.")
        names = [line.removesuffix(".tsv") for _, line in lines]
        known = set(documents.names)
        for (number, _), name in zip(lines, names, strict=True):
            if name not in known:
                raise FileError(f"{path}, line {number}: there is no document {name!r}.")
        parts[part] = documents.select(names, f"litbank {fold} {part}")
    return parts
