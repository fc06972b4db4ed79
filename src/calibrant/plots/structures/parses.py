"""Draw the best parse of a sentence, with the probability of each constituent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.plots.structures.lettering import (
    brief,
    canvas,
    caption,
    checked_floor,
    ink,
    shade,
    shortened,
    width_of,
    write,
)
from calibrant.structures.spans import Span
from calibrant.structures.trees.parse import ROOTS, Parse
from calibrant.structures.trees.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Float = NDArray[np.float64]
LONGEST = 40  # words: longer sentences do not fit a page in legible letters
WORD, TAG, LABEL, NUMBER = 9.0, 6.0, 8.0, 6.5  # points
GAP, LEVEL, ROW = 0.12, 0.45, 0.29  # inches
TAGS, LOWEST = 0.19, 0.51  # inches from words to tags and to the lowest constituents
DARK, DIM = "#333333", "#555555"  # colours of lines, and of tags, which matter less than words


@dataclass(slots=True)
class Node:
    """A node of the drawing: its position, and its level above the words."""

    label: str
    q: float | None  # None for tags and roots, which are not constituents
    x: float
    level: int
    children: list["Node"]


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracket below the words: the ends of its line, its label, and its full extent."""

    left: float
    right: float
    reach: tuple[float, float]
    x: float  # of the label
    text: str
    q: float
    row: int


def plot_parse(
    tree: Tree, sentence: int = 0, floor: float = 0.1, ax: "Axes | None" = None
) -> "Axes":
    """Draw the most probable parse of a sentence, and other likely constituents.

    Below the label of each constituent is its probability: the sum over all parses that contain it.
    The shade of the box and the width of the line above show it too. Brackets below the words are
    constituents with a probability of at least `floor` that are not in the best parse.
    """
    sentence = whole_number("sentence", sentence, 0, len(tree) - 1)
    floor = checked_floor(floor)
    words = tree.sentences[sentence]
    if len(words) > LONGEST:
        raise InputError(
            f"Parses of at most {LONGEST} words can be drawn, but sentence {sentence} has "
            f"{len(words)}: print(tree.mode[{sentence}]) shows the best one in brackets, and "
            "HasConstituent().where(tree) has the probabilities."
        )
    one = tree.take([sentence])  # avoids parsing the other sentences
    parse = one.mode[0]
    edges = _columns(parse)
    top = _placed(parse, 0, edges, one)
    said = f"not in the best parse, but at least {floor:g}"
    others = _others(one, parse, floor)
    width = max(float(edges[-1]), width_of(said, NUMBER) if others else 0.0)
    brackets = _stacked(others, edges, width)
    bottom = -0.30 - ROW * (1 + max(each.row for each in brackets)) if brackets else -0.16
    ax, scale = canvas(width, bottom, _height(top.level) + 0.2, ax)
    _words(ax, parse, edges, scale)
    _branches(ax, top, scale)
    for each in brackets:
        _bracket(ax, each, scale)
    if brackets:
        caption(ax, bottom + 0.07, said, NUMBER * scale)
    return ax


def _columns(parse: Parse) -> Float:
    """The left edge of the column of each word, and the right edge of the last column.

    A column is at least as wide as the label of any node that begins or ends in it. A node is
    centred between its first and last column, so labels of one level never overlap.
    """
    wide = np.array([_width_of_leaf(leaf) for leaf in parse.leaves])
    for node, begin in parse.nodes():
        if node.word is None:
            label = max(width_of(node.label, LABEL), width_of("<.01", NUMBER)) + 0.09
            for at in (begin, begin + node.size - 1):
                wide[at] = max(wide[at], label)
    return np.concatenate([[0.0], np.cumsum(wide + GAP)])


def _width_of_leaf(leaf: Parse) -> float:
    return max(width_of(shortened(str(leaf.word)), WORD), width_of(leaf.label, TAG))


def _placed(parse: Parse, begin: int, edges: Float, tree: Tree) -> Node:
    if parse.word is not None:
        return Node(parse.label, None, float(edges[begin : begin + 2].mean()), 0, [])
    q = None
    if parse.label not in ROOTS:
        q = tree.constituent(0, begin, begin + parse.size, parse.label)
    children = []
    for child in parse.children:
        children.append(_placed(child, begin, edges, tree))
        begin += child.size
    x = (children[0].x + children[-1].x) / 2
    return Node(parse.label, q, x, 1 + max(each.level for each in children), children)


def _others(tree: Tree, parse: Parse, floor: float) -> list[tuple[Span, float]]:
    """Constituents that reach the floor but are not in the parse, shortest first."""
    marginals, mine = tree.span_marginals[0], set(parse.spans)
    found = [
        (Span(int(marginals.begin[at]), int(marginals.end[at]), tree.labels[column]), float(q))
        for (at, column), q in np.ndenumerate(marginals.q)
        if q >= floor
    ]
    others = [each for each in found if each[0] not in mine]
    return sorted(others, key=lambda each: (each[0].end - each[0].begin, each[0]))


def _stacked(others: list[tuple[Span, float]], edges: Float, width: float) -> list[Bracket]:
    """Place each bracket in the first row where it does not overlap another."""
    found: list[Bracket] = []
    for span, q in others:
        text = f"{span.type} {brief(q)}"
        left, right = float(edges[span.begin]), float(edges[span.end])
        half = width_of(text, NUMBER) / 2 + 0.03
        x = min(max((left + right) / 2, half), max(width - half, half))
        reach = min(left, x - half), max(right, x + half)
        met = {each.row for each in found if reach[0] < each.reach[1] and each.reach[0] < reach[1]}
        row = next(row for row in range(len(met) + 1) if row not in met)
        found.append(Bracket(left, right, reach, x, text, q, row))
    return found


def _height(level: int) -> float:
    return LOWEST + LEVEL * (level - 1) if level else TAGS


def _words(ax: "Axes", parse: Parse, edges: Float, scale: float) -> None:
    for leaf, x in zip(parse.leaves, (edges[:-1] + edges[1:]) / 2, strict=True):
        write(ax, x, 0.0, shortened(str(leaf.word)), WORD * scale)
        write(ax, x, TAGS, leaf.label, TAG * scale, DIM)


def _branches(ax: "Axes", node: Node, scale: float) -> None:
    """Draw a node and its children, with right angles, so that no line crosses a node."""
    if not node.children:
        return
    y = _height(node.level)
    bar = y - (0.19 if node.level == 1 else 0.24)
    lines: dict[str, Any] = {"color": DARK, "solid_capstyle": "projecting", "zorder": 1}
    ax.plot([node.x, node.x], [y, bar], lw=0.7 * scale, **lines)
    ax.plot([node.children[0].x, node.children[-1].x], [bar, bar], lw=0.7 * scale, **lines)
    for child in node.children:
        lower = _height(child.level) + (0.06 if not child.children else 0.0)
        strength = 0.7 if child.q is None else 0.4 + 1.5 * child.q
        ax.plot([child.x, child.x], [bar, lower], lw=strength * scale, **lines)
        _branches(ax, child, scale)
    if node.q is None:
        write(ax, node.x, y, node.label, LABEL * scale, background=True)
        return
    _box(ax, node, y)
    write(ax, node.x, y + 0.055, node.label, LABEL * scale, ink(node.q))
    write(ax, node.x, y - 0.065, brief(node.q), NUMBER * scale, ink(node.q))


def _box(ax: "Axes", node: Node, y: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    wide = max(width_of(node.label, LABEL), width_of("<.01", NUMBER)) + 0.04
    corner = node.x - wide / 2, y - 0.12
    look: dict[str, Any] = {"facecolor": shade(node.q or 0.0), "edgecolor": DARK, "lw": 0.5}
    box = FancyBboxPatch(corner, wide, 0.24, "round,pad=0.02", zorder=3, clip_on=False, **look)
    ax.add_patch(box)


def _bracket(ax: "Axes", bracket: Bracket, scale: float) -> None:
    left, right = bracket.left + GAP / 3, bracket.right - GAP / 3
    y = -0.22 - ROW * bracket.row
    x, height = [left, left, right, right], [y + 0.05, y, y, y + 0.05]
    colour, width = shade(bracket.q, lightest=0.35), (0.6 + 2.0 * bracket.q) * scale
    line: dict[str, Any] = {"solid_joinstyle": "miter", "clip_on": False, "zorder": 2}
    ax.plot(x, height, color=colour, lw=width, **line)
    write(ax, bracket.x, y - 0.1, bracket.text, NUMBER * scale)
