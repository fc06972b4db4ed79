"""Text in figures of structures: size, shortening, shades and position.

These figures are laid out in inches, so that text of a known size cannot overlap.
"""

import warnings
from typing import TYPE_CHECKING, Any

from calibrant.checks.parameters import real_number
from calibrant.errors import ParameterError
from calibrant.plots.style import GREY, house_style, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 72  # points per inch
LONGEST = 20  # maximum characters of a word or mention, so the figure fits a page
DARKEST = {
    "Blues": 0.88,
    "Greys": 0.76,
}  # of the colour maps: white has a contrast of 8
LIGHT = 0.78  # the probability whose shade has equal contrast with black and white
RGBA = tuple[float, float, float, float]


def width_of(text: str, size: float) -> float:
    """The width of a text in inches, in letters of `size` points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # drawing warns of missing glyphs too
        found = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(found[0]) / POINTS


def shortened(text: str) -> str:
    """Truncate a text that is too long."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def brief(q: float) -> str:
    """A probability in two digits: .87, 1, or <.01."""
    if q < 0.005:
        return "<.01"
    return "1" if q >= 0.995 else f"{q:.2f}"[1:]


def shade(q: float, ramp: str = "Blues", lightest: float = 0.04) -> RGBA:
    """A colour for a probability, from light to dark, readable in greyscale."""
    from matplotlib import colormaps

    red, green, blue, opacity = colormaps[ramp](lightest + (DARKEST[ramp] - lightest) * q)
    return float(red), float(green), float(blue), float(opacity)


def ink(q: float) -> str:
    """The text colour with more contrast on the shade of a probability."""
    return "white" if q > LIGHT else "black"


def checked_floor(floor: float) -> float:
    """Check the smallest probability to draw."""
    floor = real_number("floor", floor)
    if not 0 < floor <= 1:
        raise ParameterError(f"floor must lie in (0, 1], but it is {floor!r}.")
    return float(floor)


def canvas(
    width: float, bottom: float, top: float, ax: "Axes | None" = None
) -> "tuple[Axes, float]":
    """Make axes in inches; also return the factor that shrinks text to fit given axes."""
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
    """Write literal text centred on (x, y); dollar signs do not start formulas."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8} if background else None
    place: dict[str, Any] = {"ha": ha, "va": "center", "zorder": 5, "clip_on": False}
    ax.text(x, y, text, size=size, color=color, parse_math=False, bbox=box, **place)


def caption(ax: "Axes", y: float, text: str, size: float) -> None:
    """Write a left-aligned caption."""
    write(ax, 0.0, y, text, size, GREY, ha="left")
