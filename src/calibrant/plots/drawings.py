"""The table of drawings: the function and the options for each type of result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from calibrant.bridges.overview import Overview
from calibrant.calibration.analyses.decomposition import Decomposition
from calibrant.calibration.analyses.description import Description
from calibrant.calibration.counting.counts import Counts
from calibrant.calibration.curves import CrossValidation, Curve
from calibrant.calibration.numbers import Coverage, Histogram, QuantileCurve
from calibrant.calibration.recalibration import Recalibrator
from calibrant.errors import InputError, ParameterError, UnknownName
from calibrant.plots.bandwidths import plot_bandwidths
from calibrant.plots.calibration import plot_curves, plot_panels
from calibrant.plots.classes import ClassCurves, plot_classes
from calibrant.plots.continuous import plot_coverage, plot_histogram, plot_quantiles
from calibrant.plots.counting import plot_counts
from calibrant.plots.decomposition import plot_decomposition
from calibrant.plots.description import plot_description
from calibrant.plots.overviews import plot_overviews
from calibrant.plots.recalibration import plot_recalibrator
from calibrant.plots.structures.mentions import plot_mentions
from calibrant.plots.structures.parses import plot_parse
from calibrant.plots.sweeps import Sweep, plot_sweep
from calibrant.results.wording import joined
from calibrant.structures.coreference.links import Links
from calibrant.structures.trees.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Options(TypedDict, total=False):
    """Options of figures; DRAWINGS says which results accept which options."""

    ax: "Axes | None"
    panels: bool
    by: object
    count: int | None
    xlabel: str
    log: bool
    sentence: int | None
    document: int | None
    words: object
    floor: float | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """How results of one type are drawn."""

    name: str  # plural noun for such results
    draw: "Callable[..., Axes | list[Axes]]"
    options: tuple[str, ...] = ("ax",)
    together: bool = False  # whether several of them can share one figure


def _draw_curves(
    curves: Mapping[str, Curve], ax: "Axes | None" = None, panels: bool = False
) -> "Axes | list[Axes]":
    if not panels:
        return plot_curves(curves, ax)
    if ax is not None:
        raise ParameterError("Panels are drawn in a new figure: leave ax out.")
    return plot_panels(curves)


def _draw_classes(classes: ClassCurves, panels: bool = True, **options: int) -> "list[Axes]":
    """Classes are always drawn in panels."""
    return plot_classes(classes, **options)


DRAWINGS: Mapping[type, Drawing] = {
    Curve: Drawing("curves", _draw_curves, ("ax", "panels"), together=True),
    Overview: Drawing("pairs", plot_overviews, ("ax", "panels"), together=True),
    Sweep: Drawing("sweeps", plot_sweep, ("ax", "xlabel", "log"), together=True),
    ClassCurves: Drawing("class scores", _draw_classes, ("panels", "count")),
    Decomposition: Drawing("decompositions", plot_decomposition),
    Description: Drawing("descriptions", plot_description),
    Counts: Drawing("counts", plot_counts),
    CrossValidation: Drawing("cross-validations", plot_bandwidths),
    Recalibrator: Drawing("recalibrators", plot_recalibrator, ()),
    Histogram: Drawing("histograms", plot_histogram),
    QuantileCurve: Drawing("quantile curves", plot_quantiles),
    Coverage: Drawing("coverages", plot_coverage),
    Tree: Drawing("trees", plot_parse, ("ax", "sentence", "floor")),
    Links: Drawing("links", plot_mentions, ("ax", "document", "words", "floor")),
}


def draw(what: object, options: Options) -> "Axes | list[Axes]":
    """Draw a result, or a mapping from names to results, with these options."""
    named = {str(name): each for name, each in what.items()} if isinstance(what, Mapping) else None
    drawing = _drawing([what] if named is None else list(named.values()))
    given = {name: value for name, value in options.items() if not _left_out(value)}
    for name in given:
        _check_option(name, drawing)
    if drawing.together:
        return drawing.draw({"": what} if named is None else named, **given)
    if named is not None:
        raise ParameterError(f"Several {drawing.name} cannot share axes: plot them one by one.")
    return drawing.draw(what, **given)


def _drawing(results: list[Any]) -> Drawing:
    """Look up the drawing for results, which must all have the same type."""
    if not results:
        raise InputError("There must be at least one result to plot.")
    found = list(dict.fromkeys(map(_drawing_of, results)))
    if len(found) > 1:
        raise ParameterError(
            f"{found[0].name.capitalize()} and {found[1].name} cannot share axes: plot them apart."
        )
    return found[0]


def _drawing_of(result: object) -> Drawing:
    for type_, drawing in DRAWINGS.items():
        if isinstance(result, type_):
            return drawing
    known = ", ".join(drawing.name for drawing in DRAWINGS.values())
    raise ParameterError(
        f"There is no figure of {type(result).__name__}. Pass pairs, or one of: {known}."
    )


def _left_out(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str) and not value)


def _check_option(name: str, drawing: Drawing) -> None:
    """Refuse an option that does not apply to the result."""
    if name in drawing.options:
        return
    if name not in Options.__annotations__:
        raise UnknownName("option of plot", name, Options.__annotations__)
    if name == "ax":
        raise ParameterError(
            f"{drawing.name.capitalize()} are drawn in a new figure: leave ax out."
        )
    fitting = [each.name for each in DRAWINGS.values() if name in each.options]
    raise ParameterError(f"{name} is for {joined(fitting)}, not for {drawing.name}: leave it out.")
