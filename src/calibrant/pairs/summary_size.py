"""How large a summary of pairs may become."""

from calibrant.checks.parameters import power_of_two
from calibrant.errors import option

FINEST = 10  # bits: 1024 cells in an octave, unless more are asked for
MOST_BITS = 20
MOST_ROWS = 1 << 21  # 2 million
MOST_GROUPS = 1024  # with more, groups are folded into this many sets
MOST_FOLDS = 4096
MOST_SUMMED = 1 << 36  # weight that whole numbers of 64 bits can sum, times parts of mantissas
SPREAD = 32  # octaves that the predictions of a group may fill, of 256, before cells are merged


def finest_bits(groups: int, rows: int = MOST_ROWS) -> int:
    """The bits that keep this many groups below `rows` rows, unless predictions spread widely.

    >>> finest_bits(1), finest_bits(100), finest_bits(1024)
    (10, 9, 6)
    """
    return min(FINEST, max(0, (rows // (SPREAD * max(groups, 1))).bit_length() - 1))


def check_folds(folds: object) -> int | None:
    """Check a number of folds, a power of two; None stays None."""
    return None if folds is None else power_of_two(option("folds"), folds, MOST_FOLDS)
