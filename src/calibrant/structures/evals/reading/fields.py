"""Fields that logs of several formats share: the group of a question, and what a prompt asks."""

import re

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
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return None


def asks_for_confidence(prompt: object) -> bool:
    """Whether a prompt asks how sure the model is; otherwise numbers mean something else."""
    return isinstance(prompt, str) and ASKS.search(prompt) is not None
