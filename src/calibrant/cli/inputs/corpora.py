"""Corpora on the command line: files with their columns, and names."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from calibrant.cli.options import input_option, note, present, with_reader

if TYPE_CHECKING:
    from calibrant.structures.sequences.reading.corpus import Corpus

FORMATS = ("conll", "conllu")


class CorpusReader(NamedTuple):
    """Reads corpora as the command-line options specify."""

    word: int | None
    tag: str | None
    scheme: str | None
    repair: bool
    blank: str | None
    format: str | None

    def __call__(self, name: str) -> "Corpus":
        """Read a file or a named corpus such as ark/train, and print its size as a note."""
        from calibrant.cli.output import warnings_as_notes

        with warnings_as_notes():
            corpus = self._read(name)
        note(f"{name}: {len(corpus)} sentences, {corpus.tokens} words, {len(corpus.tag_set)} tags")
        return corpus

    @property
    def given(self) -> dict[str, object]:
        """The options that the user gave, by name."""
        values = {**self._asdict(), "repair": self.repair or None}
        values["from"] = values.pop("format")
        return present(values)

    def _read(self, name: str) -> "Corpus":
        from calibrant.structures.named.sequences import load_corpus, locate_corpus

        if name == "-" or Path(name).exists():
            return self._read_file(name)
        corpus, part = named_part(name, "tagged sentences")
        if self == NOTHING:
            return load_corpus(corpus, part)
        return self._read_file(str(locate_corpus(corpus, part)))

    def _read_file(self, path: str) -> "Corpus":
        from calibrant.structures.sequences.reading.conll import read_conll
        from calibrant.structures.sequences.reading.conllu import read_conllu

        if (self.format or _format_of(path)) == "conll":
            return read_conll(
                path,
                word=self.word or 0,
                tag=_column(self.tag),
                scheme=self.scheme,
                repair=self.repair,
                blank=self.blank,
            )
        self._refuse_columns(path)
        return read_conllu(path, tag=self.tag or "xpos")

    def _refuse_columns(self, path: str) -> None:
        from calibrant.errors import ParameterError

        given = [name for name in ("word", "scheme", "repair", "blank") if name in self.given]
        if given:
            raise ParameterError(
                f"--{given[0]} is for files of columns, but {path} is read as CoNLL-U. If it is "
                "not CoNLL-U, use --from conll."
            )


NOTHING = CorpusReader(None, None, None, False, None, None)


def _corpus_input(
    word: Annotated[
        int | None,
        input_option(
            "--word",
            metavar="COLUMN",
            help="Column of words, from 0, or from the right if negative (default: 0; for "
            "documents 3).",
        ),
    ] = None,
    tag: Annotated[
        str | None,
        input_option(
            "--tag",
            metavar="COLUMN",
            help="Column of tags (default: -1, the last); for CoNLL-U xpos (the default) or upos.",
        ),
    ] = None,
    scheme: Annotated[
        str | None,
        input_option(
            "--scheme", help="Check the tags of spans: IOB2 (or BIO), IOB1, IO, BIOES or BILUO."
        ),
    ] = None,
    repair: Annotated[
        bool,
        input_option(
            "--repair", help="With --scheme IOB2: turn each I- that begins a span into B-."
        ),
    ] = False,
    blank: Annotated[
        str | None,
        input_option(
            "--blank", metavar="WORD", help="Word to use where the column of words is empty."
        ),
    ] = None,
    source: Annotated[
        str | None,
        input_option(
            "--from", metavar="FORMAT", help="conll or conllu (default: from the file extension)."
        ),
    ] = None,
) -> CorpusReader:
    """Turn the options for reading corpora into a reader."""
    from calibrant.errors import UnknownName

    if source is not None and source not in FORMATS:
        raise UnknownName("format of corpora", source, FORMATS)
    return CorpusReader(word, tag, scheme, repair, blank, source)


def reads_corpora(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading corpora to a command, which gets a reader as first argument."""
    return with_reader(_corpus_input, command)


def named_part(name: str, kind: str) -> tuple[str, str]:
    """Split a name such as ark/train into the corpus and its part."""
    from calibrant.errors import FileError, nearest
    from calibrant.structures.named.sequences import named_corpora

    sources = named_corpora().sources
    corpus, _, part = name.partition("/")
    if corpus in sources:
        found = sources[corpus]
        if found.kind != kind:
            raise FileError(f"{corpus} contains {found.kind}, but {kind} are needed here.")
        if not part:
            shown = " or ".join(_shown(corpus, found.parts))
            raise FileError(f"{corpus} has several parts: write {shown}.")
        return corpus, part
    known = [
        f"{each}/{part}"
        for each, source in sources.items()
        if source.kind == kind
        for part in source.parts
    ]
    near = nearest(name, known) if part and "/" not in part else None
    hint = f" Did you mean {near}?" if near else ""
    raise FileError(f"There is no file {name}, and no corpus of that name.{hint}")


def _shown(corpus: str, parts: Sequence[str]) -> list[str]:
    return [f"{corpus}/{part}" for part in parts[:3]]


def _format_of(path: str) -> str:
    return "conllu" if path.lower().removesuffix(".gz").endswith(".conllu") else "conll"


def _column(tag: str | None) -> int:
    from calibrant.errors import ParameterError

    try:
        return -1 if tag is None else int(tag)
    except ValueError as error:
        raise ParameterError(
            f"--tag must be the number of a column, from 0, but it is {tag!r}. For the names xpos "
            "and upos of CoNLL-U use --from conllu."
        ) from error
