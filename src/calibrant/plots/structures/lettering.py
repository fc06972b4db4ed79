"""Words and probabilities in pictures of structures: how they are written, sized and shaded.

Pictures of structures are laid out in inches, so that letters of a known size cannot overlap.
"""

import warnings
from typing import TYPE_CHECKING, Any

from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError
from calibrant.plots.style import GREY, house_style, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72  # of an inch
LONGEST = 20  # letters of a word or mention: a longer one would push the others out of the page
DARKEST = {"Blues": 0.88, "Greys": 0.76}  # of matplotlib's ramps: white on it has a contrast of 8
LIGHT = 0.78  # the probability on whose shade black and white contrast alike
RGBA = tuple[float, float, float, float]


def width_of(text: str, size: float) -> float:
    """The width of a text in inches, in letters of `size` points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # drawing warns of letters that the font lacks
        found = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(found[0]) / POINTS


def shortened(text: str) -> str:
    """The text, cut if it is too long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def brief(q: float) -> str:
    """A probability in two digits: .87, 1, or <.01."""
    if q < 0.005:
        return "<.01"
    return "1" if q >= 0.995 else f"{q:.2f}"[1:]


def shade(q: float, ramp: str = "Blues", lightest: float = 0.04) -> RGBA:
    """A colour for a probability, from light to dark, so that it also reads in grey."""
    from matplotlib import colormaps

    red, green, blue, opacity = colormaps[ramp](lightest + (DARKEST[ramp] - lightest) * q)
    return float(red), float(green), float(blue), float(opacity)


def ink(q: float) -> str:
    """The colour to write with on the shade of a probability: the one that contrasts more."""
    return "white" if q > LIGHT else "black"


def checked_floor(floor: float) -> float:
    """The least probability that is drawn."""
    floor = real_number("floor", floor)
    if not 0 < floor <= 1:
        raise ParameterError(f"floor must lie in (0, 1], but it is {floor!r}.")
    return float(floor)


def canvas(
    width: float, bottom: float, top: float, ax: "Axes | None" = None
) -> "tuple[Axes, float]":
    """Axes measured in inches, and the factor by which letters shrink to fit given axes."""
    scale = 1.0
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(width + 0.1, top - bottom + 0.1)
        else:
            wide, high = inches(ax)
            scale = min(1.0, wide / width, high / (top - bottom))
    ax.set(xlim=(0, width), ylim=(bottom, top))
    ax.set_axis_off()
    return ax, scale


def inches(ax: "Axes") -> tuple[float, float]:
    """The width and height of axes."""
    figure = ax.get_figure(root=True)
    dpi = POINTS if figure is None else figure.dpi
    return float(ax.bbox.width / dpi), float(ax.bbox.height / dpi)


def write(
    ax: "Axes",
    x: float,
    y: float,
    text: str,
    size: float,
    color: str = "black",
    *,
    ha: str = "center",
    background: bool = False,
) -> None:
    """Write a text as it is, around (x, y): dollar signs do not start formulas."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if background else None
    place: dict[str, Any] = {"ha": ha, "va": "center", "zorder": 5, "clip_on": False}
    ax.text(x, y, text, size=size, color=color, parse_math=False, bbox=box, **place)


def caption(ax: "Axes", y: float, text: str, size: float) -> None:
    """A line that says what is drawn, at the left."""
    write(ax, 0.0, y, text, size, GREY, ha="left")
