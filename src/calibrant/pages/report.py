"""`Report`: a page about models, to show, save or send."""

import html
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING

from calibrant.bridges.findings import Findings
from calibrant.checks.files import write_text

if TYPE_CHECKING:
    import polars

HEIGHT = 720  # of the frame in a notebook, in pixels


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report:
    """A page about one or more models. Notebooks show it; `save` writes it to a file.

    Attributes
    ----------
    html
        The page: one file that needs no network.
    findings
        What it shows, as the verbs return it.
    """

    html: str
    findings: Findings

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_text(fspath(path), self.html)

    @property
    def signature(self) -> str:
        """The signatures of the scores of all models, one line each."""
        return "\n".join(model.scores.signature for model in self.findings.models)

    def to_frame(self) -> "polars.DataFrame":
        """One row per model and score."""
        import polars

        rows = [
            {"model": model.name} | each.to_dict()
            for model in self.findings.models
            for each in model.scores
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def __repr__(self) -> str:
        names = ", ".join(model.name for model in self.findings.models)
        return f"<Report on {names or 'pairs'}: {len(self.html.encode())} bytes>"

    def _repr_html_(self) -> str:
        """The page in a frame that can reach neither the notebook nor the network."""
        page = html.escape(self.html)
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{page}" width="100%" height="{HEIGHT}" '
            'title="Report of calibrant"></iframe>'
        )
