"""Numbers of things in words, singular and plural."""


def counted(count: int, what: str, plural: str | None = None) -> str:
    """A number and the noun that goes with it.

    >>> counted(1, "word"), counted(2, "word"), counted(0, "entity", "entities")
    ('1 word', '2 words', '0 entities')
    """
    return f"{count} {what if count == 1 else plural or what + 's'}"


def listed(parts: dict[str, int]) -> str:
    """Several numbers of things, by the noun of each.

    >>> listed({"sentence": 1, "word": 4})
    '1 sentence, 4 words'
    """
    return ", ".join(counted(count, what) for what, count in parts.items())
