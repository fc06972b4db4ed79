"""`Documents`: texts with the mentions of entities in them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import NamedTuple

from calibrant.errors import InputError, UnknownName
from calibrant.results.wording import counted, listed

Sentences = tuple[tuple[str, ...], ...]


class Mention(NamedTuple):
    """Words `begin` to `end` (excluded) of a sentence, counted from 0, and their head."""

    sentence: int
    begin: int
    end: int
    head: int

    @property
    def span(self) -> "MentionSpan":
        """The words of the mention, without its head."""
        return MentionSpan(self.sentence, self.begin, self.end)

    @property
    def order(self) -> tuple[int, int, int]:
        """The sort key of mentions: by first word, longer mentions first."""
        return self.sentence, self.begin, -self.end


class MentionSpan(NamedTuple):
    """Words `begin` to `end` (excluded) of a sentence."""

    sentence: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False, repr=False)
class Document:
    """A text with mentions and the entities they refer to.

    Attributes
    ----------
    name
        The name of the document.
    words
        The words of each sentence.
    mentions
        The mentions, sorted by first word; longer mentions first.
    clusters
        The entities, each as the numbers of its mentions. A mention in no cluster is a
        singleton.
    tags
        The part of speech of every word; None if the corpus has none.
    speakers
        The speaker of each sentence, "" if unknown; None if the corpus has none.

    Examples
    --------
    >>> words = (("Ada", "met", "her", "friend"),)
    >>> mentions = (Mention(0, 0, 1, 0), Mention(0, 2, 4, 3), Mention(0, 2, 3, 2))
    >>> document = Document("letter", words, mentions, ((0, 2),))
    >>> document
    Document(letter: 1 sentence, 4 words, 3 mentions, 1 entity)
    >>> document.text(1)
    ('her', 'friend')
    >>> document.entities
    (0, None, 0)
    """

    name: str
    words: Sentences
    mentions: tuple[Mention, ...]
    clusters: tuple[tuple[int, ...], ...]
    tags: Sentences | None = None
    speakers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        self._check_words()
        self._check_mentions()
        self._check_order()
        self._check_clusters()

    def _check_words(self) -> None:
        for k, sentence in enumerate(self.words):
            if isinstance(sentence, str):
                raise InputError(
                    f"Sentence {k} of document {self.name!r} must be a list of words, but it is "
                    f"{sentence!r}."
                )
        given = [tuple(map(len, each)) for each in (self.words, self.tags or self.words)]
        if given[0] != given[1]:
            raise InputError(f"Document {self.name!r} must have a tag for each of its words.")
        if self.speakers is not None and len(self.speakers) != len(self.words):
            raise InputError(
                f"Document {self.name!r} must have a speaker for each of its {len(self.words)} "
                f"sentences, but it has {len(self.speakers)}."
            )

    def _check_mentions(self) -> None:
        lengths = [len(sentence) for sentence in self.words]
        for k, each in enumerate(self.mentions):
            if not isinstance(each, Mention) or not all(isinstance(at, Integral) for at in each):
                raise InputError(
                    f"Mentions of document {self.name!r} must be Mention(sentence, begin, end, "
                    f"head), all whole numbers, but mention {k} is {each!r}."
                )
            inside = 0 <= each.sentence < len(lengths)
            if not (inside and 0 <= each.begin <= each.head < each.end <= lengths[each.sentence]):
                raise InputError(
                    f"Mentions of document {self.name!r} must lie within a sentence and contain "
                    f"their head, but mention {k} is {each}."
                )

    def _check_order(self) -> None:
        order = [each.order for each in self.mentions]
        for k in range(1, len(order)):
            if order[k - 1] >= order[k]:
                what = "is the same as" if order[k - 1] == order[k] else "should come before"
                raise InputError(
                    f"Mentions of document {self.name!r} must be in order, each once, but mention "
                    f"{k}, {self.mentions[k]}, {what} mention {k - 1}."
                )

    def _check_clusters(self) -> None:
        home: dict[int, int] = {}
        for k, cluster in enumerate(self.clusters):
            listed = not isinstance(cluster, str) and isinstance(cluster, Iterable)
            if not listed or not all(isinstance(each, Integral) for each in cluster):
                raise InputError(
                    f"Entity {k} of document {self.name!r} must be the numbers of its mentions, "
                    f"but it is {cluster!r}."
                )
            for mention in cluster:
                self._check_member(mention, k, home.get(mention))
                home[mention] = k

    def _check_member(self, mention: int, entity: int, other: int | None) -> None:
        if not 0 <= mention < len(self.mentions):
            raise InputError(
                f"Entity {entity} of document {self.name!r} has a mention {mention}, but the "
                f"document has {counted(len(self.mentions), 'mention')}, counted from 0."
            )
        if other is not None:
            where = (
                f"entities {other} and {entity}" if other != entity else f"entity {entity} twice"
            )
            raise InputError(
                f"A mention must belong to one entity, but mention {mention} of document "
                f"{self.name!r} belongs to {where}."
            )

    def __repr__(self) -> str:
        words = sum(map(len, self.words))
        sizes = {"sentence": len(self.words), "word": words, "mention": len(self.mentions)}
        entities = counted(len(self.clusters), "entity", "entities")
        return f"Document({self.name}: {listed(sizes)}, {entities})"

    def text(self, mention: int) -> tuple[str, ...]:
        """The words of a mention."""
        at = self.mentions[mention]
        return self.words[at.sentence][at.begin : at.end]

    @cached_property
    def entities(self) -> tuple[int | None, ...]:
        """The entity of every mention; None for a mention in no cluster."""
        home = {mention: k for k, cluster in enumerate(self.clusters) for mention in cluster}
        return tuple(home.get(k) for k in range(len(self.mentions)))

    @cached_property
    def spans(self) -> list[list[MentionSpan]]:
        """The entities as lists of spans, for comparison with other sets of mentions."""
        return self.places(self.clusters)

    def places(self, clusters: Iterable[Iterable[int]]) -> list[list[MentionSpan]]:
        """The spans of the mentions of each cluster."""
        return [[self.mentions[k].span for k in cluster] for cluster in clusters]

    def with_mentions(self, mentions: Iterable[Mention]) -> "Document":
        """The same text with other mentions.

        A mention with the same words as an old mention keeps its entity.
        """
        kept = tuple(sorted(mentions, key=lambda each: each.order))
        home = {self.mentions[m].span: k for k, each in enumerate(self.clusters) for m in each}
        clusters: dict[int, list[int]] = {}
        for k, mention in enumerate(kept):
            if mention.span in home:
                clusters.setdefault(home[mention.span], []).append(k)
        found = tuple(tuple(clusters[k]) for k in sorted(clusters))
        return replace(self, mentions=kept, clusters=found)


@dataclass(frozen=True, eq=False, repr=False)
class Documents:
    """Several documents."""

    documents: tuple[Document, ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not self.documents:
            raise InputError("There must be at least one document.")
        for k, each in enumerate(self.documents):
            if not isinstance(each, Document):
                raise InputError(f"Documents must hold Document objects, but item {k} is {each!r}.")

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    def __getitem__(self, index: int) -> Document:
        return self.documents[index]

    def __repr__(self) -> str:
        where = f"{self.name}: " if self.name else ""
        words = sum(len(sentence) for each in self for sentence in each.words)
        sizes = {"document": len(self), "word": words, "mention": self.mentions}
        return f"Documents({where}{listed(sizes)})"

    @property
    def mentions(self) -> int:
        """The number of mentions."""
        return sum(len(each.mentions) for each in self)

    @property
    def entities(self) -> list[tuple[int | None, ...]]:
        """The entity of every mention of every document."""
        return [each.entities for each in self]

    @property
    def spans(self) -> list[list[list[MentionSpan]]]:
        """The entities of every document, as lists of spans."""
        return [each.spans for each in self]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents."""
        return tuple(each.name for each in self)

    def select(self, names: Sequence[str], name: str = "") -> "Documents":
        """The documents with these names, in this order."""
        known = {each.name: each for each in self}
        for each in names:
            if each not in known:
                raise UnknownName("document", each, known)
        return Documents(tuple(known[each] for each in names), name or self.name)
