"""`calibrant ask`."""

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from calibrant.cli.inputs.corpora import CorpusReader, reads_corpora
from calibrant.cli.inputs.structures import (
    DocumentReader,
    note_fallback,
    read_trees,
    reads_brackets,
)
from calibrant.cli.options import note

if TYPE_CHECKING:
    from calibrant.pairs import Pairs
    from calibrant.structures.coreference.documents import Documents
    from calibrant.structures.coreference.links import Links
    from calibrant.structures.loading import Fitted
    from calibrant.structures.query import Query
    from calibrant.structures.sequences.chain import Chain
    from calibrant.structures.sequences.reading.corpus import Corpus
    from calibrant.structures.trees.tree import Tree
    from calibrant.structures.trees.treebank import Treebank

TEXTS = ("csv", "tsv", "jsonl")  # of pairs on stdout


@reads_corpora
@reads_brackets
def ask_command(
    documents: DocumentReader,
    read: CorpusReader,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The folder of a saved model.")],
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS",
            help="What is true: tagged sentences of a tagger, trees of a parser, documents with "
            "mentions of a ranker. A file, plain or .gz, - for standard input, or a named corpus "
            "such as ark/test, gum/test or ontogum/test.",
        ),
    ],
    queries: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help="Questions as they print. Of tags: \"TagIs('V')\", EveryTag, "
            "\"TagPair('DT', 'NN')\", \"HasSpan('PER')\"; of trees: \"HasConstituent('NP')\", "
            "HasConstituent; of mentions: SameEntity, NewEntity, Singleton.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output",
            help="Where the pairs go: .parquet, .csv, .tsv, .jsonl, or - for stdout.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Of the summary: text, json, csv, md or latex. Of pairs on stdout: csv, tsv or "
            "jsonl; csv unless in a pipe, then jsonl.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Ask a saved model yes/no questions about sentences or documents.

    Gives pairs of what is true (y) and what the model believes (q), with the
    document or sentence as group, for calibrant score and the others; a
    column query tells several apart. Without -o they are only counted.

    Examples
    --------
      calibrant ask crf-model oct27.test "TagIs('V')" -o pairs.parquet
      calibrant ask crf-model ark/test EveryTag -o - | calibrant score -
      calibrant ask ner-model test.conll "HasSpan('PER')" --scheme IOB2
      calibrant ask parser gum/test "HasConstituent('NP')" -o pairs.parquet
      calibrant ask ranker ontogum/test SameEntity -o - | calibrant score -
    """
    from calibrant.cli.output import check_output, chosen_format, render
    from calibrant.results.naming import parse
    from calibrant.structures.loading import load_model
    from calibrant.verbs import ask

    shown = chosen_format(format) if output is None else _output_format(output, format)
    if output not in (None, "-"):
        check_output(str(output), corpus)
    asked = {repr(each): each for each in (parse(text, "query") for text in queries)}
    fitted = load_model(model)
    _check_queries(asked.values(), fitted)
    posterior, gold = _believed(fitted, corpus, read, documents)
    answers = {name: ask(posterior, gold, query) for name, query in asked.items()}
    if output is not None:
        _write(answers, output, shown)
        return
    records = [_summary(name, pairs) for name, pairs in answers.items()]
    rows = [[_cell(value) for value in each.values()] for each in records]
    typer.echo(render(shown, (["query", "pairs", "groups", "positive", "mean q"], rows), records))
    note("-o keeps the pairs in a file.")


def _check_queries(queries: "Iterable[Query]", fitted: "Fitted") -> None:
    """Refuse what the model cannot be asked before anything long is done."""
    from calibrant.structures.coreference.links import Links
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker
    from calibrant.structures.sequences.chain import Chain
    from calibrant.structures.trees.models.pcfg import FittedPCFG
    from calibrant.structures.trees.queries import HasConstituent
    from calibrant.structures.trees.tree import Tree, column_of

    kinds: dict[type, type] = {FittedPCFG: Tree, FittedMentionRanker: Links}
    for query in queries:
        query.check_about(kinds.get(type(fitted), Chain))
        if isinstance(query, HasConstituent) and query.label is not None:
            column_of(query.label, cast("FittedPCFG", fitted).labels)


def _believed(
    fitted: "Fitted", corpus: str, sentences: CorpusReader, documents: DocumentReader
) -> "tuple[Chain | Tree | Links, Corpus | Treebank | Documents]":
    """What the model believes, and what is true, read as its kind wants it."""
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker
    from calibrant.structures.trees.models.pcfg import FittedPCFG

    if isinstance(fitted, FittedPCFG):
        _refuse({**sentences.given, **documents.given}, "a parser, which reads trees in brackets")
        trees = read_trees(corpus, fitted.settings.longest)
        tree = fitted.posteriors(trees, progress=True)
        note_fallback(tree)
        return tree, trees
    if isinstance(fitted, FittedMentionRanker):
        other = {name: value for name, value in sentences.given.items() if name != "word"}
        _refuse(other, "a mention ranker, which reads documents with mentions")
        texts = documents._replace(word=sentences.word)(corpus)
        return fitted.posteriors(texts), texts
    _refuse(documents.given, "a tagger, which reads tagged sentences")
    tagged = sentences(corpus)
    _check_tags(tagged, corpus, fitted.tags)
    return fitted.posteriors(tagged), tagged


def _refuse(options: dict[str, Any], what: str) -> None:
    from calibrant.errors import ParameterError

    for name in options:
        raise ParameterError(f"--{name.replace('_', '-')} does not fit: the model is {what}.")


def _output_format(output: str, format: str | None) -> str:
    """The format that pairs are written in; names that nothing can be written to are refused."""
    from calibrant.errors import ParameterError, UnknownName
    from calibrant.tables import check_table

    if output != "-":
        if format is not None:
            raise ParameterError("--format is for stdout; a file's ending says what it becomes.")
        return check_table(output)
    found = format or ("csv" if sys.stdout.isatty() else "jsonl")
    if found not in TEXTS:
        raise UnknownName("format of pairs", found, TEXTS)
    return found


def _check_tags(gold: "Corpus", name: str, tags: tuple[str, ...]) -> None:
    """Refuse a corpus that is tagged quite differently; tell of tags that the model never saw."""
    from calibrant.errors import InputError

    strange = sorted(set(gold.tag_set) - set(tags))
    if not strange:
        return
    shown = ", ".join(strange[:3]) + (", ..." if len(strange) > 3 else "")
    if len(strange) == len(gold.tag_set):
        raise InputError(
            f"{name}: the model knows none of its tags ({shown}), but {', '.join(tags[:3])} and "
            "the like: are they in another column (--tag)?"
        )
    words = sum(tag in strange for sentence in gold.tags for tag in sentence)
    note(
        f"{name}: {words} of {gold.tokens} words have tags that the model does not know ({shown}): "
        "about them every answer is no."
    )


def _write(answers: "Mapping[str, Pairs]", output: str, format: str) -> None:
    from calibrant.tables import frame_of_pairs, table_text, write_pairs

    if output == "-":
        typer.echo(table_text(frame_of_pairs(answers), format), nl=False)
    else:
        write_pairs(answers, output)
    for name, pairs in answers.items():
        note(f"{name}: {repr(pairs).removeprefix('Pairs(').removesuffix(')')}")
    if output != "-":
        note(f"wrote {output}")


def _summary(name: str, pairs: "Pairs") -> dict[str, str | int | float]:
    return {
        "query": name,
        "n": len(pairs),
        "groups": pairs.groups,
        "positive": pairs.mean(pairs.y),
        "mean_q": pairs.mean(pairs.q),
    }


def _cell(value: str | int | float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
