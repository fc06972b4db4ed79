"""The `calibrant` command."""

import sys
from typing import Annotated

import typer

from calibrant.cli.steps.demo import demo_command
from calibrant.cli.steps.study import study
from calibrant.cli.steps.train import train
from calibrant.cli.verbs.ask import ask_command
from calibrant.cli.verbs.compare import compare_command
from calibrant.cli.verbs.curve import curve_command
from calibrant.cli.verbs.decompose import decompose_command
from calibrant.cli.verbs.describe import describe_command
from calibrant.cli.verbs.score import score_command
from calibrant.cli.verbs.test import test_command

app = typer.Typer(
    name="calibrant",
    help="Tell whether the probabilities of an NLP model can be trusted.",
    epilog="Exit codes: 0 fine, 1 a gate failed, 2 input or command wrong. "
    "--debug shows tracebacks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score_command)
app.command("curve")(curve_command)
app.command("decompose")(decompose_command)
app.command("describe")(describe_command)
app.command("test")(test_command)
app.command("compare")(compare_command)
app.add_typer(train, name="train")
app.command("ask")(ask_command)
app.command("demo")(demo_command)
app.add_typer(study, name="study")


def _version(wanted: bool) -> None:
    if wanted:
        from calibrant.version import __version__

        typer.echo(f"calibrant {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Options of all commands."""


def run() -> None:
    """Run the command line; errors become one line and an exit code."""
    debug = "--debug" in sys.argv
    sys.argv[1:] = [word for word in sys.argv[1:] if word != "--debug"]
    try:
        code = app(standalone_mode=False)
    except Exception as error:
        if debug:
            raise
        code = _failed(error)
    except KeyboardInterrupt:
        code = 130
    except SystemExit as stop:  # the reader of the pipe has gone: nobody is left to tell
        code = 0 if stop.code == 1 else stop.code
    sys.exit(code if isinstance(code, int) else 0)


def _failed(error: Exception) -> int:
    """Say in one line what went wrong."""
    from calibrant.cli.wording import in_options
    from calibrant.errors import CalibrantError

    if isinstance(error, BrokenPipeError):
        sys.stderr.close()
        return 0
    if isinstance(error, CalibrantError):
        say = in_options(str(error))
    elif type(error).__name__ == "NoArgsIsHelpError":
        print(error.ctx.get_help())  # type: ignore[attr-defined]
        return 2
    elif hasattr(error, "format_message"):  # the command line's own words were wrong
        say = f"{error.format_message()} (calibrant --help shows how)"
    elif isinstance(error, OSError):
        say = f"{error.filename or 'output'}: {error.strerror or error}"
    else:
        say = f"unexpected {type(error).__name__}: {error} (--debug shows where)"
    print(f"calibrant: {' '.join(say.split())}", file=sys.stderr)
    return 2
