"""Text with tags, trees or mentions: what models are fitted on and asked about."""

from calibrant.corpora.bracket_match import bracket_f1
from calibrant.corpora.brackets import read_brackets
from calibrant.corpora.conll import read_conll
from calibrant.corpora.conllu import read_conllu
from calibrant.corpora.coreference import read_coreference
from calibrant.corpora.coreference_scores import CoreferenceScore, score_clusters
from calibrant.corpora.corpus import Corpus
from calibrant.corpora.documents import Document, Documents, Mention, MentionSpan
from calibrant.corpora.exact_match import SpanF1, span_f1
from calibrant.corpora.faults import Place
from calibrant.corpora.named import NamedCorpora, load_corpus, locate_corpus, named_corpora
from calibrant.corpora.named_documents import load_documents
from calibrant.corpora.schemes import Repairs, check_scheme, convert_scheme, repair_scheme
from calibrant.corpora.treebank import Treebank
from calibrant.corpora.treebanks import load_treebank

__all__ = [
    "CoreferenceScore",
    "Corpus",
    "Document",
    "Documents",
    "Mention",
    "MentionSpan",
    "NamedCorpora",
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
