"""The questions that classifiers answer, on corpora by name."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibrant.structures.named.parts import PARTS
from calibrant.structures.named.sequences import load_corpus
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.sequences.models.features import Advanced
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.studies.classifiers.items import Items, Split, divided, drawn_documents

SEED = 0  # of the documents drawn
GENRE = "reviews"
SPOKEN = ("court", "interview", "speech", "vlog")  # genres of GUM
PARTS_OF_FOUR = 4  # two to train, one to calibrate, one to test
ROTATIONS = 5  # of few documents: each is tested once
SENTENCES = 10  # at most, of a document of UD-EWT

Names = NDArray[np.str_]


@dataclass(frozen=True)
class Task:
    """A question about items of a corpus.

    Attributes
    ----------
    name, question
        Its name in tables, and the question in words.
    load
        Reads the items: one split, or several whose test items are put together. It takes the
        number of items after which a part of a split may stop; None means all.
    sizes
        The numbers of training items; None means all.
    """

    name: str
    question: str
    load: Callable[[int | None], tuple[Split, ...]]
    sizes: tuple[int | None, ...]


def sentence_genres(most: int | None) -> tuple[Split, ...]:
    """Is this sentence of UD-EWT from a review? By its words."""
    return divided(_sentences(_web()), PARTS_OF_FOUR, SEED)[:1]


def document_genres(most: int | None) -> tuple[Split, ...]:
    """Is this document of UD-EWT a review? By the words of up to ten of its sentences."""
    return divided(_joined(_sentences(_web())), ROTATIONS, SEED)


def spoken_documents(most: int | None) -> tuple[Split, ...]:
    """Is this document of GUM spoken? By its words."""
    words: list[list[str]] = []
    names: list[str] = []
    for part in PARTS:
        bank = load_treebank("gum", part)
        assert bank.documents is not None
        words += [[word.lower() for word in each] for each in bank.words]
        names += bank.documents
    spoken = np.array([genre_of_gum(name) in SPOKEN for name in names])
    return divided(_joined(Items(words, spoken, np.array(names))), ROTATIONS, SEED)


def web_nouns(most: int | None) -> tuple[Split, ...]:
    """Is this word of UD-EWT a singular noun? By the features of the word and its neighbours."""
    return _words(_web(), "NN", most)


def tweet_verbs(most: int | None) -> tuple[Split, ...]:
    """Is this word of a tweet a verb? By the features of the word and its neighbours."""
    return _words(_all_parts("ark"), "V", most)


def genre_of_gum(document: str) -> str:
    """The genre in the name of a document, such as GUM_vlog_hair."""
    return document.removeprefix("GUM_").partition("_")[0]


def _web() -> Corpus:
    """UD-EWT with at most ten sentences of each document, drawn at random.

    Documents of its training part are longer than the others, and genres differ in length: with
    all sentences, a few long documents decide, and the parts are not alike.
    """
    corpus = _all_parts("ud-ewt")
    drawn = np.random.default_rng(SEED).permutation(len(corpus))
    taken: Counter[str] = Counter()
    kept = np.zeros(len(corpus), bool)
    names = _documents(corpus).tolist()
    for k in drawn.tolist():
        taken[names[k]] += 1
        kept[k] = taken[names[k]] <= SENTENCES
    return _chosen(corpus, kept)


def _all_parts(name: str) -> Corpus:
    """All parts of a corpus: documents are divided anew, so that all parts are alike."""
    parts = {part: load_corpus(name, part) for part in PARTS}
    named = [f"{part} {each}" for part, corpus in parts.items() for each in _documents(corpus)]
    words = tuple(each for corpus in parts.values() for each in corpus.words)
    tags = tuple(each for corpus in parts.values() for each in corpus.tags)
    return Corpus(words, tags, tuple(named), name)


def _sentences(corpus: Corpus) -> Items:
    """The words of each sentence, and whether its document is a review."""
    words = [[word.lower() for word in each] for each in corpus.words]
    names = _documents(corpus)
    return Items(words, np.array([f" {GENRE}-" in each for each in names]), names)


def _joined(sentences: Items) -> Items:
    """Whole documents: the features of all their sentences."""
    joined: dict[str, list[str]] = {}
    answers: dict[str, bool] = {}
    for words, yes, name in zip(
        sentences.features, sentences.y.tolist(), sentences.document.tolist(), strict=True
    ):
        joined.setdefault(name, []).extend(words)
        answers[name] = yes
    return Items(list(joined.values()), np.array(list(answers.values())), np.array(list(joined)))


def _words(corpus: Corpus, tag: str, most: int | None) -> tuple[Split, ...]:
    """The words of each part of a split; features are made only for those that are used."""
    names = _documents(corpus)
    yes = np.array([tag in tags for tags in corpus.tags])
    sentences = divided(Items(corpus.words, yes, names), PARTS_OF_FOUR, SEED)[0]
    return (Split(*(_tagged(corpus, names, part.document, tag, most) for part in sentences)),)


def _tagged(corpus: Corpus, names: Names, documents: Names, tag: str, most: int | None) -> Items:
    """The features of the words of some documents, and whether each word has the tag."""
    part = _chosen(corpus, np.isin(names, documents))
    if most is not None:
        of_word = _documents(part)[part.sentence]
        kept = drawn_documents(of_word, most, SEED)
        part = _chosen(part, np.isin(_documents(part), of_word[kept]))
    made = Advanced()
    features = [each for words in part.words for each in made.of_sentence(words)]
    y = np.array([each == tag for tags in part.tags for each in tags])
    return Items(features, y, _documents(part)[part.sentence])


def _chosen(corpus: Corpus, kept: NDArray[np.bool_]) -> Corpus:
    """The sentences for which `kept` is true."""
    at = np.flatnonzero(kept).tolist()
    return replace(
        corpus,
        words=tuple(corpus.words[k] for k in at),
        tags=tuple(corpus.tags[k] for k in at),
        documents=tuple(_documents(corpus)[kept].tolist()),
    )


def _documents(corpus: Corpus) -> Names:
    """The document of each sentence; a sentence without one is its own (a tweet)."""
    given = map(str, range(len(corpus))) if corpus.documents is None else corpus.documents
    return np.array(list(given), np.str_)


TASKS = (
    Task("EWT sentences", "Is this sentence from a review?", sentence_genres, (500, None)),
    Task("EWT documents", "Is this document a review?", document_genres, (100, None)),
    Task("GUM documents", "Is this document spoken?", spoken_documents, (None,)),
    Task("EWT words", "Is this word a singular noun?", web_nouns, (1000, 5000)),
    Task("tweet words", "Is this word a verb?", tweet_verbs, (1000, 5000)),
)
