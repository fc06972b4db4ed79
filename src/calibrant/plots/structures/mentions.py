"""Draw the mentions of a document, and how likely they are to corefer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibrant.checks.parameters import whole_number
from calibrant.errors import InputError
from calibrant.plots.structures.entities import Shown
from calibrant.plots.structures.lettering import checked_floor, shortened
from calibrant.plots.structures.mention_arcs import draw_arcs
from calibrant.plots.structures.mention_matrix import draw_matrix
from calibrant.structures.coreference.links import Links

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 8  # maximum mentions for arcs; more are drawn as a matrix
MOST = 100  # mentions: the cells of a larger matrix would be too small to see


def plot_mentions(
    links: Links,
    document: int = 0,
    words: object = None,
    floor: float = 0.1,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how probable it is that two mentions belong to one entity.

    Up to eight mentions are drawn in a row, with an arc for every two whose probability is at least
    `floor`; more are drawn as a matrix. Colours and letters show the entities that result if every
    mention takes its most probable choice. `words` are the texts of the mentions, or the
    `Document` that contains them.
    """
    document = whole_number("document", document, 0, len(links) - 1)
    floor = checked_floor(floor)
    count = int(links.lengths[document])
    if not count:
        raise InputError(f"Document {document} has no mentions, so there is nothing to draw.")
    if count > MOST:
        raise InputError(
            f"Documents of at most {MOST} mentions can be drawn, but document {document} has "
            f"{count}: links.pair_probabilities({document}) has the numbers, and links of its "
            "first mentions alone can be made from links.antecedents."
        )
    shown = Shown(
        _texts(words, document, count),
        links.entities[document],
        links.pair_probabilities(document),
        links.new_probabilities(document),
    )
    draw = draw_arcs if count <= FEW else draw_matrix
    return draw(shown, floor, ax)


def _texts(words: object, document: int, count: int) -> list[str]:
    if words is None:
        return [""] * count
    from calibrant.structures.coreference.documents import Document

    if isinstance(words, Document):
        words = [" ".join(words.text(k)) for k in range(len(words.mentions))]
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise InputError(
            "words must be the texts of the mentions, or the Document that has them, not "
            f"{type(words).__name__}."
        )
    if len(words) != count:
        raise InputError(
            f"Document {document} has {count} mentions, but words has {len(words)} texts: pass one "
            "text per mention, or the Document."
        )
    return [shortened(str(each)) for each in words]
