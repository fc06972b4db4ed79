from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrant.pages.markup import Markup, element, shown, together


class Text(HTMLParser):
    """What a browser would show, and which elements it would make."""

    def __init__(self):
        super().__init__()
        self.text, self.tags, self.values = "", [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.values += [value for _, value in attrs]

    def handle_data(self, data):
        self.text += data


@given(st.text(), st.text())
def test_any_text_stays_text(content, value):
    parser = Text()
    parser.feed(element("p", content, title=value))
    parser.close()
    assert parser.tags == ["p"]
    assert parser.text == shown(content)
    assert parser.values == [shown(value)]


def test_only_markup_is_inserted_as_it_is():
    inner = element("b", "<")
    assert element("p", inner, "<") == "<p><b>&lt;</b>&lt;</p>"
    assert isinstance(together(inner, "x"), Markup)


@pytest.mark.parametrize("value", [None, False])
def test_attributes_that_are_left_out(value):
    assert element("p", hidden=value) == "<p></p>"


def test_attributes():
    assert element("input", type_="number", hidden=True) == '<input type="number" hidden>'
    assert element("circle", cx=1.0, cy=2.345) == '<circle cx="1" cy="2.35"/>'
    assert element("meta", name="x") == '<meta name="x">'


def test_lone_surrogates_can_be_encoded():
    assert element("p", "\ud800").encode() == b"<p>\\ud800</p>"
