"""Fields that logs of several formats share: the group of a question, and what a prompt asks."""

import re

from calibrant.errors import ParameterError, option

GROUPS = ("category", "subject", "subject_name", "topic", "passage_id", "document")
ASKS = re.compile(r"confiden|probabilit|how (?:sure|certain)", re.IGNORECASE)


def group_of(fields: object, wanted: str | None = None) -> str | None:
    """The document or category of a question: the wanted field, or the first usual one.

    >>> group_of({"id": 3, "subject": "law"}), group_of({"id": 3}, "id"), group_of(None)
    ('law', '3', None)
    """
    if not isinstance(fields, dict):
        return None
    for name in GROUPS if wanted is None else (wanted,):
        value = fields.get(name)
        if type(value) is str or type(value) is int:  # not bool
            return str(value)
    return None


def check_group(wanted: str | None, found: int, file: str) -> None:
    """Refuse a field that no question has: the user would believe that groups are respected."""
    if wanted is not None and not found:
        raise ParameterError(f"{option('group', wanted)}: no question of {file} has this field.")


def is_score(value: object) -> bool:
    """Whether a value says right or wrong."""
    return isinstance(value, int | float) and value in (0, 1)


def asks_for_confidence(prompt: object) -> bool:
    """Whether a prompt asks how sure the model is; otherwise numbers mean something else."""
    return isinstance(prompt, str) and ASKS.search(prompt) is not None
