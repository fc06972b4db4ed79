"""The distributions of predictions where y = 1 and where y = 0."""

from typing import TYPE_CHECKING

import numpy as np

from calibrant.calibration.analyses.description import Description
from calibrant.plots.style import house_style, look, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_description(found: Description, ax: "Axes | None" = None) -> "Axes":
    """Draw both distributions, on a square-root scale that shows rare predictions."""
    with house_style():
        if ax is None:
            _, (ax,) = new_axes(3.8, 2.7)
        edges = np.linspace(0, 1, found.given_yes.size + 1)
        for index, (shares, name) in enumerate(
            ((found.given_no, "$y = 0$"), (found.given_yes, "$y = 1$"))
        ):
            colour = look(index)[0]
            ax.stairs(shares, edges, color=colour, fill=True, alpha=0.25, lw=0)
            ax.stairs(shares, edges, color=colour, lw=1.1, label=name)
        top = float(max(found.given_yes.max(), found.given_no.max()))
        ax.set_yscale("function", functions=(np.sqrt, np.square))
        ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.05 * top))
        ticks = (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1)
        ax.set_yticks([tick for tick in ticks if tick <= top])
        ax.set_xlabel(
            f"prediction $q$ (AUC {found.auc.text('value')}, "
            f"{100 * found.base_rate.value:.3g} % are $y = 1$)"
        )
        ax.set_ylabel("share of pairs")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
    return ax
