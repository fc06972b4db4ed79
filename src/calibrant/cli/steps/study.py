"""`calibrant study`: whole experiments."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import Format, note

if TYPE_CHECKING:
    from calibrant.studies.sections import Study

study = typer.Typer(
    help="Run a whole experiment, of the thesis or in its manner.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@study.callback()
def _group() -> None:
    """Run a whole experiment, of the thesis or in its manner."""


Folder = Annotated[str, typer.Option("-o", "--output", help="Folder for the results.")]


@study.command("synthetic")
def synthetic_command(
    output: Folder,
    replicates: Annotated[
        int, typer.Option("--replicates", help="Simulations behind each 99 % range.")
    ] = 300,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all draws.")] = 0,
    format: Format = None,
) -> None:
    """Bin size and sample size against the score: figures 4.7 to 4.11.

    Writes the numbers as CSV and the figures as PNG and SVG, and prints the values of the
    thesis beside the 99 % ranges that simulation gives for four Beta distributions.
    """
    from calibrant.cli.output import chosen_format, render
    from calibrant.studies.synthetic import run_synthetic

    shown = chosen_format(format)
    report = run_synthetic(output, replicates, seed, _track, note)
    header, rows = report.table()
    typer.echo(render(shown, (header, rows), [dict(zip(header, row, strict=True)) for row in rows]))


@study.command("twitter-pos")
def twitter_command(output: Folder, format: Format = None) -> None:
    """Taggers asked about the verbs of tweets.

    Trains a hidden Markov model and conditional random fields on the ARK tweets, and writes
    tables (JSON, CSV, Markdown) and figures: calibration of the three taggers beside the
    thesis's numbers, paired comparisons, features one family at a time, every tag, neighbouring
    tags, and the strength of L2. Takes one to two minutes.
    """
    from calibrant.studies.tagging import TWITTER, run_tagging

    _show(lambda: run_tagging(TWITTER, output, _track, note), format)


@study.command("web-pos")
def web_command(output: Folder, format: Format = None) -> None:
    """Taggers asked about the singular nouns of web text.

    The same for UD English-EWT with Penn tags, the open stand-in for the Wall Street Journal.
    Takes several minutes.
    """
    from calibrant.studies.tagging import WEB, run_tagging

    _show(lambda: run_tagging(WEB, output, _track, note), format)


@study.command("entities")
def entities_command(output: Folder, format: Format = None) -> None:
    """Recognisers asked about the names in tweets and in web text.

    The Broad Twitter Corpus and UNER-EWT, spans of each type, exactly. Takes some minutes.
    """
    from calibrant.studies.entities import run_entities

    _show(lambda: run_entities(output, _track, note), format)


@study.command("parsing")
def parsing_command(
    output: Folder,
    full: Annotated[
        bool, typer.Option("--full", help="All of CRAFT; else a stated part of it.")
    ] = False,
    format: Format = None,
) -> None:
    """Grammars asked about the constituents of sentences.

    A plain treebank grammar and one with memories, on GUM and CRAFT, by label, by length of span
    and of sentence. Set CALIBRANT_DATA to a folder that has them. Takes some minutes.
    """
    from calibrant.studies.parsing import run_parsing

    _show(lambda: run_parsing(output, full, _track, note), format)


@study.command("coreference")
def coreference_command(output: Folder, format: Format = None) -> None:
    """Mention rankers asked whether two mentions refer to the same entity.

    OntoGUM and LitBank, the open stand-ins for CoNLL-2011: exact probabilities and sampled
    ones, training that is faithful to probabilities and loss-augmented training, beside a rule
    that matches heads. Set CALIBRANT_DATA to a folder that has both. Takes some minutes.
    """
    from calibrant.studies.coreference import run_coreference

    _show(lambda: run_coreference(output, _track, note), format)


def _show(run: Callable[[], "Study"], format: str | None) -> None:
    """Run a study; its first table goes to stdout, what it found to stderr."""
    from calibrant.cli.output import chosen_format, render

    shown = chosen_format(format)
    found = run()
    section = found.sections[0]
    typer.echo(render(shown, section.table(), section.records()))
    note("\n" + "\n".join(found.findings))


def _track(items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """A progress bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True))
