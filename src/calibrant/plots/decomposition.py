"""A decomposition as two bars: calibration + refinement, and MCB − DSC + UNC."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant.calibration.analyses.decomposition import Decomposition
from calibrant.errors import InputError
from calibrant.plots.style import DASHED, GREY, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 0.42  # height of a bar for rows 1 apart, which leaves room for text above it
BY_CURVE, BY_RANK = 1, 0  # the rows, from the top


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a bar: its start, its length and the text above it."""

    row: int
    begin: float
    length: float
    text: str
    colour: str


def plot_decomposition(terms: Decomposition, ax: "Axes | None" = None) -> "Axes":
    """Draw calibration + refinement above MCB − DSC + UNC, on one scale."""
    if not terms.loss.value < float("inf"):
        raise InputError(f"{terms.rule} is infinite here, so its parts cannot be drawn.")
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(5.0, 2.0)
        for part in (*_by_curve(terms), *_by_rank(terms)):
            _draw(ax, part)
        _mark_uncertainty(ax, terms)
        ax.set_yticks([BY_CURVE, BY_RANK], ["by curve", "by rank"])
        ax.set_ylim(-0.8, 1.5)
        ax.set_xlim(0, 1.08 * max(terms.uncertainty.value, terms.loss.value))
        ax.set_xlabel(f"{terms.rule} {terms.loss.text('value')}")
    return ax


def _by_curve(terms: Decomposition) -> list[Part]:
    rest = terms.within.value + terms.residual.value
    refinement = terms.refinement.value + rest
    below, above = look(0)[0], look(1)[0]
    return [
        Part(BY_CURVE, 0.0, refinement, f"refinement {terms.refinement.text('value')}", below),
        Part(
            BY_CURVE,
            refinement,
            terms.calibration.value,
            f"calibration {terms.calibration.text('value')}",
            above,
        ),
    ]


def _by_rank(terms: Decomposition) -> list[Part]:
    left = terms.uncertainty.value - terms.discrimination.value
    below, above = look(0)[0], look(1)[0]
    return [
        Part(BY_RANK, 0.0, left, "UNC − DSC", below),
        Part(
            BY_RANK,
            left,
            terms.miscalibration.value,
            f"MCB {terms.miscalibration.text('value')}",
            above,
        ),
    ]


def _draw(ax: "Axes", part: Part) -> None:
    ax.barh(part.row, part.length, HEIGHT, part.begin, color=part.colour, alpha=0.8, lw=0)
    above = part.begin + part.length / 2, part.row + HEIGHT / 2 + 0.03
    ax.annotate(part.text, above, ha="center", va="bottom", fontsize=7)


def _mark_uncertainty(ax: "Axes", terms: Decomposition) -> None:
    """Draw a line at UNC, and an arrow for DSC, which is subtracted."""
    base, gained = terms.uncertainty.value, terms.discrimination.value
    small: dict[str, Any] = {"ha": "center", "fontsize": 7, "color": GREY}
    arrow = {"arrowstyle": "->", "color": GREY, "lw": 0.9}
    uncertainty = f"UNC {terms.uncertainty.text('value')}"
    discrimination = f"DSC {terms.discrimination.text('value')}"
    ax.axvline(base, color=GREY, ls=DASHED, lw=0.9)
    ax.annotate(uncertainty, (base, 1.5), va="bottom", annotation_clip=False, **small)
    ax.annotate("", (base - gained, -0.42), (base, -0.42), arrowprops=arrow)
    ax.annotate(discrimination, (base - gained / 2, -0.46), va="top", **small)
