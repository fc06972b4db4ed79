"""Choose how many digits to print for values with intervals and for p-values."""

from collections.abc import Iterable
from math import ceil, isfinite, isnan, log10

USUAL = 3  # the default number of decimals
SMALL = 0.01  # values below it show two significant digits
STEPS = 4  # an interval spans at least this many units of the last decimal, so its ends differ
MOST_OF_WIDTH = 6  # maximum decimals for a narrow interval; more would show resampling noise
MOST_OF_SIZE = 12  # maximum decimals for a small value
SMALLEST_P = 1e-9  # report smaller p-values as a bound: no approximation holds so far in the tail
PLAIN_P = 0.01  # p-values from here on have three decimals, smaller ones two significant digits


def decimals_of(values: Iterable[float | None], width: float | None = None) -> int:
    """Choose how many decimals to print for these values and this interval width.

    >>> decimals_of([0.042, 0.031], width=0.02), decimals_of([0.0370], width=0.0005)
    (3, 4)
    """
    return max(_by_size(values), _by_width(width))


def _by_size(values: Iterable[float | None]) -> int:
    """Two significant digits of the largest value, at least three decimals."""
    known = [abs(value) for value in values if value is not None and isfinite(value)]
    largest = max(known, default=0.0)
    if largest >= SMALL or largest < 10.0**-MOST_OF_SIZE:  # smaller prints as 0
        return USUAL
    return min(MOST_OF_SIZE, 1 + ceil(-log10(largest)))


def _by_width(width: float | None) -> int:
    """Enough decimals that the ends of the interval differ by several units of the last one."""
    if width is None or not 10.0**-MOST_OF_WIDTH <= width < 1:  # narrower: cannot be shown
        return USUAL
    return min(MOST_OF_WIDTH, max(USUAL, ceil(log10(STEPS / width))))


def fixed(value: float | None, decimals: int) -> str:
    """A number with so many decimals, without a minus sign before zero; empty for None.

    A value that does not exist (NaN) is a dash.
    """
    if value is None:
        return ""
    if isnan(value):
        return "–"
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def limit_text(value: float, decimals: int) -> str:
    """A limit that excludes 0, so that it is never shown as 0.

    >>> limit_text(0.123, 3), limit_text(-0.0003, 3), limit_text(2e-10, 3)
    ('0.123', '-0.0003', '> 0')
    """
    text = fixed(value, decimals)
    if isnan(value) or float(text) != 0:
        return text
    if abs(value) < 10.0**-MOST_OF_WIDTH:
        return "> 0" if value > 0 else "< 0"
    return fixed(value, ceil(-log10(abs(value))))


def p_cell(p: float, least: float = 0.0) -> str:
    """Format a p-value for a table: never as 0, and as a bound if it is the smallest possible.

    `least` is the smallest p-value that the test can give, 1/(replicates + 1) if it resamples.

    >>> p_cell(0.25), p_cell(0.00031), p_cell(1e-20), p_cell(0.0005, least=0.0005)
    ('0.250', '0.00031', '< 1e-9', '≤ 0.0005')
    """
    if 0 < p <= least:
        return f"≤ {_p_digits(p)}"
    return _p_digits(p) if p >= SMALLEST_P else "< 1e-9"


def p_text(p: float, least: float = 0.0) -> str:
    """Format a p-value for a sentence: `p = 0.250`, `p < 1e-9` or `p ≤ 0.0005`."""
    cell = p_cell(p, least)
    return f"p {cell}" if cell[0] in "<≤" else f"p = {cell}"


def _p_digits(p: float) -> str:
    return f"{p:.3f}" if p >= PLAIN_P else f"{p:.2g}"
