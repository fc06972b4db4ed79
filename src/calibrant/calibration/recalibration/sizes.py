"""Refuse data that are too small to tell what a map gains."""

from calibrant.errors import InputError
from calibrant.pairs import Pairs

FEWEST = 4  # groups: with fewer, folds cannot tell what a map gains


def check_units(pairs: Pairs) -> None:
    """Refuse fewer than four groups, or eight rows without groups."""
    if pairs.codes is not None and pairs.groups < FEWEST:
        raise InputError(
            f"There are {pairs.groups} groups, but at least {FEWEST} are needed to tell what a map "
            "gains on unseen ones."
        )
    if pairs.codes is None and len(pairs) < 2 * FEWEST:
        raise InputError(f"There are {len(pairs)} rows, but at least {2 * FEWEST} are needed.")
