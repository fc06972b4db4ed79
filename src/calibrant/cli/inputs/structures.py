"""Trees and documents on the command line: files, folders of files, and names."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from calibrant.cli.inputs.corpora import named_part
from calibrant.cli.options import input_option, note, present, with_reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.trees.tree import Tree
    from calibrant.structures.trees.treebank import Treebank

TREES = (".ptb", ".mrg", ".tree", ".brackets")
DOCUMENTS = ("conll",)


class DocumentReader(NamedTuple):
    """Reads documents as the command-line options specify."""

    word: int | None = None
    mentions: int | None = None
    mentions_from: str | None = None
    repeated: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The options that the user gave, by name."""
        return present(self._asdict())

    def __call__(self, name: str) -> "Documents":
        """Read a file, a folder or a named corpus, and print its size as a note."""
        from calibrant.cli.output import warnings_as_notes

        with warnings_as_notes():
            found = self._read(name)
        words = sum(len(sentence) for document in found for sentence in document.words)
        note(f"{name}: {len(found)} documents, {words} words, {found.mentions} mentions")
        return found

    def _read(self, name: str) -> "Documents":
        from calibrant.errors import ParameterError
        from calibrant.structures.coreference.documents import Documents
        from calibrant.structures.coreference.reading.conll2012 import read_coreference
        from calibrant.structures.named.coreference import load_documents

        files = _files(name, DOCUMENTS)
        if files:
            parts = [read_coreference(path, **self.given) for path in files]
            return Documents(tuple(each for part in parts for each in part), name)
        corpus, part = named_part(name, "documents")
        columns = [option for option in self.given if option != "mentions_from"]
        if columns:
            raise ParameterError(f"--{columns[0]} is for files, but {name} is a named corpus.")
        return load_documents(corpus, part, mentions_from=self.mentions_from)


def _brackets_input(
    mentions: Annotated[
        int | None,
        input_option(
            "--mentions",
            metavar="COLUMN",
            help="For documents: column of the brackets of mentions (default: -1, the last).",
        ),
    ] = None,
    mentions_from: Annotated[
        str | None,
        input_option(
            "--mentions-from",
            help="For documents: gold takes the mentions of that column, trees takes noun phrases "
            "and pronouns (default: trees for ontogum, otherwise gold).",
        ),
    ] = None,
    repeated: Annotated[
        str | None,
        input_option(
            "--repeated",
            help="For documents: refuse mentions that are bracketed twice (the default), or take "
            "the first.",
        ),
    ] = None,
) -> DocumentReader:
    """Turn the options for reading documents, except the column of words, into a reader."""
    return DocumentReader(None, mentions, mentions_from, repeated)


def reads_brackets(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading documents to a command; its first argument is the reader."""
    return with_reader(_brackets_input, command)


def read_trees(name: str) -> "Treebank":
    """Read the trees of a file, a folder or a named treebank, and print their number as a note."""
    from calibrant.cli.output import warnings_as_notes
    from calibrant.structures.named.trees import load_treebank
    from calibrant.structures.trees.brackets import read_brackets

    files = _files(name, TREES)
    with warnings_as_notes():
        trees = read_brackets(files) if files else load_treebank(*named_part(name, "trees"))
    note(f"{name}: {len(trees)} sentences, {trees.tokens} words, {len(trees.label_set)} labels")
    return trees


def short_sentences(
    name: str, trees: "Treebank", longest: int
) -> "tuple[Treebank, NDArray[np.int64]]":
    """Keep sentences of at most `longest` words, with their numbers; note how many are longer."""
    import numpy as np

    from calibrant.errors import FileError

    numbers = [k for k, tree in enumerate(trees.trees) if tree.size <= longest]
    if not numbers:
        raise FileError(
            f"{name} must have a sentence of at most {longest} words, but all {len(trees)} are "
            "longer."
        )
    if len(numbers) == len(trees):
        return trees, np.arange(len(trees))
    note(
        f"{name}: {len(trees) - len(numbers)} of {len(trees)} sentences have more than {longest} "
        "words and are left out."
    )
    return trees.take(numbers), np.array(numbers, np.int64)


def note_fallback(tree: "Tree") -> None:
    """Report how many sentences only the fallback grammar can derive."""
    many = int(tree.fell_back.sum())
    if many:
        note(
            f"{many} of {len(tree)} sentences cannot be derived by the grammar and were parsed by "
            "its simpler fallback."
        )


def _files(name: str, endings: tuple[str, ...]) -> list[str]:
    """List a file, or the files in a folder with these endings; empty if neither exists."""
    from calibrant.errors import FileError

    path = Path(name)
    if name == "-" or path.is_file():
        return [name]
    if not path.is_dir():
        return []
    found = sorted(
        str(each) for each in path.iterdir() if each.name.removesuffix(".gz").endswith(endings)
    )
    if not found:
        raise FileError(f"The folder {name} contains no *{' or *'.join(endings)} files.")
    twice = [each for each in found if f"{each}.gz" in found]
    if twice:
        raise FileError(f"{twice[0]} exists twice, plain and as .gz: remove one of them.")
    return found
