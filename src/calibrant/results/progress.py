"""A progress bar on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

WIDTH = 10  # characters of the bar, so the line fits a narrow terminal


class Tell(Protocol):
    """Called after every pass, with its number and a remark."""

    def __call__(self, done: int, what: str) -> None:
        """Show it."""


def nothing(done: int, what: str) -> None:
    """Show nothing."""


@contextmanager
def bar(wanted: bool, total: int, title: str) -> Iterator[Tell]:
    """A progress bar, if one is wanted."""
    if not wanted:
        yield nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(WIDTH),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[what]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(title, total=total, what="")

        def tell(done: int, what: str) -> None:
            progress.update(task, completed=done, what=what)

        yield tell
