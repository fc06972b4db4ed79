import pytest

from calibrant.errors import InputError, UnknownName
from calibrant.structures.coreference.documents import Document, Documents, Mention
from calibrant.structures.coreference.noun_phrases import mention_recall

MENTIONS = (Mention(0, 0, 1, 0), Mention(0, 1, 2, 1))
BAD_DOCUMENTS = [
    (
        MENTIONS,
        ((0, 5),),
        "Entity 0 of document 'x' has a mention 5, but the document has 2 mentions",
    ),
    (MENTIONS, ((0,), (1, 0)), "mention 0 .* belongs to entities 0 and 1"),
    (MENTIONS, ((1, 0, 1),), "mention 1 .* belongs to entity 0 twice"),
    (MENTIONS[::-1], (), "in order, .* mention 1.* should come before mention 0"),
    (MENTIONS[:1] * 2, (), "is the same as mention 0"),
    ((Mention(0, 1, 3, 1),), (), "within a sentence .* mention 0 is"),
    ((Mention(0, 0, 1, 1),), (), "contain their head"),
    (((0, 0, 1, 0),), (), r"must be Mention\(.* but mention 0 is \(0, 0, 1, 0\)"),
    ((Mention(0, 0, 1.5, 0),), (), "all whole numbers, but mention 0 is"),
    (MENTIONS, ("01",), "Entity 0 of document 'x' must be the numbers .* it is '01'"),
    (MENTIONS, (0, 1), "Entity 0 of document 'x' must be the numbers .* it is 0"),
]


def test_a_text_is_no_list_of_words():
    with pytest.raises(InputError, match="Sentence 0 of document 'x' must be a list of words"):
        Document("x", ("Ada met Eve",), (), ())


def test_tags_and_speakers_must_fit():
    words = (("a", "b"), ("c",))
    with pytest.raises(InputError, match="'x' must have a tag for each of its words"):
        Document("x", words, (), (), (("A", "B"), ()))
    with pytest.raises(InputError, match="speaker for each of its 2 sentences, but it has 1"):
        Document("x", words, (), (), None, ("Ada",))


@pytest.mark.parametrize(("mentions", "clusters", "message"), BAD_DOCUMENTS)
def test_bad_documents(mentions, clusters, message):
    with pytest.raises(InputError, match=message):
        Document("x", (("a", "b"),), mentions, clusters)


def test_other_mentions_keep_their_entities():
    document = Document("x", (("a", "b", "c"),), MENTIONS, ((0, 1),))
    other = document.with_mentions([Mention(0, 2, 3, 2), Mention(0, 1, 2, 1)])
    assert [each.begin for each in other.mentions] == [1, 2]
    assert other.entities == (0, None)
    found = mention_recall([document], [other])
    assert (found.recall, found.precision) == (0.5, 0.5)
    with pytest.raises(UnknownName, match="Did you mean x1"):
        Documents((Document("x1", (("a",),), (), ()),)).select(["x2"])


class Counting(int):
    """A number of a mention that counts how often it is compared."""

    compared = 0

    def __eq__(self, other):
        Counting.compared += 1
        return int(self) == int(other)

    __hash__ = int.__hash__


def test_an_entity_of_many_mentions_is_checked_once_per_mention():
    """The work grows with the mentions, not with their square."""
    count = 2000
    words = (tuple("x" * count),)
    mentions = tuple(Mention(0, k, k + 1, k) for k in range(count))
    Counting.compared = 0
    Document("x", words, mentions, (tuple(map(Counting, range(count))),))
    assert Counting.compared < 10 * count


def test_documents_are_shown_with_their_sizes():
    one = Document("x", (("a", "b"),), MENTIONS, ((0, 1),))
    assert repr(one) == "Document(x: 1 sentence, 2 words, 2 mentions, 1 entity)"
    assert repr(Documents((one,))) == "Documents(1 document, 2 words, 2 mentions)"
    assert (
        repr(Documents((one, one), "made")) == "Documents(made: 2 documents, 4 words, 4 mentions)"
    )
    with pytest.raises(InputError, match="must hold Document objects, but item 1 is 'x'"):
        Documents((one, "x"))
    with pytest.raises(InputError, match="at least one document"):
        Documents(())
