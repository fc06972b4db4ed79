"""Build HTML and SVG so that every string is data.

Text and attribute values are escaped here and nowhere else; only what `element` returns is
inserted as it is.
"""

import html
import re

_BIDI = "\u202a-\u202e\u2066-\u2069"  # overrides and isolates, which reorder what follows
_HIDDEN = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]")
VOID = frozenset({"meta", "input", "br", "wbr"})  # elements of HTML without an end
SVG_EMPTY = frozenset({"path", "line", "rect", "circle"})  # elements of SVG without contents
Attribute = str | int | float | bool | None


class Markup(str):
    """Text that is markup already, and is not escaped again."""

    __slots__ = ()


def shown(text: str) -> str:
    r"""Spell characters that cannot be seen, or that would reorder the text around them.

    Tabs and line breaks are kept.

    >>> shown("a\x00b\u202ec\n")
    'a\\x00b\\u202ec\n'
    """
    return _HIDDEN.sub(lambda found: repr(found[0])[1:-1], text.replace("\r\n", "\n"))


def element(name: str, /, *contents: str | None, **attributes: Attribute) -> Markup:
    """An element; contents that are not `Markup` are escaped, and None is left out.

    Attributes are written with hyphens for underscores, and without a trailing underscore. True is
    an attribute without a value; None and False leave it out.

    >>> element("p", "1 < 2", class_="note", data_row=3)
    '<p class="note" data-row="3">1 &lt; 2</p>'
    """
    start = f"<{name}{''.join(_attribute(*each) for each in attributes.items())}"
    if name in VOID:
        return Markup(f"{start}>")
    if name in SVG_EMPTY and not contents:
        return Markup(f"{start}/>")
    return Markup(f"{start}>{together(*contents)}</{name}>")


def together(*contents: str | None) -> Markup:
    """Several contents one after the other."""
    return Markup("".join(_content(each) for each in contents if each is not None))


def _content(content: str) -> str:
    if isinstance(content, Markup):
        return content
    return html.escape(shown(content), quote=False)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {spelled}"
    text = number(value) if isinstance(value, float) else str(value)
    return f' {spelled}="{html.escape(shown(text))}"'


def number(value: float) -> str:
    """A coordinate with at most two decimals.

    >>> number(1.50), number(2.0), number(0.126)
    ('1.5', '2', '0.13')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"
