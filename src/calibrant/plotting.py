"""`plot`: the one verb that draws, whatever it is given."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calibrant.calibration.analyses.classes import ClassScores
from calibrant.calibration.analyses.decomposed import Decomposition
from calibrant.calibration.analyses.described import Description
from calibrant.calibration.curves import CrossValidation, Curve
from calibrant.calibration.numbers import Coverage, Histogram, QuantileCurve
from calibrant.checks.parameters import whole_number
from calibrant.errors import ParameterError
from calibrant.pairs import Pairs
from calibrant.plots import (
    Sweep,
    plot_bandwidths,
    plot_classes,
    plot_coverage,
    plot_curves,
    plot_decomposition,
    plot_description,
    plot_histogram,
    plot_mentions,
    plot_panels,
    plot_parse,
    plot_quantiles,
    plot_sweep,
)
from calibrant.structures.coreference.links import Links
from calibrant.structures.trees.tree import Tree
from calibrant.verbs import curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    what: Curve
    | Pairs
    | Sweep
    | Decomposition
    | Description
    | CrossValidation
    | Histogram
    | QuantileCurve
    | Coverage
    | ClassScores
    | Tree
    | Links
    | Mapping[str, Curve | Pairs]
    | Mapping[str, Sweep],
    *,
    ax: "Axes | None" = None,
    panels: bool = False,
    count: int | None = None,
    xlabel: str = "",
    log: bool = False,
    sentence: int | None = None,
    document: int | None = None,
    words: object = None,
    floor: float | None = None,
) -> "Axes | list[Axes]":
    """Draw a calibration curve, several over each other or side by side, or other results.

    Parameters
    ----------
    what
        A curve; pairs (their default curve); or a mapping from names to either. A `Sweep`, or a
        mapping from names to sweeps, draws scores against bin size or sample size; a
        `Decomposition` draws what a loss is made of, a `Description` the distributions of q given
        y, a `CrossValidation` the loss of each bandwidth; `ClassScores` draw the curves of the
        worst classes, one panel each; a `Histogram`, `QuantileCurve` or `Coverage` what a `PIT` or
        `Ranks` show. A `Tree` draws the best parse of one sentence with the probability of every
        constituent, and `Links` the mentions of one document with the probabilities that two are
        of one entity.
    ax
        Axes to draw on; new ones are made where none are given.
    panels
        Put each curve in a panel of its own; the result is then the list of their axes.
    count
        For class scores: how many classes are drawn, 12 unless given.
    xlabel, log
        For sweeps: the name of the axis, and whether it is logarithmic.
    sentence
        For a tree: which sentence, counted from 0; the first unless given.
    document, words
        For links: which document, the first unless given, and the texts of its mentions, as a list
        or as the `Document` that has them.
    floor
        For a tree or links: the least probability of constituents outside of the best parse, and
        of pairs of mentions, that are drawn, 0.1 unless given.

    Examples
    --------
    >>> import calibrant as cb
    >>> axes = cb.plot(cb.curve(cb.synthetic.calibrated(5000)))
    >>> axes.get_xlabel()
    'prediction $q$'
    >>> links = cb.Links.from_probabilities([[[1, 0, 0], [0.6, 0.4, 0], [0.1, 0.7, 0.2]]])
    >>> axes = cb.plot(links, words=["Ada", "the countess", "she"])
    """
    asked = {"sentence": sentence, "document": document, "words": words, "floor": floor}
    if isinstance(what, Tree | Links):
        if panels or count is not None or xlabel or log:
            raise ParameterError("panels, count, xlabel and log are not for a Tree or Links.")
        return _plot_structure(what, asked, ax)
    _refuse(asked, tuple(asked), "a Tree or Links")
    if isinstance(what, ClassScores):
        if ax is not None or xlabel or log:
            raise ParameterError("Classes are drawn in panels of their own: leave ax out.")
        return _plot_classes(what, 12 if count is None else count)
    if count is not None:
        raise ParameterError("count is for class scores: leave it out.")
    draw = DRAWN_ALONE.get(type(what))
    if draw is not None:
        if panels or xlabel or log:
            raise ParameterError(f"panels, xlabel and log are not for a {type(what).__name__}.")
        drawn: Axes = draw(what, ax)
        return drawn
    named = what if isinstance(what, Mapping) else {"": what}
    sweeps = {str(name): each for name, each in named.items() if isinstance(each, Sweep)}
    if sweeps:
        if panels:
            raise ParameterError("Sweeps are drawn on one axis: leave panels out.")
        if len(sweeps) < len(named):
            raise ParameterError("Sweeps and curves cannot share axes: plot them apart.")
        return plot_sweep(sweeps, xlabel, ax=ax, log=log)
    if xlabel or log:
        raise ParameterError("xlabel and log are for sweeps; change a curve's axes themselves.")
    curves = {str(name): _curve(each) for name, each in named.items()}
    if not panels:
        return plot_curves(curves, ax)
    if ax is not None:
        raise ParameterError("Panels make their own axes: leave ax out.")
    return plot_panels(curves)


DRAWN_ALONE: dict[type, Any] = {
    Decomposition: plot_decomposition,
    Description: plot_description,
    CrossValidation: plot_bandwidths,
    Histogram: plot_histogram,
    QuantileCurve: plot_quantiles,
    Coverage: plot_coverage,
}


def _plot_structure(what: Tree | Links, asked: dict[str, Any], ax: "Axes | None") -> "Axes":
    """A parse, or the mentions of a document, with those options that were given."""
    given = {name: value for name, value in asked.items() if value is not None}
    if isinstance(what, Tree):
        _refuse(asked, ("document", "words"), "Links")
        return plot_parse(what, ax=ax, **given)
    _refuse(asked, ("sentence",), "a Tree")
    return plot_mentions(what, ax=ax, **given)


def _refuse(asked: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if asked[name] is not None:
            raise ParameterError(f"{name} is for {what}: leave it out.")


def _plot_classes(found: ClassScores, count: int) -> "list[Axes]":
    worst = list(found.scores)[: whole_number("count", count, 1)]
    return plot_classes(found, {label: curve(found.pairs[label], found.curve) for label in worst})


def _curve(given: object) -> Curve:
    if isinstance(given, Pairs):
        return curve(given)
    if not isinstance(given, Curve):
        raise ParameterError(f"A curve or pairs were expected, not {type(given).__name__}.")
    return given
