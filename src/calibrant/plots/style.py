"""The style of all figures: sized for a column of a paper, in colour-blind-safe colours."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito's colours, which colour-blind readers can distinguish, without yellow
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#777777"
DASHED = (0, (4, 3))  # reference lines: long dashes, visible even in small print
SIDE = 3.3  # inches: the width of one column of a paper
RC: Any = {
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 9.5,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",  # keep text as text
    "pdf.fonttype": 42,
}


def house_style() -> AbstractContextManager[None]:
    """Use the house style within this context; matplotlib's global state is unchanged."""
    import matplotlib

    return matplotlib.rc_context(RC)


def new_axes(width: float, height: float, columns: int = 1) -> "tuple[Figure, list[Axes]]":
    """A figure in the house style, with one or more axes side by side."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with house_style():
        figure = Figure(figsize=(width * columns, height), dpi=200, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(1, columns, squeeze=False)[0]
    return figure, list(axes)


def look(index: int) -> tuple[str, str]:
    """The colour and marker of the index-th line."""
    return COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
