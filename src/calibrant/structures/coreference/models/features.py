"""The features of a mention ranker: kinds of mentions, and surface features of each."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.coreference.documents import Document, Mention

Int = NDArray[np.int64]
PRONOUNS = {
    "i": "i me my mine myself",
    "you": "you your yours yourself yourselves thou thee thy thine ye ya u",
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "we": "we us our ours ourselves",
    "they": "they them their theirs themselves themself 'em",
    "this": "this these",
    "that": "that those",
    "who": "who whom whose which what",
}
KINDS = ("proper", "nominal", *PRONOUNS)
FIRST_PRONOUN = len(KINDS) - len(PRONOUNS)
CANONICAL = {word: KINDS.index(kind) for kind, words in PRONOUNS.items() for word in words.split()}
TEMPLATES = ("kind", "length", "head", "first", "last", "before", "after")
FACTS = ("kind", "string", "head", "sentence", "told", "speaker")
LONGEST = 10  # words: all longer mentions share one feature, as in Durrett and Klein
EDGE = "<edge>"  # the word beyond the ends of a sentence


@dataclass(frozen=True, eq=False)
class EncodedMentions:
    """All mentions of several documents, encoded as numbers."""

    start: Int  # where documents begin
    facts: Int  # kind, string, head, sentence, whether it is not a pronoun, speaker or −1
    features: Int  # by mention and template: feature with the kind of mention; −1 if unknown
    narrow: Int  # the features without the kind


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The numbers of features, and the words frequent enough to be features."""

    words: frozenset[str]
    narrow: dict[str, int]
    wide: dict[str, int]


def kind_of(document: Document, mention: Mention) -> int:
    """The kind of a mention: proper name, nominal, or one of the pronouns."""
    words = document.words[mention.sentence]
    if mention.end - mention.begin == 1:
        pronoun = CANONICAL.get(words[mention.begin].lower())
        if pronoun is not None:
            return pronoun
    if document.tags is not None:
        return 0 if document.tags[mention.sentence][mention.head].startswith("NNP") else 1
    return 0 if words[mention.head][:1].isupper() else 1


def learn_vocabulary(documents: Iterable[Document], common: int) -> Vocabulary:
    """Number all features of these documents."""
    documents = list(documents)
    seen = Counter(
        word.lower() for each in documents for sentence in each.words for word in sentence
    )
    words = frozenset(word for word, count in seen.items() if count >= common)
    narrow: dict[str, int] = {}
    wide: dict[str, int] = {}
    for document in documents:
        for mention in document.mentions:
            kind = kind_of(document, mention)
            for name in features_of(document, mention, kind, words):
                if name is not None:
                    narrow.setdefault(name, len(narrow))
                    wide.setdefault(f"{KINDS[kind]}|{name}", len(wide))
    return Vocabulary(words, narrow, wide)


def features_of(
    document: Document, mention: Mention, kind: int, words: frozenset[str]
) -> list[str | None]:
    """The value of each template; None if it does not apply."""
    sentence = document.words[mention.sentence]
    tags = None if document.tags is None else document.tags[mention.sentence]

    def look(at: int) -> str:
        if not 0 <= at < len(sentence):
            return EDGE
        word = sentence[at].lower()
        return word if word in words else f"<{tags[at] if tags else _shape(sentence[at])}>"

    length = min(mention.end - mention.begin, LONGEST)
    told = kind < FIRST_PRONOUN  # the kind already identifies the words of pronouns
    last = mention.end - 1
    values = (
        "",
        str(length),
        look(mention.head) if told else None,
        look(mention.begin) if told else None,
        look(last) if told and last != mention.head and length > 1 else None,
        look(mention.begin - 1),
        look(mention.end),
    )
    return [
        None if value is None else f"{template}={value}"
        for template, value in zip(TEMPLATES, values, strict=True)
    ]


def _shape(word: str) -> str:
    """The shape of a rare word: capital, digits, or its last two letters."""
    if word[:1].isupper():
        return "Xx"
    if any(letter.isdigit() for letter in word):
        return "0"
    return f"x{word[-2:].lower()}"


def encode_mentions(documents: Iterable[Document], vocabulary: Vocabulary) -> EncodedMentions:
    """Encode the mentions of documents as numbers."""
    lengths, facts, features, narrow = [0], [], [], []
    strings: dict[str, int] = {}
    speakers: dict[str, int] = {}
    for document in documents:
        lengths.append(len(document.mentions))
        for k, mention in enumerate(document.mentions):
            kind = kind_of(document, mention)
            names = features_of(document, mention, kind, vocabulary.words)
            head = document.words[mention.sentence][mention.head].lower()
            text = " ".join(document.text(k)).lower()
            known = [strings.setdefault(each, len(strings)) for each in (text, head)]
            said = document.speakers[mention.sentence] if document.speakers else ""
            voice = speakers.setdefault(said, len(speakers)) if said else -1
            facts.append((kind, *known, mention.sentence, kind < FIRST_PRONOUN, voice))
            narrow.append([-1 if n is None else vocabulary.narrow.get(n, -1) for n in names])
            features.append(
                [-1 if n is None else vocabulary.wide.get(f"{KINDS[kind]}|{n}", -1) for n in names]
            )
    width = len(TEMPLATES)
    return EncodedMentions(
        np.cumsum(lengths),
        np.array(facts, np.int64).reshape(-1, len(FACTS)),
        np.array(features, np.int64).reshape(-1, width),
        np.array(narrow, np.int64).reshape(-1, width),
    )


def gold_numbers(documents: Iterable[Document]) -> Int:
    """The entity of every mention, as a number; a singleton has its own."""
    found = []
    for document in documents:
        for k, entity in enumerate(document.entities):
            found.append(-1 - k if entity is None else entity)
    return np.array(found, np.int64)


def documents_having(encoded: EncodedMentions, column: Int, size: int) -> Int:
    """In how many documents each feature occurs."""
    count = np.zeros(size, np.int64)
    for begin, end in zip(encoded.start[:-1], encoded.start[1:], strict=True):
        met = np.unique(column[begin:end])
        count[met[met >= 0]] += 1
    return count
