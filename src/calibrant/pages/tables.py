"""Results as HTML tables."""

from collections.abc import Sequence

from calibrant.pages.markup import Markup, element, together

Table = tuple[list[str], list[list[str]]]


def html_table(
    table: Table, caption: str, sortable: bool = False, firsts: Sequence[Markup] = ()
) -> Markup:
    """A table that scrolls sideways by itself on narrow screens; `firsts` replace first cells."""
    header, rows = table
    heads = [element("th", each or "quantity", scope="col") for each in header]
    named = firsts or [element("bdi", row[0]) for row in rows]
    body = [element("tr", *_cells(*each)) for each in zip(named, rows, strict=True)]
    made = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        class_="sortable" if sortable else None,
    )
    return element(
        "div", made, class_="wide", tabindex=0, role="region", aria_label=f"Table: {caption}"
    )


def _cells(first: Markup, row: Sequence[str]) -> list[Markup]:
    others = [element("td", element("bdi", each)) for each in row[1:]]
    return [element("th", first, scope="row"), *others]


def folded(summary: str, *contents: Markup) -> Markup:
    """Contents that open on a click."""
    return element("details", element("summary", summary), *contents)


def paragraphs(*texts: str) -> Markup:
    """One paragraph for each text."""
    return together(*(element("p", text) for text in texts if text))
