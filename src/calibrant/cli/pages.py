"""Pages on the command line: from models to a file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from calibrant.cli.options import OUTPUT, note

if TYPE_CHECKING:
    from calibrant.bridges.findings import Asked, Compared
    from calibrant.cli.inputs.models import ReadModels
    from calibrant.structures.evals.evals import Evals

NoText = Annotated[
    bool,
    typer.Option(
        "--no-text",
        help="Show no column at all, for texts that may not be shared. Labels of groups are still "
        "shown.",
        rich_help_panel=OUTPUT,
    ),
]
Limit = Annotated[
    str,
    typer.Option(
        "--limit",
        metavar="SIZE",
        help="The most that the page may take; fewer examples are kept so that it fits.",
        rich_help_panel=OUTPUT,
    ),
]


def called() -> str:
    """The command that is running, as a shell reads it."""
    import shlex
    import sys

    return shlex.join(["calibrant", *sys.argv[1:]])


def check_page(output: str, inputs: Sequence[str]) -> None:
    """Refuse an output that cannot be written, before computing anything."""
    from pathlib import Path

    from calibrant.cli.output import check_output
    from calibrant.errors import ParameterError

    if output == "-":
        return
    if Path(output).suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"A page is a file in .html, but -o is {output}.")
    check_output(output, *inputs)


class Page(NamedTuple):
    """How a page is computed, and what it says about itself."""

    scores: Sequence[str] | None
    level: float
    seed: int | None
    title: str
    limit: str
    command: str
    by: Sequence[str] = ()
    recalibrate: bool = False

    def of_predictions(
        self, models: "ReadModels", show: Sequence[str] | None, text: bool, own_answers: bool
    ) -> str:
        """The page about files of predictions."""
        from calibrant.bridges.findings import Compared
        from calibrant.bridges.sources import asked_from

        asked = {name: asked_from(each, show, text) for name, each in models.predictions.items()}
        pairs = {name: each.pairs for name, each in asked.items()}
        return self._of(asked, Compared(pairs, models.keys, own_answers) if len(pairs) > 1 else "")

    def of_evals(self, evals: "Evals", kinds: Sequence[str] | None, text: bool) -> str:
        """The page about attempts of language models."""
        from calibrant.bridges.sources import asked_of_evals

        return self._of(*asked_of_evals(evals, kinds, text))

    def _of(self, asked: "Mapping[str, Asked]", compared: "Compared | str") -> str:
        from calibrant.bridges.findings import SCORES, Settings, find
        from calibrant.checks.files import size_limit
        from calibrant.checks.parameters import check_level, check_seed
        from calibrant.pages.page import Wording, make_page
        from calibrant.results.choices import choose_all

        size = size_limit(self.limit, "--limit")
        chosen = SCORES if self.scores is None else choose_all(self.scores, "score")
        settings = Settings(
            tuple(chosen),
            check_level(self.level),
            seed=check_seed(self.seed),
            by=self.by,
            recalibrate=self.recalibrate,
        )
        several = len(asked) > 1
        tell = (lambda name: note(f"examining {name} ...")) if several else None
        found = find(asked, settings, compared, tell)
        wording = Wording(self.title, command=self.command)
        return make_page(found, wording, size, self.seed or 0)

    def write(self, page: str, output: str) -> None:
        """Write the page, whole or not at all."""
        from calibrant.checks.files import write_text

        if output == "-":
            typer.echo(page, nl=False)
        else:
            write_text(output, page)
            note(f"wrote {output}: {len(page.encode()) / 1e6:.2f} MB")
