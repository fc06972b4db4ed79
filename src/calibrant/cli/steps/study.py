"""`calibrant study`: whole experiments."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibrant.cli.options import Format, note

if TYPE_CHECKING:
    from calibrant.studies.progress import Progress
    from calibrant.studies.sections import Study

study = typer.Typer(
    help="Run a complete experiment, from the thesis or on newer models.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@study.callback()
def _group() -> None:
    """Run a complete experiment, from the thesis or on newer models."""


Folder = Annotated[
    str,
    typer.Option(
        "-o", "--output", help="Folder for the results, new or of an earlier study (replaced)."
    ),
]


@study.command("synthetic")
def synthetic_command(
    output: Folder,
    replicates: Annotated[
        int, typer.Option("--replicates", help="Simulations behind each 99 % range.")
    ] = 300,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all draws.")] = 0,
    format: Format = None,
) -> None:
    """Score synthetic data by bin size and sample size: figures 4.7 to 4.11.

    Writes the numbers as CSV and the figures as PNG and SVG. Prints the values of the thesis
    beside simulated 99 % ranges for four Beta distributions.
    """
    from dataclasses import replace

    from calibrant.studies.synthetic.plan import SYNTHETIC
    from calibrant.studies.synthetic.study import run_synthetic

    plan = replace(SYNTHETIC, replicates=replicates, seed=seed)
    _show(lambda progress: run_synthetic(plan, output, progress), format)


@study.command("language-models")
def language_models_command(output: Folder, format: Format = None) -> None:
    """Ask whether language models are as sure as they should be.

    Reads logs of MMLU-Pro (stated confidence against the probability of the words, by subject),
    MedQA (agreement of 1 to 11 chains of thought against the probability of the option) and
    VeritasQA (true against false answers). Set CALIBRANT_DATA to a folder that contains them.
    Takes about a minute.
    """
    from calibrant.studies.language_models.plan import LANGUAGE_MODELS
    from calibrant.studies.language_models.study import run_language_models

    _show(lambda progress: run_language_models(LANGUAGE_MODELS, output, progress), format)


@study.command("classifiers")
def classifiers_command(
    output: Folder,
    full: Annotated[
        bool, typer.Option("--full", help="More words, and 20 draws of calibration documents.")
    ] = False,
    format: Format = None,
) -> None:
    """Ask which classifiers are calibrated as they come, and what recalibration gains.

    Trains naive Bayes, logistic regression, support vector machines, boosted trees, random forests
    and nearest neighbours of scikit-learn on genres of UD-EWT and GUM, and on tags of words of
    UD-EWT and tweets. Judges them as they come, and after each method of recalibration by size of
    the calibration set, on documents of which nothing was seen. Set CALIBRANT_DATA to a folder that
    contains the corpora. Takes a few minutes.
    """
    from calibrant.studies.classifiers.plan import FULL, PLAN
    from calibrant.studies.classifiers.study import run_classifiers

    plan = FULL if full else PLAN
    _show(lambda progress: run_classifiers(plan, output, progress), format)


@study.command("recalibration")
def recalibration_command(
    output: Folder,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="CRF-Advanced on all corpora, all of GUM, all folds of LitBank."
        ),
    ] = False,
    format: Format = None,
) -> None:
    """Temper taggers, recognisers, parsers and mention rankers, and judge them on test.

    Learns one temperature, and one for each kind of potentials, on dev documents; shows the log
    loss of whole structures and every query on test before and after, and beside them a map of each
    query. Set CALIBRANT_DATA to a folder that contains the corpora. Takes several minutes.
    """
    from calibrant.studies.recalibration.plan import FULL, PLAN
    from calibrant.studies.recalibration.study import run_recalibration

    _show(lambda progress: run_recalibration(FULL if full else PLAN, output, progress), format)


@study.command("twitter-pos")
def twitter_command(output: Folder, format: Format = None) -> None:
    """Ask taggers about the verbs in tweets.

    Trains a hidden Markov model and conditional random fields on the ARK tweets. Writes tables
    (JSON, CSV, Markdown) and figures: calibration of the three taggers beside the numbers of
    the thesis, paired comparisons, an ablation of feature families, every tag, neighbouring
    tags, and the strength of L2. Takes one to two minutes.
    """
    from calibrant.studies.tagging.plan import TWITTER
    from calibrant.studies.tagging.study import run_tagging

    _show(lambda progress: run_tagging(TWITTER, output, progress), format)


@study.command("web-pos")
def web_command(output: Folder, format: Format = None) -> None:
    """Ask taggers about the singular nouns in web text.

    The same study on UD English-EWT with Penn tags, the open stand-in for the Wall Street
    Journal. Takes several minutes.
    """
    from calibrant.studies.tagging.plan import WEB
    from calibrant.studies.tagging.study import run_tagging

    _show(lambda progress: run_tagging(WEB, output, progress), format)


@study.command("entities")
def entities_command(output: Folder, format: Format = None) -> None:
    """Ask recognisers about the names in tweets and in web text.

    Uses the Broad Twitter Corpus and UNER-EWT. A span counts if its type and both of its ends
    are correct. Takes several minutes.
    """
    from calibrant.studies.entities.plan import ENTITIES
    from calibrant.studies.entities.study import run_entities

    _show(lambda progress: run_entities(ENTITIES, output, progress), format)


@study.command("parsing")
def parsing_command(
    output: Folder,
    full: Annotated[
        bool, typer.Option("--full", help="Parse all of CRAFT, not every fifth sentence.")
    ] = False,
    format: Format = None,
) -> None:
    """Ask grammars about the constituents of sentences.

    Compares a plain treebank grammar with a markovised one on GUM and CRAFT, by label, span
    length and sentence length. Set CALIBRANT_DATA to a folder that contains both treebanks. Takes
    several minutes.
    """
    from calibrant.studies.parsing.plan import FULL, PARSING
    from calibrant.studies.parsing.study import run_parsing

    plan = FULL if full else PARSING
    _show(lambda progress: run_parsing(plan, output, progress), format)


@study.command("coreference")
def coreference_command(output: Folder, format: Format = None) -> None:
    """Ask mention rankers whether two mentions refer to the same entity.

    Uses OntoGUM and LitBank, the open stand-ins for CoNLL-2011. Compares exact with sampled
    probabilities, likelihood training with loss-augmented training, and both with a rule that
    matches heads. Set CALIBRANT_DATA to a folder that contains both
    corpora. Takes several minutes.
    """
    from calibrant.studies.coreference.plan import COREFERENCE
    from calibrant.studies.coreference.study import run_coreference

    _show(lambda progress: run_coreference(COREFERENCE, output, progress), format)


@study.command("pipelines")
def pipelines_command(
    output: Folder,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Parse all sentences of up to 40 words, with up to 100 tag sequences, and draw "
            "labels 1000 times.",
        ),
    ] = False,
    format: Format = None,
) -> None:
    """Hand on what a model believes to the next step, and count.

    Parses GUM with a tagger's best tags, lists of tags, samples, or all tags in one chart. Counts
    the names of UNER-EWT by document, genre and month with taggers trained on other genres, and the
    distinct entities of LitBank's excerpts, and compares intervals with the true numbers. Set
    CALIBRANT_DATA to a folder that contains the corpora. Takes several minutes.
    """
    from calibrant.studies.pipelines.plan import FULL, PIPELINES
    from calibrant.studies.pipelines.study import run_pipelines_study

    plan = FULL if full else PIPELINES
    _show(lambda progress: run_pipelines_study(plan, output, progress), format)


def _show(run: Callable[["Progress"], "Study"], format: str | None) -> None:
    """Run a study; its first table goes to stdout, its findings to stderr."""
    from calibrant.cli.output import chosen_format, render
    from calibrant.studies.progress import Progress

    shown = chosen_format(format)
    found = run(Progress(_track, note))
    section = found.sections[0]
    typer.echo(render(shown, section.table(), section.records()))
    note("\n" + "\n".join(found.findings))


def _track(items: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """Show a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True))
