"""Figures of studies, saved twice."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.plots import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_both(out: Path, drawn: Mapping[str, tuple[str, "Axes"]]) -> dict[str, Path]:
    """Save figures as PNG and SVG; their words, and the PNG of each."""
    found = {}
    for words, (name, ax) in drawn.items():
        save_figure(ax, out / f"{name}.svg")
        found[words] = save_figure(ax, out / f"{name}.png")
    return found
