"""Colours of the page: texts and lines stand out from what is behind them (WCAG 2.2, level AA)."""

import re
from importlib.resources import files

import pytest

STYLE = (files("calibrant.pages") / "page.css").read_text()
MODELS = [f"m{k}" for k in range(7)]
TEXTS = [
    *(("ink", behind) for behind in ("paper", "wash", "mark", "mark2")),
    *(("soft", behind) for behind in ("paper", "wash")),
    *(("accent", behind) for behind in ("paper", "wash")),
    ("wrong", "wash"),
    ("right", "wash"),
]


def colours(scheme):
    """The variables of the style sheet in a colour scheme, or in print."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.S)
    light, dark, print_ = (dict(re.findall(r"--(\w+): (#\w+)", each)) for each in blocks)
    return light | {"light": {}, "dark": dark, "print": print_}[scheme]


def luminance(colour):
    """The relative luminance, by the formula of WCAG."""
    digits = colour.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * each for each in digits)
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """1 for equal colours, 21 for black on white."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_formula():
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # WCAG's own example


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize(("above", "behind"), TEXTS)
def test_texts_can_be_read(scheme, above, behind):
    known = colours(scheme)
    assert contrast(known[above], known[behind]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("model", MODELS)
def test_lines_of_models_can_be_seen(scheme, model):
    known = colours(scheme)
    assert contrast(known[model], known["paper"]) >= 3
