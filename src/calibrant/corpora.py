"""Text with tags, trees or mentions: readers, named corpora, and measures of accuracy."""

from calibrant.structures.coreference.accuracy import CoreferenceScore, score_clusters
from calibrant.structures.coreference.documents import Document, Documents, Mention, MentionSpan
from calibrant.structures.coreference.reading.conll2012 import read_coreference
from calibrant.structures.exact_match import SpanF1, span_f1
from calibrant.structures.named.coreference import load_documents
from calibrant.structures.named.sequences import (
    NamedCorpora,
    load_corpus,
    locate_corpus,
    named_corpora,
)
from calibrant.structures.named.trees import load_treebank
from calibrant.structures.sequences.reading.conll import read_conll
from calibrant.structures.sequences.reading.conllu import read_conllu
from calibrant.structures.sequences.reading.corpus import Corpus
from calibrant.structures.sequences.reading.faults import Place
from calibrant.structures.sequences.reading.schemes import (
    Repairs,
    check_scheme,
    convert_scheme,
    repair_scheme,
)
from calibrant.structures.trees.accuracy import bracket_f1
from calibrant.structures.trees.brackets import read_brackets
from calibrant.structures.trees.parse import Parse
from calibrant.structures.trees.treebank import Treebank

__all__ = [
    "CoreferenceScore",
    "Corpus",
    "Document",
    "Documents",
    "Mention",
    "MentionSpan",
    "NamedCorpora",
    "Parse",
    "Place",
    "Repairs",
    "SpanF1",
    "Treebank",
    "bracket_f1",
    "check_scheme",
    "convert_scheme",
    "load_corpus",
    "load_documents",
    "load_treebank",
    "locate_corpus",
    "named_corpora",
    "read_brackets",
    "read_conll",
    "read_conllu",
    "read_coreference",
    "repair_scheme",
    "score_clusters",
    "span_f1",
]
