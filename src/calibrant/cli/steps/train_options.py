"""Options and steps that all training commands share."""

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from calibrant.cli.options import input_option, note

if TYPE_CHECKING:
    from calibrant.bridges.tempered import StructureRecalibrator
    from calibrant.structures.coreference.models.ranker import FittedMentionRanker
    from calibrant.structures.likelihoods import Temperable
    from calibrant.structures.sequences.models.crf import FittedCRF
    from calibrant.structures.sequences.models.hmm import FittedHMM
    from calibrant.structures.trees.models.pcfg import FittedPCFG

Saved = TypeVar("Saved", "FittedCRF", "FittedHMM", "FittedPCFG", "FittedMentionRanker")

TRAINING, MODEL = "Training", "Model"  # panels of the help

DevSentences = Annotated[
    str | None,
    input_option(
        "--dev",
        metavar="CORPUS",
        help="Held-out sentences to evaluate the model on; AdaGrad uses them for early stopping.",
    ),
]
TaggedSentences = Annotated[
    str,
    typer.Argument(
        metavar="TRAIN",
        help="A file with one word per line, plain or .gz, - for standard input, or a named corpus "
        "such as ark/train.",
    ),
]
ModelFolder = Annotated[
    str, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to save the model in.")
]
Held = Annotated[
    str | None,
    input_option(
        "--recalibrate",
        metavar="CORPUS",
        help="Held-out gold to learn a temperature of the posterior from. Prints what it gains on "
        "unseen groups; the model is saved with it if the verdict is to use it.",
    ),
]
Separate = Annotated[
    bool,
    typer.Option(
        "--separate",
        help="With --recalibrate: a temperature for each kind of potentials, not one for all.",
        rich_help_panel=MODEL,
    ),
]
Unknown = Annotated[
    str | None,
    typer.Option(
        "--unknown", help="How rare words are grouped: by shape (the default), or into one class."
    ),
]
Rare = Annotated[
    int | None,
    typer.Option("--rare", help="Treat words seen at most this often as rare (default: 1)."),
]


def check_files(
    train: str, dev: str | None, output: str, held: str | None = None, separate: bool = False
) -> None:
    """Refuse an output that cannot be written, and inputs that cannot both be read."""
    from calibrant.errors import ParameterError
    from calibrant.structures.saving import refuse_folder

    if train == dev == "-":
        raise ParameterError("TRAIN and --dev cannot both be standard input.")
    if held == "-":
        raise ParameterError("--recalibrate must be a file or a name, not standard input.")
    if held == train:
        raise ParameterError(
            f"--recalibrate {held} is what the model is trained on: it needs held-out gold."
        )
    if separate and held is None:
        raise ParameterError("--separate is for --recalibrate, which is missing.")
    refuse_folder(output)


def recalibrate_and_save(
    fitted: "Saved", posterior: "Temperable", gold: object, folder: str, separate: bool
) -> "Saved":
    """Save a model again with temperatures, if they help; print the evidence as notes."""
    from calibrant.cli.output import warnings_as_notes
    from calibrant.verbs import recalibrate

    with warnings_as_notes():
        found: StructureRecalibrator = recalibrate(posterior, gold=gold, separate=separate)
    note(found.render())
    for line in (*found.notes, found.signature):
        note(line)
    if found.verdict != "use it":
        note(f"{folder}: saved without temperatures.")
        return fitted
    tempered = fitted.tempered(found.temperatures)
    tempered.save(folder)
    note(f"{folder}: saved with {found.temperatures}.")
    return tempered


def training_option(name: str, help: str) -> object:
    """An option that controls training."""
    return typer.Option(name, help=help, rich_help_panel=TRAINING)


def model_option(name: str, help: str) -> object:
    """An option that defines the model."""
    return typer.Option(name, help=help, rich_help_panel=MODEL)
