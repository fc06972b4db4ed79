"""`calibrant count-structures`: `count` of a saved model on a corpus, beside the truth."""

from typing import TYPE_CHECKING, Annotated

import typer

from calibrant.cli.inputs.believing import believed_of, check_queries
from calibrant.cli.inputs.corpora import CorpusReader, reads_corpora
from calibrant.cli.inputs.structures import DocumentReader, reads_brackets
from calibrant.cli.options import Level, Show, note, shows_results

if TYPE_CHECKING:
    from calibrant.calibration.counting.beside_truth import BesideTruth
    from calibrant.cli.answers import Believed

DOCUMENT = "document"


@shows_results
@reads_corpora
@reads_brackets
def count_structures_command(
    documents: DocumentReader,
    read: CorpusReader,
    show: Show,
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The folder of a saved model.")],
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="Tagged sentences, trees or documents, as in calibrant ask."
        ),
    ],
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY",
            help="What to count: \"TagIs('V')\", \"TagPair('DT', 'NN')\", \"HasSpan('PER')\"; "
            "\"HasConstituent('NP')\"; NewEntity (distinct entities), Singleton, SameEntity.",
        ),
    ],
    by: Annotated[
        str | None, typer.Option("--by", metavar="WHAT", help="Count by document.")
    ] = None,
    level: Level = 0.95,
) -> None:
    """Count tags, spans, constituents or entities with a saved model, and compare with the truth.

    The interval is the model's own, from the exact distribution of the number in each sentence or
    document: right only if the model is calibrated on this corpus. The naive count is that of its
    best guesses.

    Examples
    --------
      calibrant count-structures ner-model uner-ewt/test "HasSpan('PER')"
      calibrant count-structures parser gum/test "HasConstituent('NP')" --by document
      calibrant count-structures ranker litbank/test NewEntity --by document --json
    """
    from calibrant.calibration.counting.beside_truth import beside_truth
    from calibrant.checks.parameters import check_level
    from calibrant.errors import ParameterError
    from calibrant.structures.known_queries import parse_query
    from calibrant.structures.loading import load_model

    level = check_level(level)
    if by not in (None, DOCUMENT):
        raise ParameterError(f"--by must be {DOCUMENT}, but it is {by!r}.")
    asked, fitted = parse_query(query), load_model(model)
    check_queries([asked], fitted)
    believed = believed_of(fitted, corpus, read, documents)
    tallies = asked.tallies(believed.posterior, believed.gold)
    names = [""] * len(tallies) if by is None else _documents(believed, corpus)
    found = beside_truth(tallies, names, level)
    rows = found[-1:] if by is None else found
    header = [by or "", "asked", "true", "naive", "expected", f"{100 * level:g} % interval"]
    show((header, [_cells(each) for each in rows]), [each._asdict() for each in rows])
    note("The interval is right only if the model is calibrated on these sentences or documents.")


def _documents(believed: "Believed", corpus: str) -> list[str]:
    """The document of each sentence, or the name of each document."""
    from calibrant.errors import InputError
    from calibrant.structures.coreference.documents import Documents

    gold = believed.gold
    names = gold.names if isinstance(gold, Documents) else gold.documents
    if names is None:
        raise InputError(
            f"{corpus} does not say which document a sentence is from: leave --by out."
        )
    return list(names)


def _cells(each: "BesideTruth") -> list[str]:
    whole = [f"{number:.0f}" for number in (each.asked, each.true, each.naive)]
    return [each.name, *whole, f"{each.expected:.1f}", f"[{each.low:.0f}, {each.high:.0f}]"]
