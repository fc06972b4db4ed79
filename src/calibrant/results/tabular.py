"""Tables as text, Markdown, HTML, CSV and LaTeX."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from calibrant.errors import UnknownName, printable

Rows = list[list[str]]
LATEX = {each: "\\" + each for each in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def count_text(n: float) -> str:
    """Format a count: all digits of a whole number, six digits of any other."""
    return f"{n:.0f}" if float(n).is_integer() else f"{n:g}"


def without_empty_columns(
    header: list[str], rows: Rows, always: Sequence[str] = ()
) -> tuple[list[str], Rows]:
    """Remove columns that are empty in every row, except those named in `always`."""
    kept = [k for k, name in enumerate(header) if name in always or any(row[k] for row in rows)]
    return [header[k] for k in kept], [[row[k] for k in kept] for row in rows]


def text_table(header: list[str], rows: Rows) -> str:
    """Format columns separated by spaces: the first left-aligned, the others right-aligned."""
    header, *rows = [[printable(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown_table(header: list[str], rows: Rows) -> str:
    """A pipe table."""
    rule = "| " + " | ".join(["---"] + ["---:"] * (len(header) - 1)) + " |"
    head, *body = ("| " + " | ".join(map(_escape_pipe, row)) + " |" for row in [header, *rows])
    return "\n".join([head, rule, *body])


def _escape_pipe(cell: str) -> str:
    return printable(cell).replace("|", r"\|")


def latex_table(header: list[str], rows: Rows) -> str:
    """A LaTeX tabular with booktabs rules."""
    body = [" & ".join(map(_escape_latex, row)) + r" \\" for row in rows]
    head = " & ".join(map(_escape_latex, header)) + r" \\"
    align = "l" + "r" * (len(header) - 1)
    lines = [rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule", *body]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(each, each) for each in text)


def csv_table(header: list[str], rows: Rows) -> str:
    """Comma-separated values."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue().rstrip("\n")


def render_table(format: str, header: list[str], rows: Rows) -> str:
    """A table in one of the formats text, md, latex and csv."""
    if format not in RENDERERS:
        raise UnknownName("format", format, RENDERERS)
    return RENDERERS[format](header, rows)


def html_table(header: list[str], rows: Rows, note: str = "") -> str:
    """A table for notebooks."""
    import html

    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    caption = f"<caption>{html.escape(note)}</caption>" if note else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


RENDERERS: dict[str, Callable[[list[str], Rows], str]] = {
    "text": text_table,
    "md": markdown_table,
    "latex": latex_table,
    "csv": csv_table,
}


class Tabular(ABC):
    """A result that is shown as a table: as text, in documents and in notebooks."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows as text."""

    @property
    def note(self) -> str:
        """The line that notebooks show above the table."""
        return ""

    def render(self, format: str = "text") -> str:
        """The table as "text", "md", "latex" or "csv"."""
        return render_table(format, *self.table())

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        return html_table(*self.table(), note=self.note)
