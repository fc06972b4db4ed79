"""How probable words are, given their tags: seen often, seldom or never."""

from collections import Counter
from collections.abc import Mapping

from calibrant.structures.unknown import RULES

OTHER = "<other>"
FAMILIAR = 10  # words seen so often have the tags they were seen with, and no others


def look_up(word: str, known: Mapping[str, object], rule: str) -> str:
    """The word, else its class, else the class of all others."""
    if word in known:
        return word
    kind = RULES[rule](word)
    return kind if kind in known else OTHER


def learn_entries(
    words: Counter[tuple[str, str, str]], rule: str, rare: int
) -> tuple[Counter[tuple[str, str, str]], Counter[str]]:
    """Rare words replaced by their classes, among counts of (tag, parent, word); and how many."""
    often = Counter[str]()
    for (_, _, word), many in words.items():
        often[word] += many
    found = Counter[tuple[str, str, str]]()
    for (tag, parent, word), many in words.items():
        entry = word if often[word] > rare else RULES[rule](word)
        found[tag, parent, entry] += many
    sizes = Counter[str]()
    for (_, _, entry), many in found.items():
        sizes[entry] += many
    return found, sizes


def word_shares(
    words: Counter[tuple[str, str, str]], rule: str, rare: int, pseudocount: float
) -> dict[str, dict[str, float]]:
    """P(entry | tag) for every tag.

    A word seen less than ten times also gets `pseudocount` among the tags of its class, and a
    class among those of all rare words, so that few words settle nothing.
    """
    entries, sizes = learn_entries(words, rule, rare)
    by_entry: dict[str, Counter[str]] = {}
    for (tag, _, entry), many in entries.items():
        by_entry.setdefault(entry, Counter())[tag] += many
    kinds, rest = _seldom(words, rule)
    made = set(by_entry) - {word for _, _, word in words}
    counts: dict[str, dict[str, float]] = {}
    for entry, seen in by_entry.items():
        prior = rest if entry in made else kinds.get(RULES[rule](entry), rest)
        if entry not in made and sizes[entry] >= FAMILIAR:
            prior = Counter()
        for tag in {**seen, **prior}:
            share = pseudocount * prior[tag] / max(prior.total(), 1)
            counts.setdefault(tag, {})[entry] = seen[tag] + share
    for tag, many in rest.items():
        counts.setdefault(tag, {})[OTHER] = pseudocount * many / rest.total()
    sums = {tag: sum(each.values()) for tag, each in counts.items()}
    return {
        tag: {entry: many / sums[tag] for entry, many in each.items()}
        for tag, each in counts.items()
    }


def _seldom(
    words: Counter[tuple[str, str, str]], rule: str
) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """The tags of words that are not familiar, by class and of all of them."""
    often, rest = Counter[str](), Counter[str]()
    kinds: dict[str, Counter[str]] = {}
    for (_, _, word), many in words.items():
        often[word] += many
    for (tag, _, word), many in words.items():
        if often[word] < FAMILIAR:
            kinds.setdefault(RULES[rule](word), Counter())[tag] += many
            rest[tag] += many
    if not rest:
        rest.update(tag for tag, _, _ in words)
    return kinds, rest
