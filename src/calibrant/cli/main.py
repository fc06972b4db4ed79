"""The `calibrant` command."""

import os
import sys
from typing import Annotated

import typer

from calibrant.cli.steps.apply import apply_command
from calibrant.cli.steps.demo import demo_command
from calibrant.cli.steps.examples import examples_command
from calibrant.cli.steps.plan import plan_command
from calibrant.cli.steps.study import study
from calibrant.cli.steps.summarise import summarise_command
from calibrant.cli.steps.train import train
from calibrant.cli.verbs.ask import ask_command
from calibrant.cli.verbs.compare import compare_command
from calibrant.cli.verbs.count import count_command
from calibrant.cli.verbs.count_structures import count_structures_command
from calibrant.cli.verbs.curve import curve_command
from calibrant.cli.verbs.decompose import decompose_command
from calibrant.cli.verbs.describe import describe_command
from calibrant.cli.verbs.evals import evals_command
from calibrant.cli.verbs.recalibrate import recalibrate_command
from calibrant.cli.verbs.recalibrate_classes import recalibrate_classes_command
from calibrant.cli.verbs.recalibrate_evals import recalibrate_evals_command
from calibrant.cli.verbs.report import report_command
from calibrant.cli.verbs.score import score_command
from calibrant.cli.verbs.score_classes import score_classes_command
from calibrant.cli.verbs.slices import slices_command
from calibrant.cli.verbs.test import test_command

app = typer.Typer(
    name="calibrant",
    help="Check whether the probabilities of an NLP model can be trusted.",
    epilog="Exit codes: 0 success, 1 a gate failed, 2 invalid input or command.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score_command)
app.command("score-classes")(score_classes_command)
app.command("curve")(curve_command)
app.command("decompose")(decompose_command)
app.command("describe")(describe_command)
app.command("test")(test_command)
app.command("compare")(compare_command)
app.command("slices")(slices_command)
app.command("recalibrate")(recalibrate_command)
app.command("recalibrate-classes")(recalibrate_classes_command)
app.command("recalibrate-evals")(recalibrate_evals_command)
app.command("apply")(apply_command)
app.command("examples")(examples_command)
app.command("count")(count_command)
app.command("count-structures")(count_structures_command)
app.command("plan")(plan_command)
app.command("report")(report_command)
app.command("summarise")(summarise_command)
app.add_typer(train, name="train")
app.command("ask")(ask_command)
app.command("evals")(evals_command)
app.command("demo")(demo_command)
app.add_typer(study, name="study")

INTERRUPTED = 130  # the exit code of programs stopped by Ctrl-C: 128 + SIGINT
WRONG = 2  # the exit code for invalid input or an invalid command
GLOBAL_FLAGS = {"--debug"}
GLOBAL_OPTIONS = {"--unpack-limit"}  # these take a value


def _version(wanted: bool) -> None:
    if wanted:
        from calibrant.version import __version__

        typer.echo(f"calibrant {__version__}")
        raise typer.Exit


def _unpack_limit(text: str | None) -> None:
    if text is not None:
        from calibrant.checks.files import LIMIT_VARIABLE, size_limit

        size_limit(text)
        os.environ[LIMIT_VARIABLE] = text


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
    unpack_limit: Annotated[
        str | None,
        typer.Option(
            "--unpack-limit",
            metavar="SIZE",
            callback=_unpack_limit,
            help="Refuse gzip files that unpack to more than this (20GiB, say); none: no limit.",
            show_default="4GiB",
        ),
    ] = None,
) -> None:
    """Options shared by all commands; they may come before or after the command name."""


def run() -> None:
    """Run the command line; errors become one line and an exit code."""
    for_all, words = _separated(sys.argv[1:])
    sys.exit(_code([*for_all, *words], debug="--debug" in for_all))


def _code(words: list[str], debug: bool) -> int:
    """Run a command and return its exit code."""
    from calibrant.cli.streams import flush_or_drop, prepare_streams
    from calibrant.errors import command_line

    try:
        prepare_streams()
        with command_line():
            code = app(args=words, prog_name="calibrant", standalone_mode=False)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:  # the reader of a pipe (written to like a file) is gone
        code = 0 if stop.code == 1 else stop.code
    except BaseException as error:
        if debug or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        flush_or_drop()
        return _failed(error)
    return code if isinstance(code, int) else 0


def _separated(words: list[str]) -> tuple[list[str], list[str]]:
    """Separate the shared options, which typer expects first, from the other words."""
    first: list[str] = []
    others: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            others.append(word)
            break
        if word in GLOBAL_OPTIONS:
            first.append(f"{word}={next(rest, '')}")
        elif word in GLOBAL_FLAGS or word.split("=")[0] in GLOBAL_OPTIONS:
            first.append(word)
        else:
            others.append(word)
    return first, [*others, *rest]


def _is_panic(error: BaseException) -> bool:
    """Whether polars panicked; a panic is not an `Exception` but is reported like one."""
    return type(error).__name__ == "PanicException"


def _failed(error: BaseException) -> int:
    """Print the error in one line and return the exit code."""
    from calibrant.errors import printable

    if type(error).__name__ == "NoArgsIsHelpError":  # without rich, print the help
        print(getattr(error, "message", ""), end="")
        return WRONG
    print(f"calibrant: {printable(' '.join(_words(error).split()))}", file=sys.stderr)
    return WRONG


def _words(error: BaseException) -> str:
    from calibrant.errors import CalibrantError

    if isinstance(error, CalibrantError):
        return str(error)
    if hasattr(error, "format_message"):  # click rejected the command line itself
        return f"{error.format_message()} (calibrant --help shows how)"
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {error.strerror or error}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    return f"unexpected {type(error).__name__}: {error} (--debug shows where)"
