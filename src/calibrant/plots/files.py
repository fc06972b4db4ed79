"""Save figures, whole or not at all."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.errors import ParameterError, UnknownName
from calibrant.plots.style import house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("png", "svg", "pdf")


def save_figure(ax: "Axes", path: str | Path) -> Path:
    """Save the figure of these axes as PNG, SVG or PDF, according to the extension."""
    from calibrant.checks.files import replacing

    path = Path(path)
    format = figure_format(path)
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ParameterError("These axes do not belong to a figure.")
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with replacing(path) as temporary, house_style():  # fonts are resolved on saving
        figure.savefig(temporary, format=format, metadata=metadata[format])
    return path


def figure_format(path: str | Path, others: Sequence[str] = ()) -> str:
    """The format for a file extension; errors also list the extensions `others`."""
    ending = Path(path).suffix.lower()
    if ending.lstrip(".") not in FORMATS:
        endings = [*(f".{format}" for format in FORMATS), *others]
        raise UnknownName("ending of an output file", ending or str(path), endings)
    return ending.lstrip(".")
