"""A decomposition as two bars: what a loss is made of, and what recalibration would change."""

from typing import TYPE_CHECKING

from calibrant.calibration.analyses.decomposed import Decomposition
from calibrant.errors import InputError
from calibrant.plots.style import GREY, house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 0.42


def plot_decomposition(terms: Decomposition, ax: "Axes | None" = None) -> "Axes":
    """Draw calibration + refinement above MCB − DSC + UNC, on one scale."""
    if not terms.loss.value < float("inf"):
        raise InputError(f"{terms.rule} is infinite here, so its parts cannot be drawn.")
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(5.0, 2.0)
        rest = terms.within.value + terms.residual.value
        refinement = terms.refinement.value + rest
        _bar(ax, 1, 0.0, refinement, "refinement", look(0)[0], terms.refinement.text("value"))
        _bar(
            ax, 1, refinement, terms.calibration.value, "calibration", look(1)[0],
            terms.calibration.text("value"),
        )  # fmt: skip
        base, gained = terms.uncertainty.value, terms.discrimination.value
        _bar(ax, 0, 0.0, base - gained, "UNC − DSC", look(0)[0], "")
        _bar(
            ax, 0, base - gained, terms.miscalibration.value, "MCB", look(1)[0],
            terms.miscalibration.text("value"),
        )  # fmt: skip
        ax.axvline(base, color=GREY, ls=(0, (4, 3)), lw=0.9)
        ax.annotate(
            f"UNC {terms.uncertainty.text('value')}", (base, 1.5), ha="center", va="bottom",
            fontsize=7, color=GREY, annotation_clip=False,
        )  # fmt: skip
        ax.annotate(
            "", (base - gained, -0.42), (base, -0.42),
            arrowprops={"arrowstyle": "->", "color": GREY, "lw": 0.9},
        )  # fmt: skip
        ax.annotate(
            f"DSC {terms.discrimination.text('value')}", (base - gained / 2, -0.46),
            ha="center", va="top", fontsize=7, color=GREY,
        )  # fmt: skip
        ax.set_yticks([1, 0], ["by curve", "by rank"])
        ax.set_ylim(-0.8, 1.5)
        ax.set_xlim(0, 1.08 * max(base, terms.loss.value))
        ax.set_xlabel(f"{terms.rule} {terms.loss.text('value')}")
    return ax


def _bar(ax: "Axes", y: int, left: float, width: float, name: str, colour: str, value: str) -> None:
    ax.barh(y, width, HEIGHT, left, color=colour, alpha=0.8, lw=0)
    text = f"{name} {value}".strip()
    ax.annotate(
        text, (left + width / 2, y + HEIGHT / 2 + 0.03), ha="center", va="bottom", fontsize=7
    )
