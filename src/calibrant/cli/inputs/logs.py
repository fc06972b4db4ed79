"""Evaluation logs on the command line."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from calibrant.cli.options import input_option, with_reader

if TYPE_CHECKING:
    from calibrant.structures.evals.evals import Evals


@dataclass(frozen=True)
class LogReader:
    """Reads evaluation logs as the command-line options specify."""

    options: dict[str, Any]

    @property
    def files(self) -> list[str]:
        """Files that are read beside the logs."""
        gold = self.options["gold"]
        return [] if gold is None else [gold]

    def __call__(self, paths: Sequence[str]) -> "Evals":
        """Read logs and folders of logs."""
        from calibrant.verbs import read_evals

        return read_evals(paths, progress=True, **self.options)


def _logs_input(
    log_format: Annotated[
        str | None,
        input_option(
            "--from",
            metavar="FORMAT",
            help="lm-eval, write-out, inspect, helm, every-eval, responses or table "
            "(default: recognised).",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        input_option(
            "--columns",
            metavar="ROLE=NAME",
            help="For tables: the column of a role, such as stated=conf; repeatable.",
        ),
    ] = None,
    filter: Annotated[
        str | None,
        input_option(
            "--filter",
            metavar="NAME",
            help="For lm-eval: the filter to read (default: the first).",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        input_option(
            "--metric",
            metavar="NAME",
            help="Metric or scorer that says whether an answer is right.",
        ),
    ] = None,
    gold: Annotated[
        str | None,
        input_option(
            "--gold",
            metavar="FILE",
            help="For responses: a table with the columns question and gold.",
        ),
    ] = None,
    group: Annotated[
        str | None,
        input_option(
            "--group",
            metavar="FIELD",
            help="Field of a question that names its document or category.",
        ),
    ] = None,
    unparsed: Annotated[
        str,
        input_option(
            "--unparsed",
            metavar="aside|wrong",
            help="Set answers that could not be read aside, or count them as wrong.",
        ),
    ] = "aside",
    logprobs: Annotated[
        str | None,
        input_option(
            "--logprobs",
            metavar="raw|processed",
            help="Whether log-probabilities of tokens were logged before or after temperature; "
            "part of the signature.",
        ),
    ] = None,
) -> LogReader:
    """Collect the options of a command that reads logs."""
    return LogReader(
        {
            "format": log_format,
            "columns": dict(map(_role, column or [])),
            "filter": filter,
            "metric": metric,
            "gold": gold,
            "group": group,
            "unparsed": unparsed,
            "logprobs": logprobs,
        }
    )


def _role(text: str) -> tuple[str, str]:
    from calibrant.errors import ParameterError

    role, sign, name = text.partition("=")
    if not sign:
        raise ParameterError(f"--columns must be ROLE=NAME, but it is {text!r}.")
    return role, name


def reads_logs(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reading logs to a command; its first argument becomes a `LogReader`."""
    return with_reader(_logs_input, command)
