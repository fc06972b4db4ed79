"""`calibrant ask`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.answers import answer_columns, answer_files
from calibrant.cli.inputs.believing import believed_of, check_queries
from calibrant.cli.inputs.corpora import CorpusReader, reads_corpora
from calibrant.cli.inputs.structures import (
    DocumentReader,
    reads_brackets,
)
from calibrant.cli.options import OUTPUT, note

if TYPE_CHECKING:
    from calibrant.pairs import Pairs

TEXTS = ("csv", "tsv", "jsonl")  # formats of pairs on stdout


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
            help="The gold standard: tagged sentences for a tagger, trees for a parser, documents "
            "with mentions for a mention ranker. A file, plain or .gz, - for standard input, or a "
            "named corpus such as ark/test, gum/test or ontogum/test.",
        ),
    ],
    queries: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY",
            help="One or more queries. About tags: \"TagIs('V')\", EveryTag, "
            "\"TagPair('DT', 'NN')\", \"HasSpan('PER')\"; about trees: \"HasConstituent('NP')\", "
            "HasConstituent; about mentions: SameEntity, NewEntity, Singleton. About the model's "
            "own answers: PredictedTag, PredictedSpan, PredictedSequence; PredictedConstituent; "
            "PredictedLink.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The file for the pairs: .parquet, .csv, .tsv, .jsonl, or - for stdout. With "
            "several queries, one file for each: -o pairs.csv writes pairs-HasSpan-PER.csv, ...",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Also write the sentence of each question: the columns text, begin and end (of "
            "the place in question, in characters), begin2 and end2 (of the other mention), and "
            "parse (the most probable parse).",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="Format of the summary: text (the default), json, csv, md or latex. Format of "
            "pairs on stdout: csv (the default), tsv or jsonl.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Ask a saved model yes/no questions about sentences or documents.

    Returns one row per question: the true answer (y) and the probability
    that the model gives it (q), for calibrant score and other commands. The
    group is the document or sentence. The columns before y identify the
    question. Without -o, the pairs are only counted.

    Examples
    --------
      calibrant ask crf-model oct27.test "TagIs('V')" -o pairs.parquet
      calibrant ask crf-model ark/test EveryTag -o - | calibrant score -
      calibrant ask ner-model test.conll "HasSpan('PER')" --scheme IOB2
      calibrant ask ner-model test.conll PredictedSpan -o - | calibrant score -
      calibrant ask parser gum/test "HasConstituent('NP')" -o pairs.parquet
      calibrant ask ranker ontogum/test SameEntity -o - | calibrant score -
      calibrant ask parser gum/test PredictedConstituent --text -o - | calibrant report -
    """
    from calibrant.cli.output import chosen_format, render
    from calibrant.errors import ParameterError
    from calibrant.structures.known_queries import parse_query
    from calibrant.structures.loading import load_model
    from calibrant.verbs import ask

    if json:
        format = _only_json(format)
    if text and output is None:
        raise ParameterError("--text writes a column of the pairs: name their file with -o.")
    asked = {repr(each): each for each in map(parse_query, queries)}
    files = {} if output is None else answer_files(output, asked)
    shown = chosen_format(format) if output is None else _pairs_format(files, corpus, format)
    fitted = load_model(model)
    check_queries(asked.values(), fitted)
    believed = believed_of(fitted, corpus, read, documents)
    answers = {name: ask(*believed[:2], query) for name, query in asked.items()}
    if output is not None:
        for name, file in files.items():
            _write(answers[name], answer_columns(asked[name], believed, text), file, shown)
        return
    records = [_summary(name, pairs) for name, pairs in answers.items()]
    rows = [[_cell(value) for value in each.values()] for each in records]
    typer.echo(render(shown, (["query", "pairs", "groups", "positive", "mean q"], rows), records))
    note("To keep the pairs, name a file with -o.")


def _only_json(format: str | None) -> str:
    from calibrant.errors import ParameterError

    if format not in (None, "json"):
        raise ParameterError(f"Give --json or --format {format}, not both.")
    return "json"


def _pairs_format(files: Mapping[str, str], corpus: str, format: str | None) -> str:
    """Return the format of the pairs; refuse paths that cannot be written."""
    from calibrant.cli.output import check_output
    from calibrant.errors import ParameterError, UnknownName
    from calibrant.tables import check_table

    if set(files.values()) == {"-"}:
        found = format or TEXTS[0]
        if found not in TEXTS:
            raise UnknownName("format of pairs", found, TEXTS)
        return found
    if format is not None:
        raise ParameterError("--format is for stdout; the extension of a file sets its format.")
    for file in files.values():  # check all of them before computing anything
        found = check_table(file)
        check_output(file, corpus)
    return found


def _write(pairs: "Pairs", keys: dict[str, Any], file: str, format: str) -> None:
    from calibrant.tables import frame_of_pairs, table_text, write_pairs

    if file == "-":
        typer.echo(table_text(frame_of_pairs(pairs, keys), format), nl=False)
    else:
        write_pairs(pairs, file, keys)
    note(f"{keys['query']}: {repr(pairs).removeprefix('Pairs(').removesuffix(')')}")
    if file != "-":
        note(f"wrote {file}")


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
