"""Estimate the probability of words given tags: frequent, rare and unseen words."""

from collections import Counter

from calibrant.structures.unknown import OTHER, RULES, Entry, WordClass

FAMILIAR = 10  # words seen this often have only the tags they were seen with


def learn_entries(
    words: Counter[tuple[str, str, str]], rule: str, rare: int
) -> tuple[Counter[tuple[str, str, Entry]], Counter[Entry]]:
    """Rare words replaced by their classes, among counts of (tag, parent, word); and how many."""
    often = Counter[str]()
    for (_, _, word), many in words.items():
        often[word] += many
    found = Counter[tuple[str, str, Entry]]()
    for (tag, parent, word), many in words.items():
        entry: Entry = word if often[word] > rare else RULES[rule](word)
        found[tag, parent, entry] += many
    sizes = Counter[Entry]()
    for (_, _, entry), many in found.items():
        sizes[entry] += many
    return found, sizes


def word_shares(
    words: Counter[tuple[str, str, str]], rule: str, rare: int, pseudocount: float
) -> dict[str, dict[Entry, float]]:
    """P(entry | tag) for every tag.

    A word seen fewer than ten times also gets `pseudocount` observations, spread over the tags of
    its class. A class gets as many over the tags of all rare words. So small counts are smoothed.
    """
    entries, sizes = learn_entries(words, rule, rare)
    by_entry: dict[Entry, Counter[str]] = {}
    for (tag, _, entry), many in entries.items():
        by_entry.setdefault(entry, Counter())[tag] += many
    kinds, rest = _seldom(words, rule)
    counts: dict[str, dict[Entry, float]] = {}
    for entry, seen in by_entry.items():
        if isinstance(entry, WordClass):
            prior = rest
        elif sizes[entry] >= FAMILIAR:
            prior = Counter()
        else:
            prior = kinds.get(RULES[rule](entry), rest)
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
) -> tuple[dict[WordClass, Counter[str]], Counter[str]]:
    """Count the tags of infrequent words, by class and in total."""
    often, rest = Counter[str](), Counter[str]()
    kinds: dict[WordClass, Counter[str]] = {}
    for (_, _, word), many in words.items():
        often[word] += many
    for (tag, _, word), many in words.items():
        if often[word] < FAMILIAR:
            kinds.setdefault(RULES[rule](word), Counter())[tag] += many
            rest[tag] += many
    if not rest:
        rest.update(tag for tag, _, _ in words)
    return kinds, rest
