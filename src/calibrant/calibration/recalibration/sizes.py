"""Refuse data that are too small to tell what a map gains."""

from calibrant.errors import InputError
from calibrant.pairs import Pairs
from calibrant.results.wording import counted

FEWEST = 4  # groups: with fewer, folds cannot tell what a map gains


def check_units(pairs: Pairs) -> None:
    """Refuse fewer than four groups, or eight rows without groups."""
    if pairs.codes is not None and pairs.groups < FEWEST:
        raise InputError(
            f"{_there(pairs.groups, 'group')}, but at least {FEWEST} are needed to tell what a map "
            "gains on unseen ones."
        )
    if pairs.codes is None and len(pairs) < 2 * FEWEST:
        raise InputError(
            f"{_there(len(pairs), 'row')}, but at least {2 * FEWEST} are needed to learn a map."
        )


def _there(count: int, what: str) -> str:
    return f"There {'is' if count == 1 else 'are'} {counted(count, what)}"
