"""The figures of a page as SVG: attributes and classes only, because the page allows no styles."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrant.bridges.findings import ModelFindings
from calibrant.calibration.analyses.decomposition import Decomposition
from calibrant.calibration.curves import Curve
from calibrant.pages.markup import Markup, element, number
from calibrant.results.tabular import count_text

Float = NDArray[np.float64]
LEFT, TOP, SIDE = 58.0, 10.0, 470.0  # of the square in which curves are drawn
GAP, BARS = 10.0, 64.0  # between the square and the histogram, and the height of that
WIDTH, HEIGHT = LEFT + SIDE + 12, TOP + SIDE + GAP + BARS + 46
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
THINNED = 160  # points of a smooth line: more cannot be told apart
DOT = 4.5  # radius


def _x(q: float) -> float:
    return LEFT + SIDE * q


def _y(p: float) -> float:
    return TOP + SIDE * (1 - p)


def curve_figure(model: ModelFindings, index: int) -> Markup:
    """The curve of one model with its band, its bins as dots, and the distribution of q."""
    drawn = [
        *_axes(),
        *([] if model.smooth is None else _smooth(model.smooth, 0)),
        element("path", class_="overlay", d="", fill="none"),
        element(
            "rect", class_="brush", x=LEFT, y=TOP, width=0, height=SIDE + GAP + BARS, hidden=True
        ),
        *_histogram(model.bins, 0),
        element("rect", class_="field", x=LEFT, y=TOP, width=SIDE, height=SIDE + GAP + BARS),
        *_dots(model.bins, 0),
    ]
    label = (
        f"Calibration curve of {model.name or 'these predictions'}: how often y = 1 for each "
        "prediction. The table below has the same numbers."
    )
    return element(
        "svg",
        *drawn,
        class_="curve",
        viewBox=f"0 0 {number(WIDTH)} {number(HEIGHT)}",
        role="group",
        aria_label=label,
        data_model=index,
        data_left=LEFT,
        data_side=SIDE,
        data_top=TOP,
    )


def overlaid_figure(models: Sequence[ModelFindings]) -> Markup:
    """The curves of several models on the same axes."""
    drawn = [*_axes()]
    for index, model in enumerate(models):
        drawn += _histogram(model.bins, index, outline=True)
        curve = model.bins if model.smooth is None else model.smooth
        drawn += _smooth(curve, index)
    names = ", ".join(model.name for model in models)
    return element(
        "svg",
        *drawn,
        class_="curve",
        viewBox=f"0 0 {number(WIDTH)} {number(HEIGHT)}",
        role="img",
        aria_label=f"Calibration curves of {names} on the same axes.",
    )


def _axes() -> list[Markup]:
    """The frame: ticks, labels, and the diagonal of a calibrated model."""
    bottom, foot = TOP + SIDE, TOP + SIDE + GAP + BARS
    lines = [
        element("rect", class_="frame", x=LEFT, y=TOP, width=SIDE, height=SIDE),
        element("line", class_="ideal", x1=_x(0), y1=_y(0), x2=_x(1), y2=_y(1)),
    ]
    for tick in TICKS:
        lines += [
            element("line", class_="tick", x1=_x(tick), y1=bottom, x2=_x(tick), y2=bottom + 4),
            element("line", class_="tick", x1=LEFT - 4, y1=_y(tick), x2=LEFT, y2=_y(tick)),
            element(
                "text", f"{tick:g}", class_="axis", x=_x(tick), y=foot + 16, text_anchor="middle"
            ),
            element(
                "text", f"{tick:g}", class_="axis", x=LEFT - 8, y=_y(tick) + 4, text_anchor="end"
            ),
        ]
    middle = TOP + SIDE / 2
    return [
        *lines,
        element(
            "text", "prediction q", class_="axis", x=_x(0.5), y=foot + 38, text_anchor="middle"
        ),
        element(
            "text",
            "frequency of y = 1",
            class_="axis",
            x=16.0,
            y=middle,
            text_anchor="middle",
            transform=f"rotate(-90 16 {number(middle)})",
        ),
    ]


def _thinned(curve: Curve) -> NDArray[np.int64]:
    """The points of a curve that are drawn."""
    return np.unique(np.linspace(0, len(curve) - 1, min(len(curve), THINNED)).astype(np.int64))


def line_of(curve: Curve) -> str:
    """The path of a curve."""
    kept = _thinned(curve)
    return path(zip(curve.q[kept], curve.p[kept], strict=True))


def _smooth(curve: Curve, index: int) -> list[Markup]:
    """A line and its band."""
    kept = _thinned(curve)
    q, p, low, high = (each[kept] for each in (curve.q, curve.p, curve.low, curve.high))
    back = [*zip(q[::-1], low[::-1], strict=True)]
    band = path([*zip(q, high, strict=True), *back]) + "Z"
    line = path(zip(q, p, strict=True))
    return [
        element("path", class_=f"band m{index % 7}", d=band),
        element("path", class_=f"line m{index % 7}", d=line, fill="none"),
    ]


def path(points: Iterable[tuple[float, float]]) -> str:
    """The path through points (q, p)."""
    return "M" + "L".join(f"{number(_x(q))} {number(_y(p))}" for q, p in points)


def _dots(bins: Curve, index: int) -> list[Markup]:
    """Each bin as a dot with its interval; it can be reached and opened by keyboard."""
    assert bins.upper is not None
    lower = np.concatenate([[0.0], bins.upper[:-1]])
    return [_dot(bins, k, float(lower[k]), index) for k in range(len(bins))]


def _dot(bins: Curve, k: int, lower: float, index: int) -> Markup:
    assert bins.upper is not None
    q, p, low, high = (float(each[k]) for each in (bins.q, bins.p, bins.low, bins.high))
    label = (
        f"Predictions above {lower:.3g} and up to {bins.upper[k]:.3g}: "
        f"{count_text(float(bins.n[k]))} rows, mean prediction {q:.3f}, frequency {p:.3f}, "
        f"interval {low:.3f} to {high:.3f}. Show examples."
    )
    return element(
        "g",
        element("title", label),
        element("line", class_=f"reach m{index}", x1=_x(q), y1=_y(low), x2=_x(q), y2=_y(high)),
        element("circle", class_=f"point m{index}", cx=_x(q), cy=_y(p), r=DOT),
        class_="dot",
        tabindex=0,
        role="button",
        aria_label=label,
        data_bin=k,
    )


def _histogram(curve: Curve, index: int, outline: bool = False) -> list[Markup]:
    """The distribution of q on a square-root scale, which shows rare predictions."""
    heights = BARS * np.sqrt(curve.distribution / curve.distribution.max())
    edges = np.linspace(0, 1, heights.size + 1)
    floor = TOP + SIDE + GAP + BARS
    if outline:
        steps = [
            f"{number(_x(float(x)))} {number(floor - h)}"
            for k, h in enumerate(heights.tolist())
            for x in (edges[k], edges[k + 1])
        ]
        return [element("path", class_=f"steps m{index % 7}", d="M" + "L".join(steps), fill="none")]
    return [
        element(
            "rect",
            class_=f"bar m{index}",
            x=_x(float(left)),
            y=floor - h,
            width=SIDE / heights.size,
            height=h,
        )
        for left, h in zip(edges[:-1], heights.tolist(), strict=True)
        if h > 0
    ]


class Part(NamedTuple):
    """A part of a bar: what it is called, how long it is, and its class."""

    name: str
    length: float
    kind: str


def loss_figure(decomposition: Decomposition) -> Markup:
    """The mean loss as a bar of calibration and refinement, above UNC − DSC + MCB."""
    loss, unc = decomposition.loss.value, decomposition.uncertainty.value
    off, kept = decomposition.calibration.value, decomposition.refinement.value
    widest = max(loss, unc, 1e-12)
    bars = [
        ("mean loss", [Part("mean loss", loss, "total")]),
        (
            "its parts",
            [
                Part("calibration", max(off, 0.0), "off"),
                Part("refinement", max(kept, 0.0), "kept"),
            ],
        ),
        ("always the base rate", [Part("UNC", unc, "base")]),
    ]
    drawn: list[Markup] = []
    for row, (name, parts) in enumerate(bars):
        drawn += _bar(name, parts, 30.0 * row, widest)
    return element(
        "svg",
        *drawn,
        class_="loss",
        viewBox="0 0 560 92",
        role="img",
        aria_label=(
            f"Of the mean loss {loss:.3f}, {off:.3f} is calibration and {kept:.3f} refinement. "
            f"Always predicting the base rate would lose {unc:.3f}."
        ),
    )


def _bar(name: str, parts: Sequence[Part], top: float, widest: float) -> list[Markup]:
    start, scale = 150.0, 170.0 / widest
    drawn = [element("text", name, class_="axis", x=start - 8, y=top + 16, text_anchor="end")]
    for part in parts:
        width = part.length * scale
        drawn.append(
            element("rect", class_=f"part {part.kind}", x=start, y=top + 2, width=width, height=20)
        )
        start += width
    told = (
        ", ".join(f"{part.name} {part.length:.4f}" for part in parts)
        if len(parts) > 1
        else (f"{parts[0].length:.4f}")
    )
    return [*drawn, element("text", told, class_="axis small", x=start + 6, y=top + 16)]
