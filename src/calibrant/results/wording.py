"""Format counts with singular or plural nouns, and lists of names."""

from collections.abc import Sequence

from calibrant.results.tabular import count_text


def counted(count: float, what: str, plural: str | None = None) -> str:
    """Format a number with its noun in the singular or plural.

    >>> counted(1, "word"), counted(2, "word"), counted(0, "entity", "entities")
    ('1 word', '2 words', '0 entities')
    """
    number = count_text(count)
    return f"{number} {what if number == '1' else plural or what + 's'}"


def each_of(count: int, what: str) -> str:
    """Speak of each of several things, or of the only one.

    >>> each_of(2, "sentence"), each_of(1, "sentence")
    ('each of the 2 sentences', 'the only sentence')
    """
    return f"the only {what}" if count == 1 else f"each of the {counted(count, what)}"


def listed(parts: dict[str, int]) -> str:
    """Format several counts, each with its noun.

    >>> listed({"sentence": 1, "word": 4})
    '1 sentence, 4 words'
    """
    return ", ".join(counted(count, what) for what, count in parts.items())


def joined(names: Sequence[str]) -> str:
    """Join names with commas and "and".

    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
