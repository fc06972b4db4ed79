"""Options and steps that all training commands share."""

from typing import Annotated

import typer

from calibrant.cli.options import input_option

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


def check_files(train: str, dev: str | None, output: str) -> None:
    """Refuse an output that cannot be written, and inputs that cannot both be read."""
    from calibrant.errors import ParameterError
    from calibrant.structures.saving import refuse_folder

    if train == dev == "-":
        raise ParameterError("TRAIN and --dev cannot both be standard input.")
    refuse_folder(output)


def training_option(name: str, help: str) -> object:
    """An option that controls training."""
    return typer.Option(name, help=help, rich_help_panel=TRAINING)


def model_option(name: str, help: str) -> object:
    """An option that defines the model."""
    return typer.Option(name, help=help, rich_help_panel=MODEL)
