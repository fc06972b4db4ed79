"""Results as HTML tables."""

from collections.abc import Sequence

from calibrant.pages.markup import Markup, element, together

Table = tuple[list[str], list[list[str]]]


def html_table(table: Table, caption: str, sortable: bool = False, **attributes: str) -> Markup:
    """A table that scrolls sideways by itself on narrow screens."""
    header, rows = table
    heads = [element("th", each, scope="col") for each in header]
    body = [element("tr", *_cells(row)) for row in rows]
    made = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        class_="sortable" if sortable else None,
        **attributes,
    )
    return element("div", made, class_="wide", tabindex=0, role="region", aria_label=caption)


def _cells(row: Sequence[str]) -> list[Markup]:
    first, *others = row
    return [
        element("th", element("bdi", first), scope="row"),
        *(element("td", element("bdi", each)) for each in others),
    ]


def folded(summary: str, *contents: Markup) -> Markup:
    """Contents that open on a click."""
    return element("details", element("summary", summary), *contents)


def paragraphs(*texts: str) -> Markup:
    """One paragraph for each text."""
    return together(*(element("p", text) for text in texts if text))
