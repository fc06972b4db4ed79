"""How large a summary of pairs may become."""

from calibrant.checks.parameters import power_of_two
from calibrant.errors import option

FINEST = 10  # bits: 1024 cells in an octave, unless more are asked for
MOST_BITS = 20
MOST_ROWS = 1 << 22  # 4 million
MOST_GROUPS = 4096  # with more, groups are folded
SPREAD = 16  # octaves that the predictions of a group are expected to fill, of 256


def finest_bits(groups: int, rows: int = MOST_ROWS) -> int:
    """The bits that keep this many groups below `rows` rows, unless predictions spread widely.

    >>> finest_bits(1), finest_bits(1000), finest_bits(4096)
    (10, 8, 6)
    """
    return min(FINEST, max(0, (rows // (SPREAD * max(groups, 1))).bit_length() - 1))


def check_folds(folds: object) -> int | None:
    """Check a number of folds, a power of two; None stays None."""
    return None if folds is None else power_of_two(option("folds"), folds, MOST_GROUPS)
