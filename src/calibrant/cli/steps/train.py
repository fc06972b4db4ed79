"""`calibrant train`: one sub-command per kind of model."""

import typer

from calibrant.cli.steps.train_parsers import pcfg_command
from calibrant.cli.steps.train_rankers import coref_command
from calibrant.cli.steps.train_taggers import crf_command, hmm_command

train = typer.Typer(
    help="Fit a model to a corpus and save it.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
train.command("crf")(crf_command)
train.command("hmm")(hmm_command)
train.command("pcfg")(pcfg_command)
train.command("coref")(coref_command)
